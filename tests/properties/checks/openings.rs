//! Files of openings: accepted openings are legal and undecided, and reading what was written gives the same openings.

use malecon::game::{Geometry, MAX_SIDE, MIN_SIDE};
use malecon::tools::arena::openings::Openings;

use super::model::{Dialect, Model, Play};

/// The first byte picks the side length. The rest is the file.
pub fn check(input: &[u8]) {
    let [side, text @ ..] = input else { return };
    let board = Geometry::with_side(MIN_SIDE + usize::from(*side) % (MAX_SIDE - MIN_SIDE + 1)).unwrap();
    let openings = match Openings::parse(board, &String::from_utf8_lossy(text)) {
        Ok(openings) => openings,
        Err(error) => {
            let error = error.to_string();
            return assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
        }
    };
    let lines = openings.to_text(board).expect("these are a list");
    assert!(!lines.is_empty());
    assert_eq!(Openings::parse(board, &lines.join("\n")).unwrap().to_text(board).as_ref(), Some(&lines));
    for line in lines.iter().take(4) {
        let mut model = Model::new(board.side(), false);
        for name in line.split(' ') {
            let point = model.point(Dialect::HavannahGui, name).expect("the vertex is on the board");
            assert!(model.play(model.to_move(), Play::Place(point)), "{name} in {line}");
        }
        assert_eq!(model.result(), None, "{line}");
    }
}
