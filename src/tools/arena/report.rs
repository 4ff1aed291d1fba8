//! The report on a match, as a table or as JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

use crate::game::Color;

use super::ratings::{Rating, connected_groups, ratings};
use super::statistics::{Decision, Estimate, Pentanomial, Results, Sprt};
use super::tally::{BY_FAULT, EngineTally, PairingTally, Tally};

/// The report on a match. Its JSON form has the same fields; infinite and undefined numbers are `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatchReport {
    /// A description of the match.
    pub title: String,
    /// The number of finished games.
    pub games: u64,
    /// The number of planned games, if known.
    pub planned: Option<usize>,
    /// Whether the match was interrupted.
    pub interrupted: bool,
    /// White's results.
    pub white: Results,
    /// The mean number of stones on the board at the end of a game.
    pub mean_length: f64,
    /// The number of games by how they ended: structures, `full board`, `resign`, `solved`, or a kind of fault.
    pub endings: BTreeMap<String, u64>,
    /// Whether any game began with an opening.
    pub has_openings: bool,
    /// When the first and the last game began, in UTC, such as `2026-11-27T04:05:06Z`.
    pub dates: Option<[String; 2]>,
    /// The names of the machines that played.
    pub hosts: Vec<String>,
    /// The engines, in the order in which they were named.
    pub engines: Vec<EngineReport>,
    /// The strength of all engines on one scale, the best first.
    pub ratings: Vec<Rating>,
    /// The names of the engines, in groups that have met, if only through others. Ratings of different groups cannot be
    /// compared.
    pub groups: Vec<Vec<String>>,
    /// Every pairing of engines.
    pub pairings: Vec<PairingReport>,
    /// The sequential test, if there was one.
    pub sprt: Option<SprtReport>,
}

/// The report on one engine. Its strength is relative to all its opponents together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EngineReport {
    /// The engine's name.
    pub name: String,
    /// The results of all its games.
    pub results: Results,
    /// Its points: one per win, half a point per draw.
    pub points: f64,
    /// Its results as white.
    pub as_white: Results,
    /// Its results as black.
    pub as_black: Results,
    /// The number of pairs of games in which it scored 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
    /// The estimate of its strength from complete pairs, if there are any.
    pub estimate: Option<Estimate>,
    /// Its wins, by how it won.
    pub wins_by: BTreeMap<String, u64>,
    /// Its faults, by kind.
    pub faults: BTreeMap<String, u64>,
    /// The number of its answers to `genmove`.
    pub moves: u64,
    /// The mean time of an answer, in seconds.
    pub mean_seconds: f64,
    /// The longest time of an answer, in seconds.
    pub worst_seconds: f64,
    /// The programs that played under its name, as they answer `name` and `version`.
    pub programs: Vec<String>,
}

/// The report on one pairing, from the first engine's point of view.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairingReport {
    /// The names of the engines.
    pub engines: [String; 2],
    /// The results of the games.
    pub results: Results,
    /// The number of pairs of games in which the first engine scored 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
    /// The number of openings of these pairs, or, for games from the empty board, of pairs that are not repetitions.
    /// The estimate counts each once.
    pub openings: u64,
    /// The estimate from complete pairs, if there are any.
    pub estimate: Option<Estimate>,
}

/// The report on a sequential test.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SprtReport {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The test accepts H0 if the ratio is at or below this bound.
    pub lower: f64,
    /// The test accepts H1 if the ratio is at or above this bound.
    pub upper: f64,
    /// The verdict of the test.
    pub decision: Decision,
}

impl SprtReport {
    /// Applies a test to the first pairing of a match.
    pub fn new(test: Sprt, tally: &Tally) -> SprtReport {
        let (lower, upper) = test.bounds();
        let first = tally.pairings.first().map(|pairing| &pairing.pairs);
        let (llr, decision) = first.map_or((0.0, Decision::Undecided), |pairs| (test.llr(pairs), test.decide(pairs)));
        SprtReport { test, llr, lower, upper, decision }
    }
}

impl MatchReport {
    /// Creates the report from the counts of a match.
    pub fn new(
        title: String,
        tally: &Tally,
        planned: Option<usize>,
        interrupted: bool,
        sprt: Option<Sprt>,
    ) -> MatchReport {
        let names = |pairing: &PairingTally| pairing.engines.map(|i| tally.engines[i].name.clone());
        let pairings = tally.pairings.iter().map(|pairing| PairingReport {
            engines: names(pairing),
            results: pairing.results,
            pentanomial: pairing.pairs.pairs(),
            openings: pairing.pairs.units(),
            estimate: Estimate::new(&pairing.pairs),
        });
        MatchReport {
            title,
            games: tally.games,
            planned,
            interrupted,
            white: tally.white,
            mean_length: tally.stones as f64 / tally.games.max(1) as f64,
            endings: tally.endings.clone(),
            has_openings: tally.has_openings,
            dates: tally.dates.clone(),
            hosts: tally.hosts.iter().cloned().collect(),
            engines: tally.engines.iter().map(EngineReport::new).collect(),
            ratings: ratings(tally),
            groups: connected_groups(tally),
            pairings: pairings.collect(),
            sprt: sprt.map(|test| SprtReport::new(test, tally)),
        }
    }
}

impl EngineReport {
    fn new(engine: &EngineTally) -> EngineReport {
        EngineReport {
            name: engine.name.clone(),
            results: engine.results(),
            points: engine.results().points(),
            as_white: engine.by_color[Color::White.index()],
            as_black: engine.by_color[Color::Black.index()],
            pentanomial: engine.pairs.pairs(),
            estimate: Estimate::new(&engine.pairs),
            wins_by: engine.wins_by.clone(),
            faults: engine.faults.iter().map(|(kind, &count)| (kind.to_string(), count)).collect(),
            moves: engine.moves,
            mean_seconds: engine.total_seconds / engine.moves.max(1) as f64,
            worst_seconds: engine.worst_seconds,
            programs: engine.programs.iter().cloned().collect(),
        }
    }

    /// The number of wins with a structure. A stone that completes several structures counts for each.
    fn wins_with(&self, structure: &str) -> u64 {
        self.wins_by.iter().filter(|(by, _)| by.split('+').any(|name| name == structure)).map(|(_, count)| count).sum()
    }

    /// Its row in the table of results.
    fn results_row(&self) -> Vec<String> {
        let share = 100.0 * self.points / self.results.games().max(1) as f64;
        vec![
            self.name.clone(),
            self.results.games().to_string(),
            format!("{:.1}", self.points),
            format!("{share:.1} %"),
            self.estimate.as_ref().map_or("-".into(), elo_and_interval),
            show(self.as_white),
            show(self.as_black),
        ]
    }

    /// Its row in the table of wins, faults and times.
    fn play_row(&self) -> Vec<String> {
        let wins = |by: &str| self.wins_by.get(by).copied().unwrap_or(0).to_string();
        let mut row = vec![self.name.clone()];
        row.extend(["bridge", "fork", "ring"].map(|structure| self.wins_with(structure).to_string()));
        row.extend([wins("resign"), wins(BY_FAULT), self.faults.values().sum::<u64>().to_string()]);
        row.extend([self.mean_seconds, self.worst_seconds].map(show_time));
        row
    }
}

/// Formats results as wins-draws-losses.
fn show(results: Results) -> String {
    format!("{}-{}-{}", results.wins, results.draws, results.losses)
}

/// Formats a time in a suitable unit.
fn show_time(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Formats an Elo difference with a sign and one decimal, or as `+inf` or `-inf`.
fn show_elo(elo: f64) -> String {
    if elo.is_finite() { format!("{elo:+.1}") } else { if elo > 0.0 { "+inf" } else { "-inf" }.into() }
}

fn elo_and_interval(estimate: &Estimate) -> String {
    format!("{} [{}, {}]", show_elo(estimate.elo), show_elo(estimate.elo_low), show_elo(estimate.elo_high))
}

/// Formats an Elo difference as `+12.3 ± 4.5`, or with its interval if one end of that is infinite.
pub fn elo_and_error(estimate: &Estimate) -> String {
    if estimate.elo.is_finite() && estimate.elo_error().is_finite() {
        format!("{} ± {:.1}", show_elo(estimate.elo), estimate.elo_error())
    } else {
        elo_and_interval(estimate)
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let planned = self.planned.map(|planned| format!(" of {planned}")).unwrap_or_default();
        let interrupted = if self.interrupted { ", interrupted" } else { "" };
        writeln!(f, "{}{planned} games{interrupted}\n", self.games)?;
        self.tables().iter().try_for_each(|table| writeln!(f, "{table}"))?;
        self.sentences().iter().try_for_each(|sentence| writeln!(f, "{sentence}"))
    }
}

impl MatchReport {
    /// The tables of ratings (of more than two engines), of results, of pairings, and of wins, faults and times. None
    /// before the first game.
    pub fn tables(&self) -> Vec<Table> {
        if self.games == 0 {
            return vec![];
        }
        let ranking = self.ranking();
        let results = ranking.iter().map(|engine| engine.results_row()).collect();
        let play = ranking.iter().map(|engine| engine.play_row()).collect();
        let pairings = self.pairings.iter().map(PairingReport::row).collect();
        let mut tables = vec![
            Table::new(&RESULTS_HEADER, results),
            Table::new(&PAIRING_HEADER, pairings),
            Table::new(&PLAY_HEADER, play),
        ];
        if self.engines.len() > 2 {
            let rows = self.ratings.iter().map(|rating| {
                vec![
                    rating.name.clone(),
                    show_elo(rating.elo),
                    format!("{:.1}", rating.error),
                    rating.games.to_string(),
                ]
            });
            tables.insert(0, Table::new(&RATINGS_HEADER, rows.collect()));
        }
        tables
    }

    /// What the tables do not say: White's score, how games ended, faults, the sequential test, and where the games
    /// come from.
    pub fn sentences(&self) -> Vec<String> {
        if self.games == 0 {
            return vec![];
        }
        let white = 100.0 * self.white.points() / self.games as f64;
        let mut sentences = vec![
            format!("White scored {white:.1} % ({}). Mean length {:.1} stones.", show(self.white), self.mean_length),
            format!("Games ended by {}.", counts(&self.endings)),
        ];
        if !self.has_openings {
            sentences.push(WITHOUT_OPENINGS.into());
        }
        sentences.extend(self.pairings.iter().filter_map(|pairing| pairing.repetitions(self.has_openings)));
        sentences.extend((self.groups.len() > 1).then(|| {
            let groups: Vec<String> = self.groups.iter().map(|group| group.join(", ")).collect();
            format!("Ratings cannot be compared between these groups, which have not met: {}.", groups.join("; "))
        }));
        let faulty = self.engines.iter().filter(|engine| !engine.faults.is_empty());
        sentences.extend(faulty.map(|engine| format!("Faults of {}: {}.", engine.name, counts(&engine.faults))));
        sentences.extend(self.sprt.as_ref().map(SprtReport::to_string));
        sentences.extend(self.provenance());
        sentences
    }

    /// When, where and by which programs the games were played, as far as that is known.
    fn provenance(&self) -> Vec<String> {
        /// More machines than this are counted.
        const NAMED_HOSTS: usize = 4;
        let mut sentences = Vec::new();
        if let Some([first, last]) = &self.dates {
            let on = match self.hosts.len() {
                0 => String::new(),
                1..=NAMED_HOSTS => format!(", on {}", self.hosts.join(", ")),
                many => format!(", on {many} machines"),
            };
            sentences.push(format!("The first game began at {first}, the last at {last}{on}."));
        }
        let known = self.engines.iter().filter(|engine| !engine.programs.is_empty());
        let programs: Vec<String> =
            known.map(|engine| format!("{} is {}", engine.name, engine.programs.join(" or "))).collect();
        sentences.extend((!programs.is_empty()).then(|| format!("{}.", programs.join(", "))));
        sentences
    }

    /// The engines in the order of the table: two engines as they were named, more by score.
    fn ranking(&self) -> Vec<&EngineReport> {
        let mut engines: Vec<&EngineReport> = self.engines.iter().collect();
        if engines.len() > 2 {
            let score = |engine: &EngineReport| engine.points / engine.results.games().max(1) as f64;
            engines.sort_by(|a, b| score(b).total_cmp(&score(a)));
        }
        engines
    }
}

impl PairingReport {
    /// What the estimate is made from, if that is not the pairs.
    fn repetitions(&self, has_openings: bool) -> Option<String> {
        let engines = self.engines.join(" - ");
        let pairs = self.pentanomial.pairs();
        let openings = self.openings;
        let from = if has_openings { "openings" } else { "different pairs of games" };
        let what = if has_openings { "count each of these once" } else { "are those of so many pairs" };
        (openings < pairs).then(|| format!("{engines}: {pairs} pairs, {openings} {from}; the interval and LOS {what}."))
    }

    /// Its row in the table of pairings.
    fn row(&self) -> Vec<String> {
        let estimate = self.estimate.as_ref();
        let normalized = estimate.filter(|estimate| estimate.normalized_elo.is_finite());
        vec![
            self.engines.join(" - "),
            show(self.results),
            format!("{:?}", self.pentanomial.0),
            estimate.map_or("-".into(), elo_and_interval),
            normalized.map_or("-".into(), |estimate| format!("{:.1}", estimate.normalized_elo)),
            estimate.map_or("-".into(), |estimate| format!("{:.2} %", 100.0 * estimate.los)),
        ]
    }
}

impl fmt::Display for SprtReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = match self.decision {
            Decision::Undecided => "undecided",
            Decision::H0 => "H0 accepted",
            Decision::H1 => "H1 accepted",
        };
        write!(
            f,
            "SPRT of Elo {} against {} (α {}, β {}): LLR {:.2} in ({:.2}, {:.2}), {decision}.",
            self.test.elo0, self.test.elo1, self.test.alpha, self.test.beta, self.llr, self.lower, self.upper
        )
    }
}

const WITHOUT_OPENINGS: &str = "\
No openings: every game began on the empty board, and a pair is two successive games with colours exchanged.";

const RATINGS_HEADER: [&str; 4] = ["rating", "Elo", "± (95 %)", "games"];
const RESULTS_HEADER: [&str; 7] = ["engine", "games", "points", "score", "Elo [95 %]", "as white", "as black"];
const PLAY_HEADER: [&str; 9] =
    ["wins by", "bridge", "fork", "ring", "resign", "fault", "own faults", "mean move", "worst move"];
const PAIRING_HEADER: [&str; 6] =
    ["pairing", "W-D-L", "pairs with 0, ½, 1, 1½, 2 points", "Elo [95 %]", "normalized Elo", "LOS"];

/// Formats counts, the largest first.
fn counts(counts: &BTreeMap<String, u64>) -> String {
    let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
    counts.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// A table of a report. Each row has as many cells as the header. The first column is aligned to the left and the
/// others to the right.
#[derive(Debug)]
pub struct Table {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new(header: &[&str], rows: Vec<Vec<String>>) -> Table {
        Table { header: header.iter().map(|&name| name.into()).collect(), rows }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || [&self.header].into_iter().chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        for row in all() {
            let mut line = format!("{:<1$}", row[0], widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(line, "  {cell:>width$}");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
