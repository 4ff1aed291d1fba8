//! The engine as a WebAssembly module, for the workers of the page.
//!
//! Texts are passed in memory: the host asks for room with [`room`] and writes a query there; answers reach it through
//! the imported function `answer`. One instance answers one query at a time.
//!
//! The host runs two kinds of instances of the same module. The one that never blocks takes every query: [`admit`]
//! answers what is soon done, and names the positions to search and the queries to cancel. An instance in another worker
//! searches these positions with [`search`]. If that one has to be ended during a search, [`cancel`] makes the answer
//! that is still owed.
//!
//! The networks are files of their own. Before the host passes on a query, it asks [`network`] which one it must have.

use std::cell::RefCell;
use std::time::Duration;

use malecon::engine::session::{EngineOptions, StopFlag};
use malecon::game::Geometry;
use malecon::network::LARGE_SIDE;
use malecon::protocols::json::{Action, Analyst, Answer, Effort, Query, QuerySettings, Task, warnings};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Takes an answer: `len` bytes of UTF-8 at `text`. `is_partial` is 1 while a search goes on, else 0.
    safe fn answer(text: *const u8, len: usize, is_partial: u32);
    /// Takes a position of the present query that has to be searched: the one after `turn` moves.
    safe fn position(turn: u32, priority: f64);
    /// Takes the id of a query that the present one cancels; if `is_all` is 1, it cancels all. The host answers it.
    safe fn cancelled(id: *const u8, len: usize, is_all: u32);
    /// Takes the message of a panic, which is followed by a trap.
    safe fn panicked(text: *const u8, len: usize);
}

/// The longest time between two partial answers of a search. If the host ends the worker during the search, the last
/// one is what it keeps.
const LONGEST_SILENCE: Duration = Duration::from_millis(500);

/// An engine, and the text of the query that it is to answer.
struct Engine {
    analyst: Analyst,
    query: Vec<u8>,
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::start());
}

impl Engine {
    fn start() -> Engine {
        std::panic::set_hook(Box::new(|panic| {
            let message = panic.to_string();
            panicked(message.as_ptr(), message.len());
        }));
        let analyst = Analyst::new(QuerySettings::new(EngineOptions::default()));
        Engine { analyst, query: Vec::new() }
    }

    /// The query that the host wrote. Answers it and returns `None` if it is invalid.
    fn read(&mut self) -> Option<Query> {
        match Query::read(&String::from_utf8_lossy(&self.query), self.analyst.settings()) {
            Ok(query) => Some(query),
            Err(error) => {
                send(&Answer::Error(error));
                None
            }
        }
    }

    /// The network that the query needs, as [`network`] tells it.
    fn network(&self) -> u32 {
        match Query::read(&String::from_utf8_lossy(&self.query), self.analyst.settings()) {
            Ok(Query { action: Action::Task { task, .. }, .. }) => match task.network_board().map(Geometry::side) {
                Some(side) if side < LARGE_SIDE => 1,
                Some(_) => 2,
                None => 0,
            },
            _ => 0,
        }
    }

    fn admit(&mut self) {
        let Some(query) = self.read() else { return };
        match &query.action {
            Action::Task { priority, task } if task.effort() == Effort::Search => {
                task.turns().iter().for_each(|&turn| position(turn as u32, *priority as f64));
                warnings(&query).iter().for_each(send);
            }
            Action::Cancel(of) => {
                warnings(&query).iter().for_each(send);
                let id = of.as_deref().unwrap_or_default();
                cancelled(id.as_ptr(), id.len(), of.is_none().into());
            }
            _ => self.analyst.answer(&query, &StopFlag::new(), &mut send),
        }
    }

    /// Answers for one position of the query, without a search if `stop` is raised.
    fn analyze(&mut self, turn: usize, threads: usize, stop: &StopFlag) {
        let Some(Query { id, action: Action::Task { mut task, .. }, .. }) = self.read() else { return };
        if let Task::Analysis(analysis) = &mut task {
            let silence = analysis.every.unwrap_or(LONGEST_SILENCE);
            analysis.every = Some(silence.min(LONGEST_SILENCE));
        }
        if let Some(search) = task.search_mut() {
            search.options.search.threads = threads;
        }
        self.analyst.work(&id, &task, turn, stop, &mut send);
    }
}

/// Passes an answer to the host.
fn send(message: &Answer) {
    let is_partial = message.is_partial();
    let text = message.to_json();
    answer(text.as_ptr(), text.len(), is_partial.into());
}

/// Starts the instance, in a module with threads. The host calls it once, before anything else.
#[cfg(target_os = "wasi")]
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    unsafe extern "C" {
        fn __wasi_init_tp();
        fn __wasm_call_ctors();
    }
    // SAFETY: in a module that is not a program, the C library must be set up first: the calling thread, then
    // constructors.
    unsafe {
        __wasi_init_tp();
        __wasm_call_ctors();
    }
}

/// Makes room for a query of `len` bytes. Returns where the host is to write it.
#[unsafe(no_mangle)]
pub extern "C" fn room(len: usize) -> *mut u8 {
    ENGINE.with_borrow_mut(|engine| {
        engine.query.clear();
        engine.query.resize(len, 0);
        engine.query.as_mut_ptr()
    })
}

/// Which network the host must have before it passes on the query: 0 for none, 1 for that of small boards, 2 for that
/// of large ones.
#[unsafe(no_mangle)]
pub extern "C" fn network() -> u32 {
    ENGINE.with_borrow(Engine::network)
}

/// Answers the query, except for what takes long: the positions to be searched or solved are passed to the host, in the
/// order of the query. So is what the query cancels.
#[unsafe(no_mangle)]
pub extern "C" fn admit() {
    ENGINE.with_borrow_mut(Engine::admit);
}

/// Searches the position after `turn` moves of the query and answers. In a module with threads, `threads` of them
/// search together; otherwise, `threads` must be 1.
#[unsafe(no_mangle)]
pub extern "C" fn search(turn: u32, threads: u32) {
    ENGINE.with_borrow_mut(|engine| engine.analyze(turn as usize, threads as usize, &StopFlag::new()));
}

/// Answers for the position after `turn` moves of a query whose search was cancelled before it found anything.
#[unsafe(no_mangle)]
pub extern "C" fn cancel(turn: u32) {
    let stop = StopFlag::new();
    stop.stop();
    ENGINE.with_borrow_mut(|engine| engine.analyze(turn as usize, 1, &stop));
}

/// The signature of the engine, the same number as `malecon bench --signature` prints. For tests.
#[unsafe(no_mangle)]
pub extern "C" fn signature() -> u64 {
    malecon::tools::bench::signature().expect("there is memory for a search")
}
