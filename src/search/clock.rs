//! The clock: how long to think about a move.

use std::fmt;
use std::time::Duration;

use crate::board::Color;

/// A time control as GTP's `time_settings` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Time for the whole game before byo-yomi begins.
    pub main: Duration,
    /// Time of one byo-yomi period; 0 means that there is none.
    pub byo_yomi: Duration,
    /// Stones to be played in a byo-yomi period; 0 with a byo-yomi time of more than 0 means no time limit.
    pub stones: u32,
}

impl TimeControl {
    /// Whether the game is played without a time limit: a byo-yomi time for no stones, as GTP has it, or no time at
    /// all, which nobody could play with.
    pub fn is_unlimited(&self) -> bool {
        match self.byo_yomi {
            Duration::ZERO => self.main.is_zero(),
            _ => self.stones == 0,
        }
    }

    fn has_byo_yomi(&self) -> bool {
        !self.byo_yomi.is_zero() && self.stones > 0
    }

    /// What a player has at the start.
    fn start(&self) -> Remaining {
        match self.main {
            Duration::ZERO if self.has_byo_yomi() => self.period(),
            main => Remaining { time: main, stones: None },
        }
    }

    /// A byo-yomi period that has just begun.
    fn period(&self) -> Remaining {
        Remaining { time: self.byo_yomi, stones: Some(self.stones) }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (main, byo_yomi) = (self.main.as_secs_f64(), self.byo_yomi.as_secs_f64());
        if self.is_unlimited() {
            f.write_str("no time limit")
        } else if self.has_byo_yomi() {
            write!(f, "{main} s, then {byo_yomi} s for every {} stones", self.stones)
        } else {
            write!(f, "{main} s for the game")
        }
    }
}

/// What one player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remaining {
    time: Duration,
    /// Stones still to be played in this byo-yomi period; `None` while main time runs.
    stones: Option<u32>,
}

/// The clocks of both players, and the plan for spending their time.
///
/// A clock that is told the time left ([`Clock::set_left`]) believes it; between such messages, or without any, it
/// keeps its own account ([`Clock::spend`]).
///
/// ```
/// use std::time::Duration;
/// use malecon::board::Color;
/// use malecon::search::{Clock, TimeControl};
/// let mut clock = Clock::default();
/// assert_eq!(clock.budget(Color::White, 169), None);
/// // One second a move.
/// let second = Duration::from_secs(1);
/// clock.set_control(TimeControl { main: Duration::ZERO, byo_yomi: second, stones: 1 });
/// assert_eq!(clock.budget(Color::White, 169), Some(Duration::from_millis(990)));
/// ```
#[derive(Clone, Debug)]
pub struct Clock {
    control: Option<TimeControl>,
    left: [Option<Remaining>; 2],
    overhead: Duration,
}

/// Without a message to the contrary, what a move is assumed to cost outside of the search.
const OVERHEAD: Duration = Duration::from_millis(10);
/// However little time is left, think so long: a move has to be made.
const LEAST: Duration = Duration::from_millis(1);
/// The share of the empty vertices that a player is expected to fill with own stones until the end, as 1 / this. In
/// human games on sides 4 to 10 that were played to a structure both players together filled a sixth to a third of
/// the vertices that were empty at a given moment, and in nine of ten games less than half.
const EMPTY_PER_MOVE: u32 = 6;
/// However few vertices are empty, keep time for so many moves.
const FEWEST_MOVES: u32 = 5;

impl Default for Clock {
    /// A clock without any time control.
    fn default() -> Clock {
        Clock { control: None, left: [None; 2], overhead: OVERHEAD }
    }
}

impl Clock {
    /// Sets the time control and starts both clocks afresh.
    pub fn set_control(&mut self, control: TimeControl) {
        self.control = Some(control);
        self.restart();
    }

    /// The time control, if one was set.
    pub fn control(&self) -> Option<TimeControl> {
        self.control
    }

    /// Starts both clocks afresh, for a new game under the same time control.
    pub fn restart(&mut self) {
        let start = self.control.filter(|c| !c.is_unlimited()).map(|c| c.start());
        self.left = [start; 2];
    }

    /// Sets what a move is assumed to cost outside of the search: messages on their way, threads that wake up late.
    /// It is kept back from every move.
    pub fn set_overhead(&mut self, overhead: Duration) {
        self.overhead = overhead;
    }

    /// Sets what a player has left, as GTP's `time_left` gives it: with `stones` 0 this is main time, else the rest of
    /// a byo-yomi period in which so many stones are to be played.
    pub fn set_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.left[color.index()] = Some(Remaining { time, stones: (stones > 0).then_some(stones) });
    }

    /// What a player has left: the time, and in byo-yomi the stones to be played in it. `None` without a time limit.
    pub fn left(&self, color: Color) -> Option<(Duration, Option<u32>)> {
        self.left[color.index()].map(|r| (r.time, r.stones))
    }

    /// Takes the time of a move off a player's clock.
    pub fn spend(&mut self, color: Color, time: Duration) {
        if let Some(left) = self.left[color.index()] {
            self.left[color.index()] = Some(self.after_move(left, time + self.overhead));
        }
    }

    /// What is left after a move that took `time`. A player whose time has run out has 0 left, or a new period.
    fn after_move(&self, left: Remaining, time: Duration) -> Remaining {
        let period = self.control.filter(TimeControl::has_byo_yomi).map(|c| c.period());
        match (left.stones, period) {
            (None, Some(period)) if time > left.time => self.after_move(period, time - left.time),
            (None, _) => Remaining { time: left.time.saturating_sub(time), stones: None },
            (Some(0 | 1), period) => period.unwrap_or(left),
            (Some(stones), _) => Remaining { time: left.time.saturating_sub(time), stones: Some(stones - 1) },
        }
    }

    /// How long to think about the next move of a player when `empty` vertices are empty. Never more than the player
    /// has, less the overhead. `None` without a time limit.
    pub fn budget(&self, color: Color, empty: usize) -> Option<Duration> {
        let left = self.left[color.index()]?;
        let (share, most) = match left.stones {
            Some(stones) => (left.time / stones.max(1), left.time),
            None => self.main_time_budget(left.time, empty),
        };
        Some(self.less_overhead(share.min(most)).max(LEAST))
    }

    /// How long the next move may take where the choice is close: up to twice the budget, but no more than a third of
    /// what is left. `None` where a move saves nothing for the next one: with one stone a period, or without a limit.
    pub fn longest(&self, color: Color, empty: usize) -> Option<Duration> {
        let left = self.left[color.index()]?;
        if left.stones == Some(1) {
            return None;
        }
        let budget = self.budget(color, empty)?;
        Some(budget.max((2 * budget).min(self.less_overhead(left.time / 3))))
    }

    /// The share of main time for the next move, and what may be spent at most. Where byo-yomi follows, no move need
    /// be quicker than it would be then.
    fn main_time_budget(&self, main: Duration, empty: usize) -> (Duration, Duration) {
        let moves = (empty as u32 / EMPTY_PER_MOVE).max(FEWEST_MOVES);
        match self.control.filter(TimeControl::has_byo_yomi) {
            None => (main / moves, main),
            Some(control) => ((main / moves).max(control.byo_yomi / control.stones), main + control.byo_yomi),
        }
    }

    /// Keeps back the overhead, or half of the time where that is less.
    fn less_overhead(&self, time: Duration) -> Duration {
        time - self.overhead.min(time / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(main: u64, byo_yomi: u64, stones: u32) -> Clock {
        let mut clock = Clock::default();
        clock.set_control(TimeControl { main: ms(main), byo_yomi: ms(byo_yomi), stones });
        clock
    }

    #[test]
    fn seconds_a_move_are_used_but_for_the_overhead_move_after_move() {
        let mut clock = clock(0, 1000, 1);
        for _ in 0..10 {
            assert_eq!(clock.budget(White, 100), Some(ms(990)));
            clock.spend(White, ms(1005));
        }
        clock.set_overhead(ms(100));
        assert_eq!(clock.budget(White, 1), Some(ms(900)));
        clock.set_control(TimeControl { main: ms(0), byo_yomi: ms(8), stones: 1 });
        assert_eq!(clock.budget(White, 1), Some(ms(4)));
    }

    #[test]
    fn close_choices_may_take_twice_the_budget_where_time_saved_is_kept() {
        assert_eq!(clock(0, 1000, 1).longest(White, 100), None);
        assert_eq!(Clock::default().longest(White, 100), None);
        let mut long = clock(60_000, 0, 0);
        let budget = long.budget(White, 100).unwrap();
        assert_eq!(long.longest(White, 100), Some(2 * budget));
        long.set_left(White, ms(30), 0);
        let (budget, longest) = (long.budget(White, 1).unwrap(), long.longest(White, 1).unwrap());
        assert!(budget <= longest && longest <= ms(10));
        let several = clock(0, 10_000, 10);
        assert_eq!(several.longest(White, 100), Some(2 * several.budget(White, 100).unwrap()));
    }

    #[test]
    fn there_is_no_budget_without_a_limit() {
        for clock in [Clock::default(), clock(0, 0, 0), clock(0, 1000, 0), clock(60_000, 1000, 0), clock(0, 0, 5)] {
            assert_eq!((clock.budget(White, 50), clock.left(Black)), (None, None));
        }
    }

    #[test]
    fn absolute_time_lasts_for_a_game_that_fills_the_board() {
        for (main, empty) in [(60_000, 169), (1_000, 37), (300_000, 271), (500, 469)] {
            let mut clock = clock(main, 0, 0);
            let mut total = Duration::ZERO;
            for move_number in 0..empty / 2 {
                let budget = clock.budget(White, empty - 2 * move_number).unwrap();
                let left = clock.left(White).unwrap().0;
                assert!(budget <= left.max(LEAST), "{budget:?} of {left:?}");
                total += budget;
                clock.spend(White, budget);
            }
            assert!(total <= ms(main) + LEAST * (empty as u32 / 2), "{total:?} of {main} ms");
            assert!(total >= ms(main * 2 / 5), "{total:?} of {main} ms");
            assert_eq!(clock.left(Black), Some((ms(main), None)));
        }
    }

    #[test]
    fn byo_yomi_follows_main_time_and_begins_anew_after_its_stones() {
        let mut clock = clock(1_000, 6_000, 3);
        clock.set_overhead(ms(0));
        assert_eq!(clock.budget(White, 60), Some(ms(2_000)));
        clock.spend(White, ms(2_000));
        assert_eq!(clock.left(White), Some((ms(5_000), Some(2))));
        assert_eq!(clock.budget(White, 60), Some(ms(2_500)));
        clock.spend(White, ms(2_500));
        clock.spend(White, ms(100));
        assert_eq!(clock.left(White), Some((ms(6_000), Some(3))));
        clock.restart();
        assert_eq!(clock.left(White), Some((ms(1_000), None)));
    }

    #[test]
    fn time_left_is_believed() {
        let mut clock = clock(60_000, 0, 0);
        clock.set_left(White, ms(500), 0);
        assert_eq!(clock.budget(White, 100), Some(ms(500 / 16 - 10) + Duration::from_micros(250)));
        assert_eq!(clock.budget(Black, 100), Some(ms(60_000 / 16 - 10)));
        clock.set_left(White, ms(500), 2);
        assert_eq!(clock.budget(White, 100), Some(ms(240)));
        let mut untold = Clock::default();
        untold.set_left(White, ms(6_000), 0);
        assert_eq!((untold.budget(White, 1), untold.budget(Black, 1)), (Some(ms(1_190)), None));
    }

    #[test]
    fn whoever_has_nothing_left_moves_at_once() {
        let mut clock = clock(100, 0, 0);
        clock.spend(White, ms(5_000));
        assert_eq!(clock.budget(White, 100), Some(LEAST));
        clock.set_left(White, ms(0), 3);
        assert_eq!(clock.budget(White, 100), Some(LEAST));
    }
}
