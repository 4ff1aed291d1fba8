//! What a search found, as `malecon.Analysis`.

use malecon::engine::search::{MoveReport, Verdict};
use malecon::engine::session::Analysis;
use malecon::game::{Geometry, Move, Vertex};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::moves;

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win => "win",
        Verdict::Loss => "loss",
        Verdict::Draw => "draw",
    }
}

/// What a search found, as `malecon.Analysis`.
pub fn analysis_object<'py>(py: Python<'py>, board: &Geometry, analysis: &Analysis) -> PyResult<Bound<'py, PyAny>> {
    let (results, report) = (py.import("malecon.results")?, &analysis.report);
    let (class, move_class) = (results.getattr("Analysis")?, results.getattr("AnalyzedMove")?);
    let line = |line: &[Vertex]| PyList::new(py, line.iter().map(|&v| moves::show(py, board, Move::Place(v))));
    let analyzed = |m: &MoveReport| {
        let name = moves::show(py, board, Move::Place(m.vertex));
        let chance = analysis.chance_with(m);
        move_class.call1((name, m.visits, chance, m.prior, m.verdict.map(verdict_word), line(&m.line)?))
    };
    let analyzed = report.ordered().into_iter().map(analyzed).collect::<PyResult<Vec<_>>>()?;
    let pv: Vec<_> = analysis.line().into_iter().map(|m| moves::show(py, board, m)).collect();
    class.call1((
        moves::color(analysis.to_move),
        &pv[0],
        analysis.chance(),
        PyList::new(py, &pv)?,
        report.verdict.map(verdict_word),
        report.moves_to_win,
        report.simulations,
        report.elapsed.as_secs_f64(),
        PyList::new(py, analyzed)?,
    ))
}
