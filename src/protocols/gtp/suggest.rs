//! "Did you mean": the known name that an unknown one probably stands for.

/// Longer words are not compared: nobody means a command by them, and the time to compare grows with the length.
const LONGEST_WORD: usize = 40;

/// The candidate nearest to `name`, if it is near enough for a typing error: at most a third of the letters wrong,
/// missing, added or exchanged with their neighbour; or else the only candidate that begins with `name`.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if name.chars().nth(LONGEST_WORD).is_some() {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let near = |candidate: &&str| strsim::damerau_levenshtein(&name, candidate);
    let most = name.chars().count().max(3) / 3;
    let best = candidates.clone().min_by_key(near).filter(|c| near(c) <= most);
    best.or_else(|| {
        let mut longer = candidates.filter(|c| name.len() >= 3 && c.starts_with(&name));
        longer.next().filter(|_| longer.next().is_none())
    })
}

/// `, did you mean NEAR?`, or nothing.
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(", did you mean {near}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_understood_and_other_words_are_not() {
        let names = ["genmove", "showboard", "set_option", "list_options", "list_commands"];
        let meant = |name| nearest(name, names.into_iter());
        assert_eq!(meant("genmvoe"), Some("genmove"));
        assert_eq!(meant("GENMOVE"), Some("genmove"));
        assert_eq!(meant("show"), Some("showboard"));
        assert_eq!(meant("setoption"), Some("set_option"));
        assert_eq!(meant("list"), None);
        assert_eq!(meant("é"), None);
        assert_eq!(did_you_mean(meant("genmov")), ", did you mean genmove?");
        assert_eq!(did_you_mean(meant("frisbee")), "");
    }

    #[test]
    fn long_words_are_not_compared() {
        let word = "list_command".repeat(100_000);
        assert_eq!(nearest(&word, ["list_commands"].into_iter()), None);
    }
}
