//! Positions as strings: what is read is written back as it was, up to the space between its parts, and can be reached
//! by play.

use malecon::game::Game;

/// The input is the text.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let game = match Game::from_position_of_any_shape(&text) {
        Ok(game) => game,
        Err(error) => {
            let message = error.to_string();
            return assert!(message.starts_with("invalid position: ") && message.chars().count() < 400, "{message}");
        }
    };
    let written = game.position_string();
    assert_eq!(written, text.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut replayed = Game::new(game.geometry());
    for (color, v) in game.stones() {
        replayed.place(color, v).expect("the stones can be placed in this order");
    }
    assert_eq!(replayed.outcome(), game.outcome());
    replayed.set_to_move(game.to_move());
    replayed.allow_swap(game.swap_allowed());
    assert_eq!(replayed.position_string(), written);
}
