//! What is seen of a move before any playout: a handful of local features, each of which has a learned weight.

use std::sync::OnceLock;

use crate::board::{Cell, Color, Joined, Position, Vertex};

/// The features of a move: indices of weights, one of each group.
pub type Features = [u16; GROUPS.len()];

/// The groups of features, with how many features each has.
pub const GROUPS: [(&str, usize); 8] = [
    ("neighbourhood", NEIGHBOURHOODS),
    ("distance to the opponent's last stone", DISTANCES),
    ("distance to the own last stone", DISTANCES),
    ("answer to an intrusion into a two-bridge", 2),
    ("corners and sides of the own chain joined", RIMS),
    ("corners and sides of the opponent's chain parted", RIMS),
    ("distance to the rim", RIM_DISTANCES),
    ("two-bridges to own and opposing stones", BRIDGES),
];

/// The number of features of all groups.
pub const FEATURES: usize = {
    let (mut sum, mut i) = (0, 0);
    while i < GROUPS.len() {
        sum += GROUPS[i].1;
        i += 1;
    }
    sum
};

/// Classes of the six neighbours, each empty, own, the opponent's or off the board, under rotation and reflection.
const NEIGHBOURHOODS: usize = 430;
const DISTANCES: usize = 6;
const RIMS: usize = 24;
const RIM_DISTANCES: usize = 6;
const BRIDGES: usize = 16;

/// A position as one player sees it, ready to tell the features of moves.
pub struct Viewer<'a> {
    position: &'a Position,
    color: Color,
    opponent_last: Option<Vertex>,
    own_last: Option<Vertex>,
    answers: u8,
}

impl<'a> Viewer<'a> {
    /// `position` as `color`, who is to move, sees it after the last stones of both.
    pub fn new(
        position: &'a Position,
        color: Color,
        opponent_last: Option<Vertex>,
        own_last: Option<Vertex>,
    ) -> Viewer<'a> {
        let answers = opponent_last.map_or(0, |v| position.bridge_answers(color, v));
        Viewer { position, color, opponent_last, own_last, answers }
    }

    /// The features of the empty vertex `v`.
    pub fn features(&self, v: Vertex) -> Features {
        self.features_joining(v, [self.color, !self.color].map(|color| self.position.joined(color, v)))
    }

    /// As [`Viewer::features`], with the chains that a stone on `v` would make for the player and for the opponent.
    #[inline]
    pub(crate) fn features_joining(&self, v: Vertex, [own, opposing]: [Joined; 2]) -> Features {
        let geometry = self.position.geometry();
        let cell = geometry.cell(v);
        let near = |last: Option<Vertex>| last.map_or(0, |last| geometry.nearness(last, v) as usize);
        let values = [
            neighbourhood_class(self.position, cell, self.color),
            near(self.opponent_last),
            near(self.own_last),
            self.answers(cell) as usize,
            rim_class(own),
            rim_class(opposing),
            if geometry.is_corner(v) { RIM_DISTANCES - 1 } else { geometry.rim_distance(v).min(RIM_DISTANCES - 2) },
            self.bridges(cell),
        ];
        let mut features = [0; GROUPS.len()];
        let mut base = 0;
        for (i, value) in values.into_iter().enumerate() {
            debug_assert!(value < GROUPS[i].1, "{}: {value}", GROUPS[i].0);
            features[i] = (base + value) as u16;
            base += GROUPS[i].1;
        }
        features
    }

    fn answers(&self, cell: Cell) -> bool {
        let Some(last) = self.opponent_last.filter(|_| self.answers != 0) else { return false };
        let geometry = self.position.geometry();
        let from = geometry.cell(last);
        (0..6).any(|d| self.answers >> d & 1 == 1 && from.step(geometry.offsets()[d]) == cell)
    }

    /// How many own and opposing stones stand a two-bridge away, with both vertices between empty.
    fn bridges(&self, cell: Cell) -> usize {
        let geometry = self.position.geometry();
        let (here, offsets) = (self.position.neighbourhood(cell), geometry.offsets());
        let empty = !(here.around(self.color) | here.around(!self.color) | geometry.off_board(cell)) & 63;
        let mut pairs = empty & (empty >> 1 | empty << 5);
        let mut counts = [0usize; 2];
        while pairs != 0 {
            let d = pairs.trailing_zeros() as usize;
            let there = self.position.neighbourhood(cell.step(offsets[d]).step(offsets[(d + 1) % 6]));
            counts[0] += there.holds(self.color) as usize;
            counts[1] += there.holds(!self.color) as usize;
            pairs &= pairs - 1;
        }
        counts[0].min(3) * 4 + counts[1].min(3)
    }
}

/// Whether a chain holds a corner, how many sides (none, one, more), and how many more of both than one of its parts.
fn rim_class(joined: Joined) -> usize {
    let corners = (joined.rim & 0x3f).count_ones().min(1) as usize;
    let sides = (joined.rim >> 6).count_ones().min(2) as usize;
    let gain = (joined.rim.count_ones() as usize - joined.most as usize).min(3);
    (corners * 3 + sides) * 4 + gain
}

/// The class of the neighbours of a cell, as `color` sees them.
fn neighbourhood_class(position: &Position, cell: Cell, color: Color) -> usize {
    let here = position.neighbourhood(cell);
    let off = position.geometry().off_board(cell);
    let code = here.around(color) | here.around(!color) << 6;
    // A neighbour off the board counts as both colours' at once: the fourth state of two bits.
    classes()[code | off | off << 6] as usize
}

/// For each of the 4⁶ codes its class.
fn classes() -> &'static [u16; 4096] {
    static CLASSES: OnceLock<Box<[u16; 4096]>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let rotate = |x: usize| (x << 1 | x >> 5) & 63;
        let reflect = |x: usize| (0..6).map(|d| (x >> d & 1) << (5 - d)).sum::<usize>();
        let image = |code: usize, f: &dyn Fn(usize) -> usize| f(code & 63) | f(code >> 6) << 6;
        let smallest = |code: usize| {
            let mut best = code;
            for start in [code, image(code, &reflect)] {
                let mut turned = start;
                for _ in 0..6 {
                    turned = image(turned, &rotate);
                    best = best.min(turned);
                }
            }
            best
        };
        let mut table = Box::new([u16::MAX; 4096]);
        let mut count = 0;
        for code in 0..4096 {
            let least = smallest(code);
            if table[least] == u16::MAX {
                table[least] = count;
                count += 1;
            }
            table[code] = table[least];
        }
        assert_eq!(count as usize, NEIGHBOURHOODS);
        table
    })
}
