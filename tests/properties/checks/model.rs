//! A model of the game that commands play. Its rules are those of the oracle; it uses no code of the engine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::oracle::havannah::Havannah;
use crate::oracle::point_set::PointSet;

/// A player: 0 is white, who moves first.
pub type Player = usize;

/// The name of a player.
pub fn color_name(player: Player) -> &'static str {
    ["white", "black"][player]
}

/// A move. Points are those of [`Havannah::points`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    Place(usize),
    Swap,
    Resign,
    Pass,
}

/// How vertices are named, and what differs with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    HavannahGui,
    GoGui,
    LittleGolem,
}

impl Dialect {
    pub const ALL: [Dialect; 3] = [Dialect::HavannahGui, Dialect::GoGui, Dialect::LittleGolem];

    /// The value of the option `gui`.
    pub fn option(self) -> &'static str {
        match self {
            Dialect::HavannahGui => "havannahgui",
            Dialect::GoGui => "gogui",
            Dialect::LittleGolem => "littlegolem",
        }
    }

    /// The argument of `boardsize` for this side length.
    pub fn size(self, side: usize) -> usize {
        if self == Dialect::GoGui { 2 * side - 1 } else { side }
    }
}

/// The state after a move.
#[derive(Clone, Copy)]
struct State {
    /// The stones of each player.
    stones: [PointSet; 2],
    to_move: Player,
    /// The winner, or `Some(None)` for a draw.
    result: Option<Option<Player>>,
}

/// A game.
#[derive(Clone)]
pub struct Model {
    pub board: Rc<Havannah>,
    pub swap_allowed: bool,
    moves: Vec<(Player, Play)>,
    /// The state before the first move, and after each.
    states: Vec<State>,
}

/// The oracle's board of this size, made once.
fn board(side: usize) -> Rc<Havannah> {
    thread_local!(static BOARDS: RefCell<HashMap<usize, Rc<Havannah>>> = RefCell::default());
    BOARDS.with_borrow_mut(|boards| Rc::clone(boards.entry(side).or_insert_with(|| Rc::new(Havannah::new(side)))))
}

impl Model {
    pub fn new(side: usize, swap_allowed: bool) -> Model {
        let start = State { stones: [PointSet::EMPTY; 2], to_move: 0, result: None };
        Model { board: board(side), swap_allowed, moves: Vec::new(), states: vec![start] }
    }

    /// Makes it this player's turn on the empty board.
    pub fn begin(&mut self, player: Player) {
        self.states[0].to_move = player;
    }

    fn state(&self) -> &State {
        self.states.last().expect("there is a first state")
    }

    pub fn moves(&self) -> &[(Player, Play)] {
        &self.moves
    }

    pub fn to_move(&self) -> Player {
        self.state().to_move
    }

    /// The winner, or `Some(None)` for a draw; `None` while the game goes on.
    pub fn result(&self) -> Option<Option<Player>> {
        self.state().result
    }

    pub fn stones(&self) -> [PointSet; 2] {
        self.state().stones
    }

    pub fn empty_points(&self) -> PointSet {
        let [white, black] = self.stones();
        PointSet::first(self.board.points().len()).difference(white.union(black))
    }

    /// The figures of the winner, by name; none if nobody has won by one.
    pub fn figures(&self) -> Vec<&'static str> {
        let both = self.stones().map(|stones| self.board.figures(stones));
        both.into_iter().flatten().map(|figure| figure.name()).collect()
    }

    /// The only stone's point, if a player may swap.
    pub fn swappable(&self) -> Option<usize> {
        match self.moves[..] {
            [(_, Play::Place(point))] if self.swap_allowed && self.result().is_none() => Some(point),
            _ => None,
        }
    }

    /// Plays a move and returns true, or returns false if it is illegal.
    pub fn play(&mut self, player: Player, play: Play) -> bool {
        let State { mut stones, to_move, result } = *self.state();
        let is_legal = match play {
            Play::Place(point) => result.is_none() && self.empty_points().has(point),
            Play::Swap => self.swappable().is_some() && player == to_move,
            Play::Resign => result.is_none(),
            Play::Pass => result.is_some(),
        };
        if !is_legal {
            return false;
        }
        let result = match play {
            Play::Place(point) => {
                stones[player] = stones[player].with(point);
                let has_won = !self.board.figures(stones[player]).is_empty();
                let is_full = stones[0].count() + stones[1].count() == self.board.points().len();
                has_won.then_some(Some(player)).or(is_full.then_some(None))
            }
            Play::Swap => {
                stones.swap(0, 1);
                None
            }
            Play::Resign => Some(Some(1 - player)),
            Play::Pass => result,
        };
        self.moves.push((player, play));
        self.states.push(State { stones, to_move: 1 - player, result });
        true
    }

    /// Takes moves back and returns true, or returns false if there are not so many.
    pub fn undo(&mut self, count: usize) -> bool {
        let Some(left) = self.moves.len().checked_sub(count) else { return false };
        self.moves.truncate(left);
        self.states.truncate(left + 1);
        true
    }

    /// The name of a point.
    pub fn name(&self, dialect: Dialect, point: usize) -> String {
        let (x, y, _) = self.board.points()[point];
        let last = self.board.size() as i32 - 1;
        let (letter, number) = ((x + last) as usize, (last - y + 1) as usize);
        match dialect {
            Dialect::HavannahGui => format!("{}{number}", (b'a' + letter as u8) as char),
            Dialect::LittleGolem => {
                format!("{}{}", (b'a' + letter as u8) as char, number - letter.saturating_sub(last as usize))
            }
            Dialect::GoGui => format!("{}{number}", b"ABCDEFGHJKLMNOPQRSTUVWXYZ"[letter] as char),
        }
    }

    /// The point with this name.
    pub fn point(&self, dialect: Dialect, name: &str) -> Option<usize> {
        (0..self.board.points().len()).find(|&point| self.name(dialect, point) == name)
    }

    /// What `history` answers.
    pub fn history(&self, dialect: Dialect) -> String {
        let mut turn = 0;
        let word = |&(player, play): &(Player, Play)| {
            let word = match play {
                Play::Place(point) => self.name(dialect, point),
                Play::Swap => "swap".into(),
                Play::Resign => "resign".into(),
                Play::Pass => "pass".into(),
            };
            let is_in_turn = player == turn;
            turn = 1 - player;
            if is_in_turn { word } else { format!("{}:{word}", color_name(player)) }
        };
        self.moves.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}
