//! The playout horizon (paper, section 5): long playouts carry little information, so they are stopped and discarded.
//!
//! Every tree node has a horizon, the paper's *h*, in moves. A playout that goes on for more than *h* moves after the
//! node is stopped and discarded, and *h* is raised. If a playout ends in time it is used, and *h* is kept or lowered.

use crate::option_enum;

option_enum! {
    /// What happens to a node's horizon when a playout ends in time.
    pub enum HorizonSchedule {
        /// There is no horizon: playouts are never stopped.
        Off = "off",
        /// The horizon is kept.
        Keep = "keep",
        /// The horizon is lowered part of the way to the length of the playout.
        Lower = "lower",
        /// The horizon is lowered to the length of the playout ("even drastically", as the paper says).
        Drastic = "drastic",
    }
}

/// The rule by which the horizons of tree nodes are set, lowered and raised.
#[derive(Clone, Copy, Debug)]
pub struct Horizon {
    /// What happens to a horizon when a playout ends in time.
    pub schedule: HorizonSchedule,
    /// The horizon of a new node, as a share of its empty vertices, in \[0, 1\].
    pub start: f32,
    /// The part of the way to a playout's length by which [`HorizonSchedule::Lower`] lowers a horizon, in \[0, 1\].
    pub lower: f32,
    /// The share of itself by which a horizon rises after a discarded playout. It rises by at least one move.
    pub raise: f32,
}

impl Horizon {
    /// Whether playouts have a horizon at all.
    #[inline]
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.schedule != HorizonSchedule::Off
    }

    /// The horizon of a new node with `empty` empty vertices, in moves; `empty` if horizons are off.
    #[must_use]
    pub fn initial(&self, empty: usize) -> u32 {
        let share = if self.is_on() { self.start } else { 1.0 };
        (share * empty as f32).ceil() as u32
    }

    /// The new horizon of a node, in moves, after a playout that ended in time, `length` moves after the node.
    #[must_use]
    pub fn after(&self, horizon: u32, length: u32) -> u32 {
        let gap = horizon.saturating_sub(length);
        match self.schedule {
            HorizonSchedule::Off | HorizonSchedule::Keep => horizon,
            HorizonSchedule::Lower => horizon - (self.lower * gap as f32).ceil() as u32,
            HorizonSchedule::Drastic => horizon - gap,
        }
    }

    /// The new horizon of a node with `empty` empty vertices after a discarded playout, in moves. It is at most
    /// `empty`, which no playout exceeds.
    #[must_use]
    pub fn raised(&self, horizon: u32, empty: u32) -> u32 {
        let step = (self.raise * horizon as f32) as u32;
        (horizon + step.max(1)).min(empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn horizon(schedule: HorizonSchedule) -> Horizon {
        Horizon { schedule, start: 0.5, lower: 0.25, raise: 0.1 }
    }

    #[test]
    fn a_playout_that_ends_in_time_keeps_or_lowers_the_horizon() {
        let after = |schedule| [60, 59, 20].map(|length| horizon(schedule).after(60, length));
        assert_eq!(after(HorizonSchedule::Keep), [60, 60, 60]);
        assert_eq!(after(HorizonSchedule::Lower), [60, 59, 50]);
        assert_eq!(after(HorizonSchedule::Drastic), [60, 59, 20]);
    }

    #[test]
    fn discarded_playouts_raise_the_horizon_until_every_playout_ends_in_time() {
        for schedule in [HorizonSchedule::Keep, HorizonSchedule::Lower, HorizonSchedule::Drastic] {
            let horizon = horizon(schedule);
            assert_eq!([0, 5, 100, 119].map(|h| horizon.raised(h, 120)), [1, 6, 110, 120]);
            assert_eq!(horizon.initial(120), 60);
        }
        assert_eq!(horizon(HorizonSchedule::Off).initial(120), 120);
    }
}
