//! Analysis commands: pictures of what the engine knows, for GoGui's analysis window.
//!
//! Pictures of the search show the last search if it was about the position on the board. Otherwise, a short search
//! runs first (option `analysis_seconds`). Vertices are named in the dialect's notation.

use crate::engine::inspect::playouts::PlayoutStatistics;
use crate::engine::search::Verdict;
use crate::engine::session::Analysis;
use crate::game::{Color, Structures, Vertex};
use crate::protocols::gtp::command::{Command, color};
use crate::protocols::gtp::engine::Engine;
use crate::protocols::gtp::gfx::{Gfx, GfxMark, Shade};
use crate::protocols::gtp::pictures::{draw_line, draw_visits, heat, summary};
use crate::protocols::gtp::protocol::Response;

/// The entries of GoGui's analysis window: how the response is shown, the label, and the command, in which `%c` stands
/// for a colour that the user picks and `%m` for the player to move.
static OFFERED: &[(&str, &str, &str)] = &[
    ("gfx", "Search: visits and win rate", "analyze_visits"),
    ("gfx", "Search: RAVE values", "analyze_rave"),
    ("gfx", "Search: principal variation", "analyze_pv"),
    ("gfx", "Search: proven moves", "analyze_verdicts"),
    ("pstring", "Search: think and mark the best move", "reg_genmove %m"),
    ("gfx", "Playouts: ownership", "analyze_ownership"),
    ("gfx", "Playouts: criticality", "analyze_criticality"),
    ("gfx", "Position: winning vertices", "analyze_threats"),
    ("gfx", "Position: frames and the race", "analyze_frames"),
    ("hstring", "Position: list of frames", "list_frames"),
    ("gfx", "Position: chains, corners and sides", "analyze_chains"),
    ("gfx", "Position: stones to bridge or fork", "analyze_distance %c"),
    ("gfx", "Position: predicted moves", "analyze_prediction"),
    ("hstring", "List of options", "list_options"),
];

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command::new("gogui-analyze_commands", "", "the entries of GoGui's analysis window", |_, _| {
        Ok(OFFERED.iter().map(|(kind, label, c)| format!("{kind}/{label}/{c}")).collect::<Vec<_>>().join("\n"))
    }),
    Command::new(
        "analyze_visits",
        "",
        "picture: the visits of each move as colour, its win rate in percent as label",
        |engine, _| engine.search_picture(draw_visits),
    ),
    Command::new("analyze_rave", "", "picture: the RAVE estimate of each move, in percent", rave),
    Command::new("analyze_pv", "", "picture: the best line that the search found", principal_variation),
    Command::new("analyze_verdicts", "", "picture: the moves proven to win (W), to lose (L) and to draw (D)", verdicts),
    Command::new(
        "analyze_ownership",
        "",
        "picture: the owner of each vertex at the end of random playouts: white's percentage minus black's",
        ownership,
    ),
    Command::new(
        "analyze_criticality",
        "",
        "picture: how much owning a vertex goes with winning in random playouts, in percent",
        criticality,
    ),
    Command::new(
        "analyze_threats",
        "",
        "picture: the vertices where either colour would win at once by a bridge (B), fork (F) or ring (R)",
        threats,
    ),
    Command::new(
        "analyze_frames",
        "",
        "picture: the carrier of each colour's tightest frame, its stones, and who is ahead in the race",
        show_frames,
    ),
    Command::new(
        "list_frames",
        "",
        "the frames of both colours with their widths and carriers, and who is ahead in the race",
        |engine, _| Ok(engine.list_frames()),
    ),
    Command::new(
        "analyze_chains",
        "",
        "picture: the chains, labelled with the number of their corners and sides",
        show_chains,
    ),
    Command::new(
        "analyze_distance",
        "[COLOR]",
        "picture: for each vertex the number of stones missing to a bridge or fork through it",
        distance,
    ),
    Command::new(
        "analyze_prediction",
        "",
        "picture: the probability of each move according to the network, in percent, and the chance of winning",
        prediction,
    ),
];

// Colours. GoGui's board is light brown.

/// The two ends of a scale from White to Black, and its middle.
const WHITE: Shade = Shade(0xff, 0xff, 0xff);
const BLACK: Shade = Shade(0x38, 0x58, 0xb0);
const NEITHER: Shade = Shade(0xd8, 0xc0, 0x90);
/// For vertices that concern both colours.
const BOTH: Shade = Shade(0xe8, 0x50, 0x28);
/// Verdicts.
const WIN: Shade = Shade(0x58, 0xc0, 0x58);
const LOSS: Shade = Shade(0xe0, 0x60, 0x50);
const DRAW: Shade = Shade(0xb0, 0xb0, 0xb0);
/// Backgrounds that can be told apart around stones, although GoGui draws them half transparent.
const DISTINCT: [Shade; 8] = [
    Shade(0xe0, 0x10, 0x10),
    Shade(0x00, 0x90, 0x00),
    Shade(0x10, 0x30, 0xf0),
    Shade(0xf8, 0xf0, 0x00),
    Shade(0xc0, 0x00, 0xc0),
    Shade(0x00, 0xb8, 0xc0),
    Shade(0xff, 0x80, 0x00),
    Shade(0x40, 0x20, 0x00),
];

impl Engine {
    /// An empty picture of the board.
    fn gfx(&self) -> Gfx {
        Gfx::new(self.session().game().geometry(), self.notation())
    }

    /// A picture that says only that the game is over.
    fn game_over_picture(&self) -> Response {
        let mut gfx = self.gfx();
        gfx.text("the game is over");
        Ok(gfx.to_string())
    }

    /// A picture of a search of the position, with the search's summary in the status line.
    fn search_picture(&mut self, draw: impl FnOnce(&mut Gfx, &Analysis)) -> Response {
        let Some(analysis) = self.analyze()? else { return self.game_over_picture() };
        let mut gfx = self.gfx();
        gfx.text(summary(&analysis, self.session().game().geometry(), self.notation()));
        draw(&mut gfx, &analysis);
        Ok(gfx.to_string())
    }

    /// A picture of playouts, with `draw` drawing on the empty vertices.
    fn playout_picture(&self, draw: impl FnOnce(&mut Gfx, &PlayoutStatistics, &[Vertex])) -> Response {
        if self.session().game().board().outcome().is_some() {
            return self.game_over_picture();
        }
        let mut gfx = self.gfx();
        let stop = self.stop_flag();
        let statistics = self.session().playout_statistics(0, || stop.is_stopped());
        let empty: Vec<Vertex> = self.session().game().board().position().empty_vertices().collect();
        draw(&mut gfx, &statistics, &empty);
        let [white, black] = Color::ALL.map(|color| 100.0 * statistics.win_rate(color));
        gfx.text(format!("{} random playouts: white wins {white:.1} %, black {black:.1} %", statistics.playouts()));
        Ok(gfx.to_string())
    }
}

// Pictures of the search.

fn rave(engine: &mut Engine, _: &[&str]) -> Response {
    engine.search_picture(|gfx, analysis| {
        let values = || analysis.report.moves.iter().filter_map(|m| Some((m.vertex, m.rave?)));
        if values().next().is_none() {
            gfx.text("no RAVE values: the network guides the search (set_option method rave changes that)");
        }
        let (least, most) = values().fold((1.0, 0.0), |(least, most), (_, rave)| (rave.min(least), rave.max(most)));
        for (v, rave) in values() {
            gfx.shade(v, heat((rave - least) / (most - least).max(1e-9)));
            gfx.percent(v, rave);
        }
    })
}

fn principal_variation(engine: &mut Engine, _: &[&str]) -> Response {
    engine.search_picture(|gfx, analysis| draw_line(gfx, analysis, usize::MAX))
}

fn verdicts(engine: &mut Engine, _: &[&str]) -> Response {
    engine.search_picture(|gfx, analysis| {
        let report = &analysis.report;
        let mut proven = 0;
        for m in &report.moves {
            let Some(verdict) = m.verdict else { continue };
            let (shade, label) = match verdict {
                Verdict::Win => (WIN, "W"),
                Verdict::Loss => (LOSS, "L"),
                Verdict::Draw => (DRAW, "D"),
            };
            gfx.shade(m.vertex, shade);
            gfx.label(m.vertex, label);
            proven += 1;
        }
        let position = match report.verdict {
            Some(Verdict::Win) => "wins",
            Some(Verdict::Loss) => "loses",
            Some(Verdict::Draw) => "draws",
            None => "to move, not solved",
        };
        gfx.text(format!("{} {position}: {proven} of {} moves proven", analysis.to_move, report.moves.len()));
    })
}

// Pictures of playouts.

fn ownership(engine: &mut Engine, _: &[&str]) -> Response {
    engine.playout_picture(|gfx, statistics, empty| {
        for &v in empty {
            let [white, black] = Color::ALL.map(|color| statistics.ownership(color, v));
            let end = if white > black { WHITE } else { BLACK };
            // The shares differ little until the end is near; the square root makes the difference visible.
            gfx.shade(v, NEITHER.toward(end, (white - black).abs().sqrt()));
            gfx.percent(v, white - black);
        }
    })
}

fn criticality(engine: &mut Engine, _: &[&str]) -> Response {
    engine.playout_picture(|gfx, statistics, empty| {
        let values: Vec<(Vertex, f64)> = empty.iter().map(|&v| (v, statistics.criticality(v))).collect();
        let most = values.iter().map(|(_, value)| *value).fold(1e-9, f64::max);
        for (v, value) in values {
            gfx.shade(v, heat(value / most));
            gfx.percent(v, value);
        }
    })
}

// Pictures of the position.

fn threats(engine: &mut Engine, _: &[&str]) -> Response {
    let game = engine.session().game();
    if game.board().outcome().is_some() {
        return engine.game_over_picture();
    }
    let mut gfx = engine.gfx();
    let [white, black] = Color::ALL.map(|color| engine.session().winning_vertices(color));
    let on = |list: &[(Vertex, Structures)], v| list.iter().find(|(w, _)| *w == v).map(|(_, s)| *s);
    for v in game.board().position().empty_vertices() {
        let (shade, structures) = match (on(&white, v), on(&black, v)) {
            (None, None) => continue,
            (Some(structures), None) => (WHITE, structures),
            (None, Some(structures)) => (BLACK, structures),
            (Some(a), Some(b)) => (BOTH, a | b),
        };
        gfx.shade(v, shade);
        gfx.label(v, initials(structures));
    }
    gfx.text(format!("white wins on {}, black on {}", vertices(white.len()), vertices(black.len())));
    Ok(gfx.to_string())
}

/// The carriers of the tightest full frames in the colours of their owners, and circles on the stones next to them.
fn show_frames(engine: &mut Engine, _: &[&str]) -> Response {
    let Some(race) = engine.session().race() else { return engine.game_over_picture() };
    let mut gfx = engine.gfx();
    let position = engine.session().game().board().position();
    let [white, black] = Color::ALL.map(|color| race.tightest(color).map_or(&[][..], |frame| &frame.carrier));
    for v in position.empty_vertices() {
        match (white.contains(&v), black.contains(&v)) {
            (true, false) => gfx.shade(v, WHITE),
            (false, true) => gfx.shade(v, BLACK),
            (true, true) => gfx.shade(v, BOTH),
            (false, false) => {}
        }
    }
    for color in Color::ALL {
        let stones = race.tightest(color).map(|frame| frame.stones(position, color));
        stones.into_iter().flatten().for_each(|v| gfx.mark(v, GfxMark::Circle));
    }
    gfx.text(race.to_string());
    Ok(gfx.to_string())
}

fn vertices(count: usize) -> String {
    match count {
        0 => "no vertex".into(),
        1 => "1 vertex".into(),
        n => format!("{n} vertices"),
    }
}

/// `B`, `F` and `R` for bridge, fork and ring.
fn initials(structures: Structures) -> String {
    structures.names().map(|name| name[..1].to_ascii_uppercase()).collect()
}

/// Gives each chain its own background. One stone of each chain with corners or sides is labelled with their numbers,
/// as `1+2`; on its other stones circles mark corners and squares mark sides.
fn show_chains(engine: &mut Engine, _: &[&str]) -> Response {
    let mut gfx = engine.gfx();
    let geometry = engine.session().game().geometry();
    let chains = engine.session().chains();
    for (chain, &shade) in chains.iter().zip(DISTINCT.iter().cycle()) {
        let mut inner = chain.stones.iter().filter(|v| geometry.rim(**v) == 0);
        let labelled = *inner.next_back().unwrap_or(&chain.stones[chain.stones.len() - 1]);
        if chain.rim != 0 {
            gfx.label(labelled, format_args!("{}+{}", chain.corners(), chain.sides()));
        }
        for &v in &chain.stones {
            gfx.shade(v, shade);
            if geometry.rim(v) != 0 && v != labelled {
                gfx.mark(v, if geometry.is_corner(v) { GfxMark::Circle } else { GfxMark::Square });
            }
        }
    }
    gfx.text(format!("{} chains, labelled corners+sides if they have any", chains.len()));
    Ok(gfx.to_string())
}

/// Every vertex on a possible bridge or fork is labelled. A vertex is coloured if it needs fewer than this many stones
/// more than the best vertex: the fewer, the warmer.
const DISTANCE_SPAN: u32 = 5;

fn distance(engine: &mut Engine, arguments: &[&str]) -> Response {
    let game = engine.session().game();
    let color = arguments.first().map_or(Ok(game.to_move()), |name| color(name))?;
    let mut gfx = engine.gfx();
    let distances = engine.session().stones_to_win(color);
    let least = distances.iter().flatten().min().copied();
    for v in game.geometry().vertices() {
        let (Some(distance), Some(least)) = (distances[v.index()], least) else { continue };
        gfx.label(v, distance);
        if distance < least + DISTANCE_SPAN {
            gfx.shade(v, heat(1.0 - f64::from(distance - least) / f64::from(DISTANCE_SPAN)));
        }
    }
    gfx.text(match least {
        None => format!("{color} can build neither a bridge nor a fork"),
        Some(0) => format!("{color} has a bridge or a fork"),
        Some(1) => format!("{color} is 1 stone away from a bridge or a fork"),
        Some(n) => format!("{color} is {n} stones away from a bridge or a fork if the opponent passes"),
    });
    Ok(gfx.to_string())
}

fn prediction(engine: &mut Engine, _: &[&str]) -> Response {
    if engine.session().game().board().outcome().is_some() {
        return engine.game_over_picture();
    }
    let mut gfx = engine.gfx();
    let prediction = engine.session().prediction();
    let most = prediction.moves.iter().map(|(_, p)| *p).fold(1e-9, f64::max);
    for &(v, probability) in &prediction.moves {
        gfx.shade(v, heat((probability / most).sqrt()));
        if probability >= 0.005 {
            gfx.percent(v, probability);
        }
    }
    gfx.text(format!(
        "network: moves of {} in percent (from 1 %), chance of winning {:.0} %",
        engine.session().game().to_move(),
        100.0 * prediction.win
    ));
    Ok(gfx.to_string())
}
