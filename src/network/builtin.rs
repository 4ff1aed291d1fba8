//! The networks that belong to the program. They are compiled in, but with the feature `host-networks` those that judge
//! positions come from the browser.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::base::hash::fnv1a;
use crate::game::Geometry;

use super::evaluator::{Backend, Evaluator};
use super::model::Network;

/// The smallest side length on which [`Network::builtin_large`] judges positions.
pub const LARGE_SIDE: usize = 6;

impl Network {
    /// The program's network for boards below [`LARGE_SIDE`]. It is prepared once and shared.
    pub fn builtin() -> Arc<Network> {
        static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
        shared(&NETWORK, || file(false))
    }

    /// The program's network for boards of side [`LARGE_SIDE`] or more. It is prepared once and shared.
    pub fn builtin_large() -> Arc<Network> {
        static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
        shared(&NETWORK, || file(true))
    }

    /// The program's network that guides the solver: its policy says which moves win at the least cost. It is prepared
    /// once and shared.
    pub fn builtin_solver() -> Arc<Network> {
        static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
        shared(&NETWORK, || Cow::Borrowed(include_bytes!("network-solver.bin")))
    }

    /// The program's network for boards of this side length.
    pub fn builtin_for(side: usize) -> Arc<Network> {
        if side < LARGE_SIDE { Network::builtin() } else { Network::builtin_large() }
    }
}

fn shared(network: &OnceLock<Arc<Network>>, file: impl FnOnce() -> Cow<'static, [u8]>) -> Arc<Network> {
    let read = || Network::from_trusted(&file()).expect("the program comes with this file");
    network.get_or_init(|| Arc::new(read())).clone()
}

#[cfg(all(feature = "host-networks", target_family = "wasm"))]
fn file(is_large: bool) -> Cow<'static, [u8]> {
    Cow::Owned(crate::base::host::network_file(is_large))
}

#[cfg(not(all(feature = "host-networks", target_family = "wasm")))]
fn file(is_large: bool) -> Cow<'static, [u8]> {
    Cow::Borrowed(if is_large { include_bytes!("network-large.bin") } else { include_bytes!("network.bin") })
}

/// The networks that judge positions: one for all boards, or those of the program, which depend on the side length.
///
/// ```
/// use malecon::network::{LARGE_SIDE, Network, Networks};
/// let large = Networks::Builtin.for_side(LARGE_SIDE);
/// assert_eq!(large.info().hash, Network::builtin_large().info().hash);
/// ```
#[derive(Clone, Debug)]
pub enum Networks {
    /// [`Network::builtin_for`] the side length of the board.
    Builtin,
    /// The same network on all boards.
    One(Arc<Network>),
}

impl Networks {
    /// The network for boards of this side length.
    pub fn for_side(&self, side: usize) -> Arc<Network> {
        match self {
            Networks::Builtin => Network::builtin_for(side),
            Networks::One(network) => network.clone(),
        }
    }

    /// The hash of the network, as 16 hexadecimal digits; for those of the program, a hash of their hashes.
    pub fn hash(&self) -> String {
        match self {
            Networks::Builtin => {
                let hashes = [Network::builtin(), Network::builtin_large()].map(|network| network.info().hash);
                format!("{:016x}", fnv1a(hashes.join(" ").bytes()))
            }
            Networks::One(network) => network.info().hash,
        }
    }
}

impl Backend for Networks {
    fn evaluator(&self, geometry: &'static Geometry) -> Box<dyn Evaluator> {
        self.for_side(geometry.side()).evaluator(geometry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::network::{Evaluation, Input};

    #[test]
    fn each_board_has_its_network() {
        for side in [4, LARGE_SIDE - 1, LARGE_SIDE, 10] {
            let geometry = Geometry::with_side(side).unwrap();
            let mut game = Game::new(geometry);
            game.play(geometry.vertex(9).unwrap()).unwrap();
            let [mut chosen, mut expected] = [Evaluation::default(), Evaluation::default()];
            Networks::Builtin.evaluator(geometry).evaluate(&Input::new(&game), &mut chosen);
            let network = if side < LARGE_SIDE { Network::builtin() } else { Network::builtin_large() };
            network.evaluator(geometry).evaluate(&Input::new(&game), &mut expected);
            assert_eq!(chosen.value, expected.value);
        }
        let one = Networks::One(Network::builtin());
        assert_eq!(one.hash(), Network::builtin().info().hash);
        assert_ne!(one.hash(), Networks::Builtin.hash());
        assert_eq!(one.for_side(10).info().hash, one.hash());
    }
}
