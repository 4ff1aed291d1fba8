//! The engine plays itself through the protocol to a legal end, and says of every position whether it is the end.

mod gtp_client;

use gtp_client::Client;
use malecon::board::{Game, Geometry, MAX_SIDE, MIN_SIDE, Notation};

/// Judges the engine's games.
struct Judge {
    game: Game,
}

impl Judge {
    fn new(side: usize) -> Judge {
        Judge { game: Game::new(Geometry::of(side).unwrap()) }
    }

    fn to_move(&self) -> String {
        self.game.to_move().to_string()
    }

    /// Plays a move of the player to move; panics if it is illegal.
    fn play(&mut self, name: &str) {
        let v = Notation::HavannahGui.parse(self.game.geometry(), name).unwrap();
        self.game.play(v).unwrap();
    }

    /// What `havannah_winner` has to answer.
    fn winner(&self) -> String {
        self.game.outcome().map_or_else(|| "none".into(), |outcome| outcome.to_string())
    }
}

fn play_game(client: &mut Client, side: usize) {
    client.tell(&format!("boardsize {side}"));
    let mut judge = Judge::new(side);
    while judge.winner() == "none" {
        let name = client.tell(&format!("genmove {}", judge.to_move()));
        judge.play(&name);
        assert_eq!(client.tell("havannah_winner"), judge.winner(), "after {}", client.tell("history"));
    }
    assert_eq!(client.tell(&format!("genmove {}", judge.to_move())), "none");
}

#[test]
fn a_hundred_games_on_each_of_the_small_boards() {
    let mut client = Client::start(&["--playouts", "50", "--seed", "1"]);
    for side in 3..=6 {
        for _ in 0..100 {
            play_game(&mut client, side);
        }
    }
}

#[test]
fn a_game_on_every_board() {
    let mut client = Client::start(&["--playouts", "50", "--seed", "2"]);
    for side in MIN_SIDE..=MAX_SIDE {
        play_game(&mut client, side);
    }
}

#[test]
fn a_game_with_two_threads() {
    let mut client = Client::start(&["--playouts", "200", "--threads", "2"]);
    play_game(&mut client, 5);
}
