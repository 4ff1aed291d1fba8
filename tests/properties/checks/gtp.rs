//! Lines of the Go Text Protocol: each command has one well-formed answer, and a command that fails changes nothing.

use std::io::Cursor;

use malecon::game::Geometry;
use malecon::protocols::gtp::protocol::{Request, clean, is_interrupt, parse};
use malecon::protocols::gtp::{Engine, GtpOptions, serve};

/// The longest line that the server reads.
const MAX_LINE: usize = 64 << 10;

/// The input is what a controller sends. Commands that would write files or take long are left out.
pub fn check(input: &[u8]) {
    let lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').filter(|line| is_harmless(&clean(line))).collect();
    let mut engine = engine();
    // Searches end at once.
    engine.stop_flag().stop();
    for line in lines.iter().map(|line| clean(line)) {
        check_line(&mut engine, &line);
        if engine.has_quit() {
            break;
        }
    }
    check_stream(&lines);
}

fn engine() -> Engine {
    let mut engine = Engine::new(Geometry::with_side(4).unwrap(), GtpOptions::default());
    let limits = [
        ("seed", "1"),
        ("memory", "4"),
        ("simulations", "4"),
        ("seconds", "0.001"),
        ("analysis_seconds", "0.001"),
        ("analysis_playouts", "4"),
        ("solver_rate", "1"),
    ];
    for (name, value) in limits {
        engine.set_option(name, value).unwrap();
    }
    engine
}

/// Whether a line neither touches files nor lifts the limits of [`engine`].
fn is_harmless(line: &str) -> bool {
    let Some(Request { command, arguments, .. }) = parse(line) else { return true };
    match command {
        "loadsgf" | "savesgf" => arguments.is_empty(),
        "set_option" => !arguments.first().is_some_and(|name| sets_limits(name)),
        _ => true,
    }
}

fn sets_limits(name: &str) -> bool {
    let name = malecon::base::options::canonical_name(name);
    let is_large = |part| name.contains(part);
    ["seconds", "simulations", "playouts", "network", "memory", "threads", "solver", "threat", "live"]
        .into_iter()
        .any(is_large)
}

fn check_line(engine: &mut Engine, line: &str) {
    let before = engine.session().game().moves();
    let request = parse(line);
    let response = engine.respond(line);
    let (Some(request), Some(response)) = (&request, &response) else {
        return assert_eq!(request.is_some(), response.is_some(), "{line:?}");
    };
    check_form(request, response);
    assert!(!response.contains("internal error"), "{line:?}: {response}");
    if response.starts_with('?') {
        assert_eq!(engine.session().game().moves(), before, "{line:?} failed but changed the game: {response}");
    }
}

/// An answer is a status with the id, a text, and an empty line.
fn check_form(request: &Request<'_>, response: &str) {
    let head = response.strip_prefix(['=', '?']).unwrap_or_else(|| panic!("{response:?}"));
    let text = head.strip_prefix(request.id.unwrap_or_default()).unwrap_or_else(|| panic!("{response:?}"));
    let text = text.strip_suffix("\n\n").unwrap_or_else(|| panic!("{response:?}"));
    assert!(text.is_empty() || text.starts_with([' ', '\n']), "{response:?}");
    assert!(!text.contains("\n\n") && !text.ends_with('\n'), "{response:?}");
}

/// The server answers the same lines one by one, in order, until `quit`.
fn check_stream(lines: &[&[u8]]) {
    let mut output = Vec::new();
    serve(engine(), Cursor::new(lines.join(&b'\n')), &mut output).unwrap();
    let output = String::from_utf8(output).expect("answers are UTF-8");
    let mut responses = output.split_inclusive("\n\n");
    for line in lines {
        let text = clean(line);
        if is_interrupt(&text) {
            continue;
        }
        if line.len() > MAX_LINE {
            assert!(responses.next().unwrap().starts_with('?'));
            continue;
        }
        let Some(request) = parse(&text) else { continue };
        let response = responses.next().unwrap_or_else(|| panic!("no answer to {text:?}"));
        check_form(&request, response);
        if request.command == "quit" && response.starts_with('=') {
            break;
        }
    }
    assert_eq!(responses.next(), None);
}
