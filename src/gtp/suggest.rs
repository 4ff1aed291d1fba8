//! What was probably meant by a name that does not exist.

/// The candidate nearest to `name`, if it is near enough to be a slip of the finger: a third of the letters wrong,
/// missing, too many or exchanged with their neighbour, or the beginning of exactly one candidate.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let near = |candidate: &&str| strsim::damerau_levenshtein(&name, candidate);
    let most = name.chars().count().max(3) / 3;
    let best = candidates.clone().min_by_key(near).filter(|c| near(c) <= most);
    best.or_else(|| {
        let mut begun = candidates.filter(|c| name.len() >= 3 && c.starts_with(&name));
        begun.next().filter(|_| begun.next().is_none())
    })
}

/// `, did you mean this?`, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!(", did you mean {near}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_other_words_are_not() {
        let names = ["genmove", "showboard", "set_option", "list_options", "list_commands"];
        let meant = |name| nearest(name, names.into_iter());
        assert_eq!(meant("genmvoe"), Some("genmove"));
        assert_eq!(meant("GENMOVE"), Some("genmove"));
        assert_eq!(meant("show"), Some("showboard"));
        assert_eq!(meant("setoption"), Some("set_option"));
        assert_eq!(meant("list"), None);
        assert_eq!(meant("é"), None);
        assert_eq!(did_you_mean("genmov", names.into_iter()), ", did you mean genmove?");
        assert_eq!(did_you_mean("frisbee", names.into_iter()), "");
    }
}
