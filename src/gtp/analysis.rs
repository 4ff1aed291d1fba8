//! Analysis commands: pictures of what the engine knows, and dialogs of its options, for GoGui's analysis window.
//!
//! Pictures of the search show the last one, if it was about the position on the board or has led to it with its best
//! move, as after `genmove`; else they make a short one first (option `analysis_seconds`). Vertices are named as the
//! option `gui` wants it.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::analysis::chains::chains;
use crate::analysis::connection::stones_to_win;
use crate::analysis::playouts::PlayoutStatistics;
use crate::analysis::policy::next_move;
use crate::analysis::prediction::predict;
use crate::analysis::threats::winning_vertices;
use crate::board::{Color, MAX_VERTICES, Structures, Vertex};
use crate::options::{OptionInfo, OptionKind};
use crate::playout::InitialWeights;
use crate::search::{Report, Verdict};

use super::commands::{self, Command};
use super::engine::{Engine, Insight};
use super::gfx::{Gfx, Mark, Shade};
use super::live::summary;
use super::protocol::{Answer, CommandError};

/// What GoGui's analysis window offers: how the answer is shown, the label, and the command, in which `%c` stands for a
/// colour to be chosen and `%m` for the player to move.
static OFFERED: &[(&str, &str, &str)] = &[
    ("gfx", "Search: visits and win rate", "analyze_visits"),
    ("gfx", "Search: RAVE values", "analyze_rave"),
    ("gfx", "Search: principal variation", "analyze_pv"),
    ("gfx", "Search: proven moves", "analyze_verdicts"),
    ("pstring", "Search: think and mark the best move", "reg_genmove %m"),
    ("gfx", "Playouts: ownership", "analyze_ownership"),
    ("gfx", "Playouts: criticality", "analyze_criticality"),
    ("gfx", "Playouts: first move", "analyze_policy"),
    ("gfx", "Playouts: next move after ten", "analyze_policy 10"),
    ("gfx", "Position: winning vertices", "analyze_threats"),
    ("gfx", "Position: chains, corners and sides", "analyze_chains"),
    ("gfx", "Position: stones to bridge or fork", "analyze_distance %c"),
    ("gfx", "Position: predicted moves", "analyze_prediction"),
    ("hstring", "List of options", "list_options"),
    ("param", "Options: play", "param_play"),
    ("param", "Options: all others", "param_tuning"),
];

/// The commands.
pub(super) static COMMANDS: &[Command] = &[
    Command {
        name: "gogui-analyze_commands",
        arguments: "",
        about: "what GoGui's analysis window offers",
        run: |_, _| {
            Ok(OFFERED.iter().map(|(kind, label, c)| format!("{kind}/{label}/{c}")).collect::<Vec<_>>().join("\n"))
        },
    },
    Command {
        name: "analyze_visits",
        arguments: "",
        about: "picture: the search's visits of each move as colour, its win rate in percent as label",
        run: visits,
    },
    Command {
        name: "analyze_rave",
        arguments: "",
        about: "picture: the RAVE estimate of each move, in percent",
        run: rave,
    },
    Command {
        name: "analyze_pv",
        arguments: "",
        about: "picture: the line of play that the search found best",
        run: principal_variation,
    },
    Command {
        name: "analyze_verdicts",
        arguments: "",
        about: "picture: the moves proven to win (W), to lose (L) and to draw (D)",
        run: verdicts,
    },
    Command {
        name: "analyze_ownership",
        arguments: "",
        about: "picture: who has each vertex at the end of random playouts: white's percentage less black's",
        run: ownership,
    },
    Command {
        name: "analyze_criticality",
        arguments: "",
        about: "picture: how much having a vertex goes with winning in random playouts, in percent",
        run: criticality,
    },
    Command {
        name: "analyze_policy",
        arguments: "[MOVES]",
        about: "picture: how likely each vertex is a playout's next move, the last MOVES stones (0) being its own",
        run: policy,
    },
    Command {
        name: "analyze_threats",
        arguments: "",
        about: "picture: the vertices on which either colour would win at once by a bridge (B), fork (F) or ring (R)",
        run: threats,
    },
    Command {
        name: "analyze_chains",
        arguments: "",
        about: "picture: the chains, labelled with the number of their corners and sides",
        run: show_chains,
    },
    Command {
        name: "analyze_distance",
        arguments: "[COLOR]",
        about: "picture: for each vertex the stones that are missing to a bridge or fork through it",
        run: distance,
    },
    Command {
        name: "analyze_prediction",
        arguments: "",
        about: "picture: how likely each move is as the network predicts it, in percent, and the chance to win",
        run: prediction,
    },
    Command {
        name: "param_play",
        arguments: "[NAME] [VALUE]",
        about: "the options of everyday use as a GoGui dialog; with a value, set one",
        run: |engine, arguments| dialog(engine, arguments, is_everyday),
    },
    Command {
        name: "param_tuning",
        arguments: "[NAME] [VALUE]",
        about: "all other options as a GoGui dialog; with a value, set one",
        run: |engine, arguments| dialog(engine, arguments, |name| !is_everyday(name)),
    },
];

// Colours. GoGui's board is light brown.

/// The ends of a heat map.
const COLD: Shade = Shade(0xf4, 0xe8, 0xc0);
const HOT: Shade = Shade(0xe8, 0x50, 0x28);
/// The ends of a map of two players, and its middle.
const WHITE: Shade = Shade(0xff, 0xff, 0xff);
const BLACK: Shade = Shade(0x38, 0x58, 0xb0);
const NEITHER: Shade = Shade(0xd8, 0xc0, 0x90);
/// For what concerns both colours.
const BOTH: Shade = Shade(0xe8, 0x50, 0x28);
/// Verdicts.
const WIN: Shade = Shade(0x58, 0xc0, 0x58);
const LOSS: Shade = Shade(0xe0, 0x60, 0x50);
const DRAW: Shade = Shade(0xb0, 0xb0, 0xb0);
/// Backgrounds that can be told apart around stones, though GoGui lets the board shine through.
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
    pub(super) fn gfx(&self) -> Gfx {
        Gfx::new(self.record.game().geometry(), self.notation())
    }

    /// A picture of a search, with the search's summary in the status line.
    fn search_picture(&mut self, draw: impl FnOnce(&mut Gfx, &Insight<'_>)) -> Answer {
        let (mut gfx, geometry, notation) = (self.gfx(), self.record.game().geometry(), self.notation());
        match self.insight() {
            None => gfx.text("the game is over"),
            Some(insight) => {
                gfx.text(summary(insight.report, insight.color, geometry, notation));
                draw(&mut gfx, &insight);
            }
        }
        Ok(gfx.to_string())
    }
}

// Pictures of the search.

fn visits(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.search_picture(|gfx, insight| draw_visits(gfx, insight.report))
}

/// Each move that was visited with the logarithm of its visits as heat, the win rates of those with at least a
/// thousandth of the most visits, and a circle around the best move.
pub(super) fn draw_visits(gfx: &mut Gfx, report: &Report) {
    let most = report.moves.iter().map(|m| m.visits).max().unwrap_or(0).max(1);
    for m in report.moves.iter().filter(|m| m.visits > 0) {
        gfx.shade(m.vertex, heat((m.visits as f64).ln_1p() / (most as f64).ln_1p()));
        if 1000 * m.visits >= most {
            gfx.percent(m.vertex, m.win_rate);
        }
    }
    gfx.mark(report.best, Mark::Circle);
}

/// A part in \[0, 1\] as a colour, in as many steps as can be told apart.
fn heat(part: f64) -> Shade {
    const STEPS: f64 = 20.0;
    COLD.toward(HOT, (STEPS * part).round() / STEPS)
}

fn rave(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.search_picture(|gfx, insight| {
        let values = || insight.report.moves.iter().filter_map(|m| Some((m.vertex, m.rave?)));
        if values().next().is_none() {
            gfx.text("no RAVE: the network guides the search (set_option method rave changes that)");
        }
        let (least, most) = values().fold((1.0, 0.0), |(least, most), (_, rave)| (rave.min(least), rave.max(most)));
        for (v, rave) in values() {
            gfx.shade(v, heat((rave - least) / (most - least).max(1e-9)));
            gfx.percent(v, rave);
        }
    })
}

fn principal_variation(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.search_picture(|gfx, insight| match insight.played {
        false => gfx.line(insight.color, &insight.report.pv),
        true => gfx.line(!insight.color, &insight.report.pv[1..]),
    })
}

fn verdicts(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.search_picture(|gfx, insight| {
        let mut proven = 0;
        for m in &insight.report.moves {
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
        let position = match insight.report.verdict {
            Some(Verdict::Win) => "wins",
            Some(Verdict::Loss) => "loses",
            Some(Verdict::Draw) => "draws",
            None => "to move, not solved",
        };
        gfx.text(format!("{} {position}: {proven} of {} moves proven", insight.color, insight.report.moves.len()));
    })
}

// Pictures of playouts.

impl Engine {
    /// Playouts from the position; the same for the same position.
    fn playout_statistics(&self) -> PlayoutStatistics {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        PlayoutStatistics::sample(self.record.game(), self.options.analysis_playouts, &mut rng)
    }

    /// A picture of playouts: what to draw on each empty vertex.
    fn playout_picture(&self, draw: impl FnOnce(&mut Gfx, &PlayoutStatistics, &[Vertex])) -> Answer {
        let mut gfx = self.gfx();
        if self.record.game().outcome().is_some() {
            gfx.text("the game is over");
            return Ok(gfx.to_string());
        }
        let statistics = self.playout_statistics();
        let empty: Vec<Vertex> = self.record.game().position().empty_vertices().collect();
        draw(&mut gfx, &statistics, &empty);
        let [white, black] = Color::ALL.map(|color| 100.0 * statistics.win_rate(color));
        gfx.text(format!("{} random playouts: white wins {white:.1} %, black {black:.1} %", statistics.playouts()));
        Ok(gfx.to_string())
    }
}

fn ownership(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.playout_picture(|gfx, statistics, empty| {
        for &v in empty {
            let [white, black] = Color::ALL.map(|color| statistics.ownership(color, v));
            let end = if white > black { WHITE } else { BLACK };
            // Shares differ by little until the end is near: the root makes that visible.
            gfx.shade(v, NEITHER.toward(end, (white - black).abs().sqrt()));
            gfx.percent(v, white - black);
        }
    })
}

fn criticality(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.playout_picture(|gfx, statistics, empty| {
        let values: Vec<(Vertex, f64)> = empty.iter().map(|&v| (v, statistics.criticality(v))).collect();
        let most = values.iter().map(|(_, value)| *value).fold(1e-9, f64::max);
        for (v, value) in values {
            gfx.shade(v, heat(value / most));
            gfx.percent(v, value);
        }
    })
}

/// Vertices that are as likely as all together are half warm, likelier ones warmer. With a circle around the answer to
/// an intrusion.
fn policy(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let made = arguments.first().map_or(Ok(0), |text| commands::whole("MOVES", text))?;
    let mut gfx = engine.gfx();
    if engine.record.game().outcome().is_some() {
        gfx.text("the game is over");
        return Ok(gfx.to_string());
    }
    let options = engine.search_options().clone();
    let mut estimates = [0.5; MAX_VERTICES];
    if options.initial_weights == InitialWeights::Rave
        && let Some(insight) = engine.insight()
    {
        let values = insight.report.moves.iter().filter_map(|m| Some((m.vertex, m.rave?)));
        values.for_each(|(v, rave)| estimates[v.index()] = rave as f32);
    }
    let game = engine.record.game();
    let next = next_move(game, &options, made, |v| estimates[v.index()]);
    let count = next.chances.len() as f64;
    for &(v, chance) in &next.chances {
        gfx.shade(v, heat(chance * count / (1.0 + chance * count)));
        match 100.0 * chance {
            percent if percent >= 9.95 => gfx.percent(v, chance),
            percent if percent >= 0.05 => gfx.label(v, format_args!("{percent:.1}")),
            _ => {}
        }
    }
    next.answer.into_iter().for_each(|v| gfx.mark(v, Mark::Circle));
    let answer = next.answer.map_or(String::new(), |v| format!("; {} answers an intrusion", engine.name_of(v)));
    let (color, alike) = (game.to_move(), 100.0 / count);
    gfx.text(format!("playouts' next move of {color} in percent; {alike:.1} each if all were alike{answer}"));
    Ok(gfx.to_string())
}

// Pictures of the position.

fn threats(engine: &mut Engine, _: &[&str]) -> Answer {
    let mut gfx = engine.gfx();
    let game = engine.record.game();
    let [white, black] = Color::ALL.map(|color| winning_vertices(game, color));
    let on = |list: &[(Vertex, Structures)], v| list.iter().find(|(w, _)| *w == v).map(|(_, s)| *s);
    for v in game.position().empty_vertices() {
        let (shade, structures) = match (on(&white, v), on(&black, v)) {
            (None, None) => continue,
            (Some(structures), None) => (WHITE, structures),
            (None, Some(structures)) => (BLACK, structures),
            (Some(a), Some(b)) => (BOTH, a | b),
        };
        gfx.shade(v, shade);
        gfx.label(v, initials(structures));
    }
    gfx.text(match game.outcome() {
        Some(_) => "the game is over".into(),
        None => format!("white wins on {}, black on {}", vertices(white.len()), vertices(black.len())),
    });
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

/// Each chain with a background of its own. On one stone of each chain that holds corners or sides stand their numbers,
/// as `1+2`; on its other stones circles mark the corners and squares the sides.
fn show_chains(engine: &mut Engine, _: &[&str]) -> Answer {
    let mut gfx = engine.gfx();
    let geometry = engine.record.game().geometry();
    let chains = chains(engine.record.game().position());
    for (chain, &shade) in chains.iter().zip(DISTINCT.iter().cycle()) {
        let mut inner = chain.stones.iter().filter(|v| geometry.rim(**v) == 0);
        let labelled = *inner.next_back().unwrap_or(&chain.stones[chain.stones.len() - 1]);
        if chain.rim != 0 {
            gfx.label(labelled, format_args!("{}+{}", chain.corners(), chain.sides()));
        }
        for &v in &chain.stones {
            gfx.shade(v, shade);
            if geometry.rim(v) != 0 && v != labelled {
                gfx.mark(v, if geometry.is_corner(v) { Mark::Circle } else { Mark::Square });
            }
        }
    }
    gfx.text(format!("{} chains, labelled corners+sides where they hold any", chains.len()));
    Ok(gfx.to_string())
}

/// The label of every vertex through which there is a way, with more heat the fewer stones are missing; nothing that
/// is more than this many stones longer than the best way is warm.
const DISTANCE_SPAN: u32 = 5;

fn distance(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let color = arguments.first().map_or(Ok(engine.record.game().to_move()), |name| commands::color(name))?;
    let mut gfx = engine.gfx();
    let game = engine.record.game();
    let distances = stones_to_win(game.position(), color);
    let least = distances.iter().flatten().min().copied();
    for v in game.geometry().vertices() {
        let (Some(distance), Some(least)) = (distances[v.index()], least) else { continue };
        gfx.label(v, distance);
        if distance < least + DISTANCE_SPAN {
            gfx.shade(v, heat(1.0 - f64::from(distance - least) / f64::from(DISTANCE_SPAN)));
        }
    }
    gfx.text(match least {
        None => format!("{color} can build neither bridge nor fork"),
        Some(0) => format!("{color} has a bridge or a fork"),
        Some(1) => format!("{color} is 1 stone away from a bridge or a fork"),
        Some(n) => format!("{color} is {n} stones away from a bridge or a fork, left alone"),
    });
    Ok(gfx.to_string())
}

fn prediction(engine: &mut Engine, _: &[&str]) -> Answer {
    let mut gfx = engine.gfx();
    let game = engine.record.game();
    if game.outcome().is_some() {
        gfx.text("the game is over");
        return Ok(gfx.to_string());
    }
    let prediction = predict(game);
    let most = prediction.moves.iter().map(|(_, p)| *p).fold(1e-9, f64::max);
    for &(v, probability) in &prediction.moves {
        gfx.shade(v, heat((probability / most).sqrt()));
        if probability >= 0.005 {
            gfx.percent(v, probability);
        }
    }
    gfx.text(format!(
        "predicted moves of {} in percent, from 1 on; predicted to win with {:.0} %",
        game.to_move(),
        100.0 * prediction.win
    ));
    Ok(gfx.to_string())
}

// Dialogs.

/// The options that have a place in the first dialog, if there are such.
const EVERYDAY: &[&str] = &[
    "seconds",
    "simulations",
    "threads",
    "memory",
    "ponder",
    "preset",
    "swap",
    "resign",
    "live_gfx",
    "analysis_seconds",
];

fn is_everyday(name: &str) -> bool {
    EVERYDAY.contains(&name)
}

/// A dialog of the options that `belongs` names, or one of them set to a value. The dialect is in none: GoGui would no
/// longer understand the engine.
fn dialog(engine: &mut Engine, arguments: &[&str], belongs: fn(&str) -> bool) -> Answer {
    let options: Vec<OptionInfo> =
        engine.list_options().into_iter().filter(|o| o.name != "gui" && belongs(o.name)).collect();
    match *arguments {
        [] => Ok(options.iter().map(parameter).collect::<Vec<_>>().join("\n")),
        [name, value] if options.iter().any(|option| option.name == name) => {
            engine.set_option(name, value)?;
            Ok(String::new())
        }
        [name, _] => Err(CommandError::new(format!("there is no option '{name}' in this dialog"))),
        _ => Err(CommandError::new("too few arguments: a name and a value are wanted, or neither")),
    }
}

/// An option as a line of a dialog: a box to tick, a list to choose from, or a text.
fn parameter(option: &OptionInfo) -> String {
    let OptionInfo { name, value, kind, .. } = option;
    match kind {
        OptionKind::Bool => format!("[bool] {name} {}", u8::from(value == "true")),
        OptionKind::Choice(words) => format!("[list/{}] {name} {value}", words.join("/")),
        _ => format!("[string] {name} {value}"),
    }
}
