//! Vertices on which a player wins at once.

use crate::game::{Color, Game, Position, Structures, Vertex};

/// The empty vertices on which a stone of `color` would win the game, in vertex order, each with the structures that
/// the stone would complete. There are none if the game is over.
///
/// ```
/// use malecon::engine::inspect::threats::winning_vertices;
/// use malecon::game::{Color, Game, Geometry, Notation, Structures};
/// let board = Geometry::with_side(3)?;
/// let mut game = Game::new(board);
/// for name in ["a1", "c3", "a2", "d4"] {
///     game.play(Notation::HavannahGui.parse(board, name)?)?;
/// }
/// let a3 = Notation::HavannahGui.parse(board, "a3")?;
/// assert_eq!(winning_vertices(&game, Color::White), [(a3, Structures::BRIDGE)]);
/// assert_eq!(winning_vertices(&game, Color::Black), []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn winning_vertices(game: &Game, color: Color) -> Vec<(Vertex, Structures)> {
    if game.outcome().is_some() {
        return Vec::new();
    }
    completing(game.position(), color)
}

/// Like [`winning_vertices`], but takes a position, in which nobody may have won.
pub(crate) fn completing(position: &Position, color: Color) -> Vec<(Vertex, Structures)> {
    let completed = position.empty_vertices().map(|v| (v, position.completes(color, v)));
    completed.filter(|(_, structures)| !structures.is_empty()).collect()
}
