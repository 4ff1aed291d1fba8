//! The options that only the protocol has; those of the session and the search stand beside them.

use super::dialect::Dialect;
use crate::options;

options! {
    /// The options of the protocol.
    pub struct Options {
        gui: Dialect = Dialect::HavannahGui, in (), "the program at the other end: vertex names, meaning of boardsize, answers after the end";
        live_gfx: bool = false, in (), "draw the running search on stderr in GoGui's live graphics";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{search, session};
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_for_two_options() {
        let all = [Options::default().list(), session::Options::default().list(), search::Options::default().list()];
        let all = all.concat();
        assert_eq!(all.iter().map(|option| option.name).collect::<BTreeSet<_>>().len(), all.len());
    }
}
