//! `malecon analyze`: queries in JSON on stdin, answers on stdout.

use std::io::{self, BufReader, ErrorKind, IsTerminal};

use clap::Args;
use malecon::engine::session;
use malecon::protocols::gtp::protocol::CommandError;
use malecon::protocols::json::QuerySettings;
use malecon::protocols::json::scheduler::Scheduler;
use malecon::protocols::json::streams::{Conversation, End};

use super::failure::Failure;
use super::options::EngineArguments;
use super::parse::{at_least, whole};
use super::signals;

/// Options of `malecon analyze`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    common: QueryArguments,
    /// Positions that are searched at the same time, each with its own threads and memory
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 256))]
    searches: u16,
    /// Threads of each search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least::<usize>(0))]
    threads: usize,
    /// Seed for queries without one; with one thread and a limit of simulations, answers are reproducible
    #[arg(long, value_name = "N")]
    seed: Option<String>,
}

/// Options of the subcommands that answer queries.
#[derive(Args)]
pub struct QueryArguments {
    /// Megabytes that the tree of each search may take
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = at_least::<usize>(0))]
    memory: usize,
    #[command(flatten)]
    engine: EngineArguments,
}

/// A short query, for people who type them.
const EXAMPLE: &str = r#"{"id": "1", "side": 6, "moves": ["f6"]}"#;

/// The part of the help after the options.
pub const MANUAL: &str = "\
Each line of the input is a query, a JSON object; each line of the output is an answer. Answers come as soon as they \
are known, with the id of their query. docs/analysis.md describes every field. A query that cannot be answered gets an \
error as its answer. The program ends when its input ends and all queries are answered. After Ctrl-C, \
running searches answer with what they have found, and the program ends. A second Ctrl-C does not wait for them.

Examples:
  echo '{\"id\": \"1\", \"side\": 6, \"moves\": [\"f6\", \"e4\"], \"seconds\": 2}' | malecon analyze
      Search the position after two moves for two seconds.
  malecon analyze --searches 4 < queries.jsonl > answers.jsonl
      Answer many queries, four at a time.
  echo '{\"id\": \"x\", \"action\": \"options\"}' | malecon analyze
      The options that a query can set.
";

impl QueryArguments {
    /// The options for all queries that do not set others; `named` are those of one subcommand.
    pub fn settings(&self, named: &[(&str, Option<String>)]) -> Result<QuerySettings, CommandError> {
        let own = [("memory", Some(self.memory.to_string()))];
        let options = self.engine.session_options(&[&own, named].concat())?;
        if options.session.seconds != session::EngineOptions::default().session.seconds {
            return Err(CommandError::new(
                "option 'seconds' is for the engine's own moves (expected analysis_seconds)",
            ));
        }
        Ok(QuerySettings::new(options))
    }
}

/// Runs the subcommand. A thread may be left that reads stdin.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let named = [("threads", Some(arguments.threads.to_string())), ("seed", arguments.seed.clone())];
    let settings = arguments.common.settings(&named)?;
    if io::stdin().is_terminal() {
        eprintln!("Each line is a query, such as {EXAMPLE}; Ctrl-D ends the program.");
    }
    let scheduler = Scheduler::new(settings, arguments.searches.into())?;
    let conversation = Conversation::begin(&scheduler, BufReader::new(io::stdin()), io::stdout())?;
    if let Err(error) = signals::catch_first(conversation.interrupter()) {
        log::warn!("Ctrl-C will end the program without answers: {error}");
    }
    match conversation.wait() {
        End::Answered => Ok(()),
        End::Interrupted => Err(Failure::Interrupted(None)),
        End::Unwritable(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        End::Unwritable(error) => Err(Failure::Failed(format!("cannot write the answers: {error}"))),
        End::Unreadable(error) => Err(Failure::Failed(format!("cannot read the queries: {error}"))),
    }
}
