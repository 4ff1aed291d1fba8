//! The playout horizon (paper, section 5): long playouts are unimportant, so they are stopped and discarded.
//!
//! Every node of the tree has a horizon *h*. A playout that has not ended *h* moves after the node is stopped and leaves
//! no trace but a raised horizon; one that ends in time is used, and the horizon is kept or lowered.

use crate::option_enum;

option_enum! {
    /// What becomes of the horizon when a playout has ended in time.
    pub enum Schedule {
        /// There is no horizon.
        Off = "off",
        /// It is kept.
        Keep = "keep",
        /// It is lowered by a part of the way to the playout's length.
        Lower = "lower",
        /// It is lowered to the playout's length.
        Drastic = "drastic",
    }
}

/// How horizons begin, fall and rise.
#[derive(Clone, Copy, Debug)]
pub struct Horizon {
    /// What becomes of a horizon when a playout has ended in time.
    pub schedule: Schedule,
    /// The horizon of a new node, as a share of its empty vertices.
    pub start: f32,
    /// The part of the way by which [`Schedule::Lower`] lowers it.
    pub lower: f32,
    /// When a playout has been discarded, the horizon rises by this share of itself, and by one move at least.
    pub raise: f32,
}

impl Horizon {
    /// Whether there is a horizon at all.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.schedule != Schedule::Off
    }

    /// The horizon of a new node with so many empty vertices, all of them where there is no horizon.
    pub fn initial(&self, empty: usize) -> u32 {
        let share = if self.is_on() { self.start } else { 1.0 };
        (share * empty as f32).ceil() as u32
    }

    /// The horizon after a playout that ended so many moves after the node, not more than the horizon.
    pub fn after(&self, horizon: u32, length: u32) -> u32 {
        let gap = horizon.saturating_sub(length);
        match self.schedule {
            Schedule::Off | Schedule::Keep => horizon,
            Schedule::Lower => horizon - (self.lower * gap as f32).ceil() as u32,
            Schedule::Drastic => horizon - gap,
        }
    }

    /// The horizon after a playout was discarded, at a node with so many empty vertices, which are enough for any.
    pub fn raised(&self, horizon: u32, empty: u32) -> u32 {
        let step = (self.raise * horizon as f32) as u32;
        (horizon + step.max(1)).min(empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn horizon(schedule: Schedule) -> Horizon {
        Horizon { schedule, start: 0.5, lower: 0.25, raise: 0.1 }
    }

    #[test]
    fn a_playout_in_time_keeps_or_lowers_the_horizon_as_the_schedule_says() {
        let after = |schedule| [60, 59, 20].map(|length| horizon(schedule).after(60, length));
        assert_eq!(after(Schedule::Keep), [60, 60, 60]);
        assert_eq!(after(Schedule::Lower), [60, 59, 50]);
        assert_eq!(after(Schedule::Drastic), [60, 59, 20]);
    }

    #[test]
    fn discarding_raises_the_horizon_until_every_playout_ends_in_time() {
        for schedule in [Schedule::Keep, Schedule::Lower, Schedule::Drastic] {
            let horizon = horizon(schedule);
            assert_eq!([0, 5, 100, 119].map(|h| horizon.raised(h, 120)), [1, 6, 110, 120]);
            assert_eq!(horizon.initial(120), 60);
        }
        assert_eq!(horizon(Schedule::Off).initial(120), 120);
    }
}
