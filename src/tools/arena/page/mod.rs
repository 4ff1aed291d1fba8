//! A match as a page of its own: the strength over the games, the sequential test, the tables of the report, the time
//! that each engine took, and all games to step through. While the match runs, the page reloads itself.

mod chart;

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::base::html::{data, document, escaped};
use crate::game::{Color, Game, Geometry, Notation, Picture};

use super::record::GameRecord;
use super::report::{MatchReport, SprtReport};
use super::statistics::Estimate;
use super::tally::Tally;

use chart::{Chart, Curve};

const SCRIPT: &str = include_str!("page.js");

/// The most points of a curve over the games.
const POINTS: usize = 400;

/// The page of a match: its report, and the games in the order in which they ended. After each of these numbers of games
/// (`ends`), a run of the match ended: games of two runs form no pairs. `is_running` says that more games will follow.
///
/// # Panics
/// If a game is on a board that does not exist.
pub fn page(report: &MatchReport, games: &[GameRecord], ends: &[usize], is_running: bool) -> String {
    let state = match (report.planned, is_running) {
        (Some(planned), true) => format!("{} of {planned} games. The page shows new games by itself.", report.games),
        (Some(planned), false) if report.games < planned as u64 => format!("{} of {planned} games.", report.games),
        _ => format!("{} games.", report.games),
    };
    let names: Vec<&str> = report.engines.iter().map(|engine| engine.name.as_str()).collect();
    let body = format!(
        "<h1>{heading}</h1>\n<p>{title}. {state}</p>\n{tables}{strength}{times}{viewer}\
         <footer>Refereed by Malecon {version}.</footer>\n{data}",
        heading = escaped(&names.join(" – ")),
        title = escaped(&report.title),
        tables = tables(report),
        strength = strength(report, games, ends),
        times = times(&names, games),
        viewer = viewer(games),
        version = env!("CARGO_PKG_VERSION"),
        data = data("match", &json!({ "running": is_running, "boards": boards(games), "games": list(games) })),
    );
    document(&names.join(" – "), &body, SCRIPT)
}

/// The report's tables and sentences.
fn tables(report: &MatchReport) -> String {
    let mut html = String::new();
    for table in report.tables() {
        let row = |cells: &[String], element: &str| {
            let cells: String = cells.iter().map(|cell| format!("<{element}>{}</{element}>", escaped(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = table.rows.iter().map(|cells| row(cells, "td")).collect();
        html += &format!("<div class=\"wide\"><table>\n{}{rows}</table></div>\n", row(&table.header, "th"));
    }
    let sentences: String = report.sentences().iter().map(|words| format!("{}<br>\n", escaped(words))).collect();
    html + &format!("<p>{sentences}</p>\n")
}

/// The strength over the games, and the path of the sequential test. With more than two engines there is a curve for
/// each, against all its opponents together.
fn strength(report: &MatchReport, games: &[GameRecord], ends: &[usize]) -> String {
    let curve = |name: String| Curve { name, points: Vec::new(), band: Vec::new() };
    let mut curves: Vec<Curve> = report.engines.iter().map(|engine| curve(engine.name.clone())).collect();
    if curves.len() == 2 {
        curves.pop();
    }
    let mut ratio = curve("log-likelihood ratio".into());
    let mut tally = Tally::new(report.engines.iter().map(|engine| engine.name.as_str()));
    let test = report.sprt.as_ref().map(|sprt| sprt.test);
    let every = games.len().div_ceil(POINTS).max(1);
    for (number, game) in (1..).zip(games) {
        tally.add(game);
        if number % every == 0 || number == games.len() {
            note_strength(&mut curves, &tally, number as f64);
            ratio.points.extend(test.map(|test| [number as f64, SprtReport::new(test, &tally).llr]));
        }
        if ends.contains(&number) {
            tally.end_run();
        }
    }
    let opponent = match &report.engines[..] {
        [_, second] => format!("Elo against {}, with the 95 % interval", second.name),
        _ => "Elo against all opponents together".to_owned(),
    };
    let across = "finished games";
    let elo = Chart { title: &opponent, across, curves, levels: vec![], least: [-20.0, 20.0], show: signed };
    let Some(sprt) = &report.sprt else { return elo.section() };
    let title = format!("Sequential test of Elo {} against {}", sprt.test.elo0, sprt.test.elo1);
    let [rejected, accepted] = [sprt.test.elo0, sprt.test.elo1].map(|elo| format!("Elo {elo} is accepted"));
    let levels = vec![(sprt.lower, rejected.as_str()), (sprt.upper, accepted.as_str())];
    let test = Chart { title: &title, across, curves: vec![ratio], levels, least: [0.0; 2], show: signed };
    elo.section() + &test.section()
}

fn signed(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:+}") }
}

fn note_strength(curves: &mut [Curve], tally: &Tally, number: f64) {
    let has_band = curves.len() == 1;
    for (curve, engine) in curves.iter_mut().zip(&tally.engines) {
        // Before the first complete pair there is nothing to draw.
        if let Some(estimate) = Estimate::new(&engine.pairs) {
            curve.points.push([number, estimate.elo]);
            curve.band.extend(has_band.then_some([estimate.elo_low, estimate.elo_high]));
        }
    }
}

/// The mean time of each engine's moves, by the stones that are on the board.
fn times(names: &[&str], games: &[GameRecord]) -> String {
    let curve = |name: &&str| {
        let mut sums: Vec<(f64, u32)> = Vec::new();
        for game in games {
            let own = |&(ply, _): &(usize, f64)| game.player(Color::ALL[ply % 2]) == *name;
            for (ply, seconds) in game.timed_moves().filter(own) {
                sums.resize(sums.len().max(ply + 1), (0.0, 0));
                sums[ply].0 += seconds;
                sums[ply].1 += 1;
            }
        }
        let points = sums.iter().enumerate().filter(|(_, (_, count))| *count > 0);
        let points = points.map(|(ply, (sum, count))| [ply as f64, sum / f64::from(*count)]).collect();
        Curve { name: (*name).to_owned(), points, band: vec![] }
    };
    let curves = names.iter().map(curve).collect();
    let title = "Mean time of a move, in seconds";
    let across = "moves before it";
    Chart { title, across, curves, levels: vec![], least: [0.0, 1e-6], show: |v| format!("{v}") }.section()
}

/// The list of games and a board, which the script fills.
fn viewer(games: &[GameRecord]) -> String {
    if games.is_empty() {
        return String::new();
    }
    let pictures: String = sides(games)
        .into_iter()
        .map(|side| {
            let game = Game::new(board(side));
            format!("<template data-side=\"{side}\">{}</template>\n", Picture::new(&game, Notation::HavannahGui))
        })
        .collect();
    format!(
        "<section><h2>Games</h2>\n<noscript><p>The list of games needs JavaScript.</p></noscript>\n\
         <div id=\"viewer\" hidden><h3 id=\"players\"></h3><div id=\"board\"></div>\n\
         <div id=\"controls\"><button id=\"first\" aria-label=\"Start\">|◀</button>\
         <button id=\"back\" aria-label=\"One move back\">◀</button>\
         <input id=\"at\" type=\"range\" min=\"0\" aria-label=\"Move\">\
         <button id=\"forward\" aria-label=\"One move forward\">▶</button>\
         <button id=\"last\" aria-label=\"End\">▶|</button></div>\n\
         <p id=\"state\" aria-live=\"polite\"></p></div>\n\
         <p id=\"filters\" hidden><label>Show <select id=\"filter\"></select></label>\n\
         <button id=\"earlier\">Earlier</button> <span id=\"shown\"></span> <button id=\"later\">Later</button></p>\n\
         <div class=\"wide\"><table id=\"games\"></table></div>\n{pictures}</section>\n"
    )
}

fn sides(games: &[GameRecord]) -> Vec<usize> {
    let mut sides: Vec<usize> = games.iter().map(|game| game.side).collect();
    sides.sort_unstable();
    sides.dedup();
    sides
}

fn board(side: usize) -> &'static Geometry {
    Geometry::with_side(side).expect("a game that was played has a board")
}

/// For each side length, the names of all vertices and where pictures draw them.
fn boards(games: &[GameRecord]) -> Value {
    let boards = sides(games).into_iter().map(|side| {
        let board = board(side);
        let place = |v| {
            let (x, y) = Picture::place(board, v);
            [x.round(), y.round()]
        };
        let vertices: Vec<_> =
            board.vertices().map(|v| json!([Notation::HavannahGui.name(board, v), place(v)])).collect();
        (side.to_string(), json!(vertices))
    });
    Value::Object(boards.collect())
}

/// What the script needs of each game: its number, side, players, winner, reason, number of moves in the opening,
/// moves, and times in milliseconds.
fn list(games: &[GameRecord]) -> Vec<Value> {
    let mut games: Vec<&GameRecord> = games.iter().collect();
    let numbers: HashSet<usize> = games.iter().filter_map(|game| game.game).collect();
    // Several runs may have used the same numbers.
    let has_numbers = numbers.len() == games.len();
    if has_numbers {
        games.sort_by_key(|game| game.game);
    }
    let entry = |(at, game): (usize, &&GameRecord)| {
        let seconds = game.seconds.iter().chain(&game.last_seconds);
        let times: Vec<f64> = seconds.map(|seconds| (1e3 * seconds).round()).collect();
        let winner = json!(game.winner);
        let reason = game.fault.as_ref().map_or(&game.by, |fault| &fault.detail);
        json!([
            game.game.filter(|_| has_numbers).unwrap_or(at).saturating_add(1),
            game.side,
            game.white,
            game.black,
            winner,
            game.by,
            reason,
            game.opening.len(),
            game.moves.join(" "),
            times
        ])
    };
    games.iter().enumerate().map(entry).collect()
}
