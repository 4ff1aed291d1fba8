//! The engine plays itself through the protocol to a legal end, and reports for each position whether it is the end.

use malecon::game::{MAX_SIDE, MIN_SIDE};

use crate::gtp_client::Client;
use crate::oracle::havannah::Havannah;
use crate::oracle::point_set::PointSet;

const COLORS: [&str; 2] = ["white", "black"];

/// Judges the engine's games by the oracle, which shares no code with the engine.
struct Judge<'a> {
    board: &'a Havannah,
    stones: [PointSet; 2],
    played: usize,
    winner: &'static str,
}

impl Judge<'_> {
    fn new(board: &Havannah) -> Judge<'_> {
        Judge { board, stones: [PointSet::EMPTY; 2], played: 0, winner: "none" }
    }

    fn to_move(&self) -> &'static str {
        COLORS[self.played % 2]
    }

    /// Plays a move of the player to move; panics if it is illegal.
    fn play(&mut self, name: &str) {
        let point = self.board.parse(name).unwrap_or_else(|| panic!("{name} is not on the board"));
        assert!(self.winner == "none", "{name} was played after the end");
        assert!(!self.stones.iter().any(|stones| stones.has(point)), "{name} is occupied");
        let player = self.played % 2;
        self.stones[player] = self.stones[player].with(point);
        self.played += 1;
        if !self.board.figures(self.stones[player]).is_empty() {
            self.winner = COLORS[player];
        } else if self.played == self.board.points().len() {
            self.winner = "draw";
        }
    }
}

fn play_game(client: &mut Client, side: usize) {
    client.tell(&format!("boardsize {side}"));
    let board = Havannah::new(side);
    let mut judge = Judge::new(&board);
    while judge.winner == "none" {
        let name = client.tell(&format!("genmove {}", judge.to_move()));
        judge.play(&name);
        assert_eq!(client.tell("havannah_winner"), judge.winner, "after {}", client.tell("history"));
    }
    assert_eq!(client.tell(&format!("genmove {}", judge.to_move())), "none");
}

#[test]
fn a_hundred_games_on_each_of_the_small_boards() {
    // Ends are found as well by weak play.
    let mut client = Client::start(&["--simulations", "10", "--seed", "1"]);
    for side in 3..=6 {
        for _ in 0..100 {
            play_game(&mut client, side);
        }
    }
}

#[test]
#[ignore = "takes long: run by .ci/run"]
fn a_game_on_every_board() {
    let mut client = Client::start(&["--simulations", "50", "--seed", "2"]);
    for side in MIN_SIDE..=MAX_SIDE {
        play_game(&mut client, side);
    }
}

#[test]
fn a_game_with_two_threads() {
    let mut client = Client::start(&["--simulations", "200", "--threads", "2"]);
    play_game(&mut client, 5);
}
