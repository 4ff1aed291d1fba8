//! The records of a match (`games.jsonl`): whatever they contain, they are counted, reported and shown on a page, and
//! reading what was written gives the same records.

use malecon::base::lines::parse;
use malecon::tools::arena::page::page;
use malecon::tools::arena::record::GameRecord;
use malecon::tools::arena::report::MatchReport;
use malecon::tools::arena::tally::Tally;

/// The input is the file.
pub fn check(input: &[u8]) {
    let games = match parse::<GameRecord>(input) {
        Ok(games) => games,
        Err(error) => return assert!(!error.reason.is_empty() && !error.reason.contains('\n'), "{error:?}"),
    };
    let mut tally = Tally::default();
    for game in &games {
        tally.add(game);
        _ = game.sgf();
    }
    assert_eq!(tally.games as usize, games.len());
    let report = MatchReport::new("a match".into(), &tally, None, false, None);
    assert!(!report.to_string().is_empty() && serde_json::to_string(&report).is_ok());
    assert!(page(&report, &games, &[], false).ends_with("</html>\n"));
    let lines: String = games.iter().map(|game| serde_json::to_string(game).unwrap() + "\n").collect();
    assert!(parse::<GameRecord>(lines.as_bytes()).unwrap() == games, "{lines}");
}
