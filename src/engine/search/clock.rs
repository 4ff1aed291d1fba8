//! The clock: how long to think about a move.

use std::fmt;
use std::time::Duration;

use crate::game::Color;

/// A time control, with the parts of GTP's `time_settings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Main time: the time for the game before byo-yomi begins.
    pub main: Duration,
    /// The time of a byo-yomi period; 0 if there is no byo-yomi.
    pub byo_yomi: Duration,
    /// The stones to play in a byo-yomi period. As in GTP, 0 with a byo-yomi time above 0 means no time limit.
    pub stones: u32,
}

impl TimeControl {
    /// Whether there is no time limit: byo-yomi time for 0 stones, as in GTP, or no time at all, which nobody can mean
    /// literally.
    fn is_unlimited(&self) -> bool {
        match self.byo_yomi {
            Duration::ZERO => self.main.is_zero(),
            _ => self.stones == 0,
        }
    }

    fn has_byo_yomi(&self) -> bool {
        !self.byo_yomi.is_zero() && self.stones > 0
    }

    /// What each player has at the start.
    fn start(&self) -> Remaining {
        match self.main {
            Duration::ZERO if self.has_byo_yomi() => self.period(),
            main => Remaining { time: main, stones: None, is_guess: false },
        }
    }

    /// A byo-yomi period that has just begun.
    fn period(&self) -> Remaining {
        Remaining { time: self.byo_yomi, stones: Some(self.stones), is_guess: false }
    }

    /// The share of a whole byo-yomi period for each of its moves.
    fn share(&self) -> Duration {
        self.byo_yomi / self.stones
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let main = self.main.as_secs_f64();
        let byo_yomi = self.byo_yomi.as_secs_f64();
        if self.is_unlimited() {
            f.write_str("no time limit")
        } else if self.has_byo_yomi() {
            write!(f, "{main} s, then {byo_yomi} s for every {} stones", self.stones)
        } else {
            write!(f, "{main} s for the game")
        }
    }
}

/// What a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remaining {
    time: Duration,
    /// Stones still to play in this byo-yomi period; `None` during main time.
    stones: Option<u32>,
    /// Whether the stones are a guess: nobody said when main time ended, and by the controller's clock it may have
    /// ended some moves later. Then a period may begin with any stone.
    is_guess: bool,
}

/// The clocks of both players, and how to spend their time.
///
/// The controller may set the time left ([`Clock::set_left`]); otherwise the clock keeps its own account
/// ([`Clock::spend`]).
///
/// ```
/// use std::time::Duration;
/// use malecon::game::Color;
/// use malecon::engine::search::{Clock, TimeControl};
/// let mut clock = Clock::default();
/// assert_eq!(clock.budget(Color::White, 169), None);
/// // One second per move.
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

/// The default time that a move costs outside the search.
const OVERHEAD: Duration = Duration::from_millis(10);
/// The least time to think, however little is left: a move has to be made.
const LEAST: Duration = Duration::from_millis(1);
/// A player is expected to fill 1 / this of the empty vertices until the end of the game. In human games both players
/// together fill a sixth to a third of them.
const EMPTY_PER_MOVE: u32 = 10;
/// The time is divided among at least this many moves, however few vertices are empty.
const FEWEST_MOVES: u32 = 5;

impl Default for Clock {
    /// Clocks without a time limit.
    fn default() -> Clock {
        Clock { control: None, left: [None; 2], overhead: OVERHEAD }
    }
}

impl Clock {
    /// Sets the time control and resets both clocks.
    pub fn set_control(&mut self, control: TimeControl) {
        self.control = Some(control);
        self.restart();
    }

    /// Resets both clocks, for a new game under the same time control.
    pub fn restart(&mut self) {
        let start = self.control.filter(|c| !c.is_unlimited()).map(|c| c.start());
        self.left = [start; 2];
    }

    /// Sets the time that a move costs outside the search: messages on their way, threads that wake up late. It is
    /// subtracted from the budget of every move. Where no byo-yomi follows, it is also kept for the moves to come.
    pub fn set_overhead(&mut self, overhead: Duration) {
        self.overhead = overhead;
    }

    /// Sets what a player has left, with the arguments of GTP's `time_left`: main time if `stones` is 0, else the rest
    /// of a byo-yomi period and the stones still to play in it.
    pub fn set_left(&mut self, color: Color, time: Duration, stones: u32) {
        self.left[color.index()] = Some(Remaining { time, stones: (stones > 0).then_some(stones), is_guess: false });
    }

    /// What a player has left: the time, and in byo-yomi the stones to play in it. `None` without a time limit.
    pub fn left(&self, color: Color) -> Option<(Duration, Option<u32>)> {
        self.left[color.index()].map(|r| (r.time, r.stones))
    }

    /// Subtracts the time of a move from a player's clock.
    pub fn spend(&mut self, color: Color, time: Duration) {
        if let Some(left) = self.left[color.index()] {
            self.left[color.index()] = Some(self.after_move(left, time + self.overhead));
        }
    }

    /// What is left after a move that took `time`. A player whose time has run out has 0 left, or a new period.
    fn after_move(&self, left: Remaining, time: Duration) -> Remaining {
        let period = self.with_byo_yomi().map(|control| control.period());
        match (left.stones, period) {
            (None, Some(period)) if time > left.time => {
                self.after_move(Remaining { is_guess: true, ..period }, time - left.time)
            }
            (Some(0 | 1), period) => Remaining { is_guess: left.is_guess, ..period.unwrap_or(left) },
            (stones, _) => {
                let stones = stones.map(|stones| stones - 1);
                Remaining { time: left.time.saturating_sub(time), stones, ..left }
            }
        }
    }

    /// How long to think about a player's next move when `empty` vertices are empty: at most what the player has left,
    /// less the overhead. Where the stones of a period are a guess, no move takes more than its share of a whole
    /// period, which is enough whenever the period began. `None` without a time limit.
    pub fn budget(&self, color: Color, empty: usize) -> Option<Duration> {
        let left = self.left[color.index()]?;
        let (share, most) = match left.stones {
            Some(stones) if left.is_guess => {
                let most = self.with_byo_yomi().map_or(left.time, |control| control.share());
                (left.time / stones.max(1), most)
            }
            Some(stones) => (left.time / stones.max(1), left.time),
            None => self.main_time_budget(left.time, empty),
        };
        Some(self.less_overhead(share.min(most)).max(LEAST))
    }

    /// How long the next move may take if the choice is close: up to twice the budget, but at most a third of what is
    /// left and need not be kept for messages. `None` if time saved on this move is of no use later: with one stone per
    /// period, where the stones of a period are a guess, or without a time limit.
    pub fn longest(&self, color: Color, empty: usize) -> Option<Duration> {
        let left = self.left[color.index()]?;
        if left.is_guess || left.stones == Some(1) {
            return None;
        }
        let budget = self.budget(color, empty)?;
        let spare = if left.stones.is_none() { left.time - self.kept(left.time, empty) } else { left.time };
        Some(budget.max((2 * budget).min(self.less_overhead(spare / 3))))
    }

    /// The part of main time that is kept for what the moves to come cost outside the search, if the players fill the
    /// board. At most three quarters of the time: with an increment, of which the clock is not told, more time comes. If
    /// byo-yomi follows, nothing need be kept.
    fn kept(&self, main: Duration, empty: usize) -> Duration {
        match self.with_byo_yomi() {
            None => ((self.overhead + LEAST) * (empty as u32).div_ceil(2)).min(main / 4 * 3),
            Some(_) => Duration::ZERO,
        }
    }

    /// The share of main time for the next move, and the most that the move may take. If byo-yomi follows, a move gets
    /// at least as much time as in byo-yomi.
    fn main_time_budget(&self, main: Duration, empty: usize) -> (Duration, Duration) {
        let moves = (empty as u32 / EMPTY_PER_MOVE).max(FEWEST_MOVES);
        match self.with_byo_yomi() {
            None => ((main - self.kept(main, empty)) / moves, main),
            Some(control) => ((main / moves).max(control.share()), main + control.byo_yomi),
        }
    }

    /// The time control, if it has byo-yomi.
    fn with_byo_yomi(&self) -> Option<TimeControl> {
        self.control.filter(TimeControl::has_byo_yomi)
    }

    /// Subtracts the overhead, or half of the time if that is less.
    fn less_overhead(&self, time: Duration) -> Duration {
        time - self.overhead.min(time / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(main: u64, byo_yomi: u64, stones: u32) -> Clock {
        let mut clock = Clock::default();
        clock.set_control(TimeControl { main: ms(main), byo_yomi: ms(byo_yomi), stones });
        clock
    }

    #[test]
    fn a_time_per_move_is_used_up_to_the_overhead() {
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
    fn close_choices_may_take_twice_the_budget_if_saved_time_is_kept() {
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

    /// The messages of each move take the overhead.
    #[test]
    fn time_is_left_for_the_messages_of_all_moves() {
        for (main, empty, overhead) in [(60_000, 169, 10), (300_000, 271, 10), (300_000, 271, 100), (60_000, 91, 100)] {
            let mut clock = clock(main, 0, 0);
            clock.set_overhead(ms(overhead));
            for move_number in 0..empty / 2 {
                let budget = clock.longest(White, empty - 2 * move_number).unwrap();
                let (left, _) = clock.left(White).unwrap();
                let is_late = move_number > empty * 2 / 5;
                assert!(is_late || budget + ms(overhead) < left, "move {move_number}: {budget:?} of {left:?}");
                clock.spend(White, budget);
            }
        }
    }

    #[test]
    fn byo_yomi_follows_main_time_and_starts_again_after_its_stones() {
        let mut clock = clock(1_000, 6_000, 3);
        clock.set_overhead(ms(0));
        assert_eq!(clock.budget(White, 60), Some(ms(2_000)));
        clock.spend(White, ms(2_000));
        assert_eq!(clock.left(White), Some((ms(5_000), Some(2))));
        clock.spend(White, ms(2_000));
        clock.spend(White, ms(100));
        assert_eq!(clock.left(White), Some((ms(6_000), Some(3))));
        clock.restart();
        assert_eq!(clock.left(White), Some((ms(1_000), None)));
    }

    #[test]
    fn time_saved_in_a_period_is_used_if_it_is_known_when_the_period_began() {
        let mut clock = clock(1_000, 6_000, 3);
        clock.set_overhead(ms(0));
        clock.spend(White, ms(2_000));
        assert_eq!((clock.budget(White, 60), clock.longest(White, 60)), (Some(ms(2_000)), None));
        clock.set_left(White, ms(5_000), 2);
        assert_eq!(clock.budget(White, 60), Some(ms(2_500)));
        clock.spend(White, ms(1_000));
        assert_eq!(clock.budget(White, 60), Some(ms(4_000)));
        clock.spend(White, ms(1_000));
        assert_eq!((clock.budget(White, 60), clock.longest(White, 60)), (Some(ms(2_000)), Some(ms(2_000))));
    }

    #[test]
    fn no_period_is_exceeded_though_moves_cost_less_beside_the_search_than_is_allowed_for() {
        for seed in 0..500 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (main, stones) = (rng.random_range(0..20_000), rng.random_range(1..=6));
            let byo_yomi = rng.random_range(60 * u64::from(stones)..8_000);
            let overhead = rng.random_range(0..30);
            let mut clock = clock(main, byo_yomi, stones);
            clock.set_overhead(ms(overhead));
            // The controller's clock: what is left of the main time or of the period, and the stones of the period.
            let (mut left, mut due) = if main == 0 { (ms(byo_yomi), stones) } else { (ms(main), 0) };
            for empty in (100..400).rev().step_by(2) {
                let budget = clock.budget(White, empty).unwrap();
                let most = clock.longest(White, empty).unwrap_or(budget);
                let thought = most.mul_f64(rng.random_range(0.0..=1.0f64).sqrt());
                clock.spend(White, thought);
                let mut taken = thought + ms(rng.random_range(0..=overhead));
                if due == 0 && taken > left {
                    taken -= left;
                    (left, due) = (ms(byo_yomi), stones);
                }
                assert!(taken <= left, "seed {seed}: {taken:?} of {left:?}, with {due} stones to play");
                left -= taken;
                if due == 1 {
                    (left, due) = (ms(byo_yomi), stones);
                } else {
                    due = due.saturating_sub(1);
                }
            }
        }
    }

    #[test]
    fn the_time_left_that_is_set_counts() {
        let mut clock = clock(60_000, 0, 0);
        clock.set_left(White, ms(500), 0);
        assert_eq!(clock.budget(White, 100), Some(Duration::from_micros(500_000 / 4 / 10 / 2)));
        assert_eq!(clock.budget(Black, 100), Some(ms((60_000 - 50 * 11) / 10 - 10)));
        clock.set_left(White, ms(500), 2);
        assert_eq!(clock.budget(White, 100), Some(ms(240)));
        let mut own = Clock::default();
        own.set_left(White, ms(6_000), 0);
        assert_eq!(
            (own.budget(White, 1), own.budget(Black, 1)),
            (Some(Duration::from_micros((6_000_000 - 11_000) / 5 - 10_000)), None)
        );
    }

    #[test]
    fn a_player_with_no_time_left_moves_at_once() {
        let mut clock = clock(100, 0, 0);
        clock.spend(White, ms(5_000));
        assert_eq!(clock.budget(White, 100), Some(LEAST));
        clock.set_left(White, ms(0), 3);
        assert_eq!(clock.budget(White, 100), Some(LEAST));
    }
}
