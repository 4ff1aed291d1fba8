//! The engine as the Python module `malecon._engine`. The package `malecon` shows its classes; `malecon/_engine.pyi`
//! has their types.

mod analysis;
mod batch;
mod evaluator;
mod games;
mod interrupt;
mod moves;
mod position;
mod running;
mod session;
mod solver;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::batch::{evaluate, features};
    #[pymodule_export]
    use super::evaluator::Batch;
    #[pymodule_export]
    use super::games::Games;
    #[pymodule_export]
    use super::position::Position;
    #[pymodule_export]
    use super::running::RunningSearch;
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::solver::{Solver, check_proof, solve};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("FEATURES", malecon::network::features::COUNT)
    }
}
