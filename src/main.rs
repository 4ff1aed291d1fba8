//! The command line.

mod cli;

use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use cli::failure::Failure;
use cli::output::{Log, report_error, shown, tell};

#[global_allocator]
static ALLOCATOR: cli::allocator::Allocator = cli::allocator::Allocator;

/// What `--version` prints: `-V` prints the first line alone. The commit is known if the variable MALECON_COMMIT named
/// it when the program was built, as `scripts/release` does.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("MALECON_COMMIT").unwrap_or("unknown");
    format!("{}\ncommit {commit}\nsignature {}", env!("CARGO_PKG_VERSION"), malecon::tools::bench::SIGNATURE)
});

/// A Havannah engine that speaks the Go Text Protocol.
///
/// Without a subcommand it answers GTP commands on stdin, with the options of `malecon gtp`. To just play a game, type
/// `malecon play`; each subcommand has a manual: `malecon play --help`.
#[derive(Parser)]
#[command(name = "malecon", version, long_version = VERSION.as_str())]
#[command(args_conflicts_with_subcommands = true, after_long_help = cli::gtp::manual())]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: cli::gtp::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Play a game against the engine in this terminal
    #[command(after_long_help = cli::play::manual())]
    Play(cli::play::Arguments),
    /// Play over the Go Text Protocol on stdin and stdout (the default)
    #[command(after_long_help = cli::gtp::manual())]
    Gtp(cli::gtp::Arguments),
    /// Answer queries in JSON on stdin: the engine for other programs
    #[command(after_long_help = cli::analyze::MANUAL)]
    Analyze(cli::analyze::Arguments),
    /// Show a board in the browser, to play, analyse and review games
    #[cfg(feature = "serve")]
    #[command(after_long_help = cli::serve::MANUAL)]
    Serve(cli::serve::Arguments),
    /// Run regression scripts against a GTP engine
    #[command(after_long_help = cli::regress::MANUAL)]
    Regress(cli::regress::Arguments),
    /// Check and convert records of games
    #[command(after_long_help = cli::sgf::MANUAL)]
    Sgf(cli::sgf::Arguments),
    /// Review games: the chances after each move, the mistakes and the better lines
    #[command(after_long_help = cli::review::MANUAL)]
    Review(cli::review::Arguments),
    /// Solve positions on small boards, and write and check proofs of who wins
    #[command(after_long_help = cli::solve::MANUAL)]
    Solve(Box<cli::solve::Arguments>),
    /// Make puzzles from games: positions with one winning move
    #[command(after_long_help = cli::puzzles::MANUAL)]
    Puzzles(cli::puzzles::Arguments),
    /// Play a match between engines and report on it
    Match(Box<cli::arena::Arguments>),
    /// Measure the speed of playouts and search, beside the paper's figures
    #[command(after_long_help = cli::bench::MANUAL)]
    Bench(cli::bench::Arguments),
    /// Learn from games of the engine against itself
    #[command(after_long_help = cli::learn::MANUAL)]
    Learn(cli::learn::Arguments),
    /// Print a script that completes this command line in a shell
    #[command(after_long_help = cli::shell::COMPLETIONS_MANUAL)]
    Completions(cli::shell::CompletionsArguments),
    /// Print the manual page, or write the pages of all subcommands
    #[command(after_long_help = cli::shell::MAN_MANUAL)]
    Man(cli::shell::ManArguments),
    /// Describe a network
    #[command(after_long_help = cli::network::MANUAL)]
    Network(cli::network::Arguments),
}

/// Runs the command, prints why it failed, and ends the program with its status. Does not wait for threads, one of
/// which may still be reading stdin.
fn main() -> ! {
    let log = env_logger::Target::Pipe(Box::new(Log::default()));
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).target(log).init();
    cli::allocator::keep_memory_small();
    let status = run(parse()).map_or_else(
        |failure| {
            failure.message().iter().for_each(report_error);
            failure.status()
        },
        |()| 0,
    );
    std::process::exit(status.into())
}

/// Parses the command line. For help, the version or an error, prints it and ends the program.
fn parse() -> CommandLine {
    CommandLine::try_parse().unwrap_or_else(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        // The message quotes the arguments.
        kind => {
            if let ErrorKind::UnknownArgument = kind
                && std::env::args_os().nth(1).is_some_and(|command| command == "solve")
                && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
                && let Some(command) = cli::solve::renamed(option)
            {
                report_error(format_args!(
                    "{option} of 'malecon solve' is now '{command}' (see 'malecon solve --help')"
                ));
                std::process::exit(2);
            }
            let text = error.render().to_string();
            if text == shown(&text) {
                error.exit()
            }
            tell(format_args!("{}", text.trim_end()));
            std::process::exit(error.exit_code())
        }
    })
}

fn run(line: CommandLine) -> Result<(), Failure> {
    match line.command.unwrap_or(Command::Gtp(line.gtp)) {
        Command::Gtp(arguments) => cli::gtp::run(&arguments),
        Command::Analyze(arguments) => cli::analyze::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => cli::serve::run(&arguments),
        Command::Regress(arguments) => cli::regress::run(&arguments),
        Command::Play(arguments) => cli::play::run(&arguments),
        Command::Sgf(arguments) => cli::sgf::run(&arguments),
        Command::Review(arguments) => cli::review::run(&arguments),
        Command::Solve(arguments) => cli::solve::run(&arguments),
        Command::Puzzles(arguments) => cli::puzzles::run(&arguments),
        Command::Match(arguments) => cli::arena::run(&arguments),
        Command::Completions(arguments) => cli::shell::completions(&arguments, CommandLine::command()),
        Command::Man(arguments) => cli::shell::man(&arguments, CommandLine::command()),
        Command::Bench(arguments) => cli::bench::run(&arguments),
        Command::Learn(arguments) => cli::learn::run(&arguments),
        Command::Network(arguments) => cli::network::run(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;
    use std::path::{Path, PathBuf};

    use regex_lite::Regex;

    /// Every document with commands, by its path.
    fn documents() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let mut documents: Vec<PathBuf> = pages.filter(|path| path.extension() == Some("md".as_ref())).collect();
        documents.push(root.join("README.md"));
        documents.sort();
        documents
    }

    /// The lines of the code for shells in a document. What the shell or another program would put there is 1.
    fn shell_lines(document: &Path) -> Vec<String> {
        let text = fs::read_to_string(document).unwrap();
        let blocks = text.split("\n```").skip(1).step_by(2);
        let code = blocks.filter_map(|block| {
            let commands = block.strip_prefix("sh\n").map(str::to_owned);
            let session = block.strip_prefix("console\n").map(|session| session.replace("\n$ ", "\n"));
            commands.or(session)
        });
        let code = code.collect::<Vec<_>>().join("\n").replace("\\\n", "");
        let filled_in = Regex::new(r"\$\(\(.*?\)\)|\$\w+|\{\w*\}").unwrap().replace_all(&code, "1").into_owned();
        let of_many = Regex::new(r"\$\(.*?\)|:::.*").unwrap().replace_all(&filled_in, "").into_owned();
        of_many.lines().map(str::to_owned).collect()
    }

    /// The words of the command in a line of shell code, from the name of the program on.
    fn command(line: &str) -> Option<Vec<String>> {
        let words = shlex::split(line)?.into_iter().skip_while(|word| word != "malecon");
        let words: Vec<String> =
            words.take_while(|word| !["|", ">", ">>", "<", "&&", "&"].contains(&&**word)).collect();
        (!words.is_empty()).then_some(words)
    }

    /// Every command with its subcommands, each as the words that call it.
    fn commands(command: &clap::Command, words: &[String], all: &mut Vec<(Vec<String>, clap::Command)>) {
        let words = [words, &[command.get_name().to_owned()]].concat();
        command.get_subcommands().for_each(|sub| commands(sub, &words, all));
        all.push((words, command.clone()));
    }

    #[test]
    fn a_refused_value_is_answered_with_what_would_be_right() {
        let mut all = Vec::new();
        let mut program = CommandLine::command();
        program.build();
        commands(&program, &[], &mut all);
        let mut refused = 0;
        for (words, command) in all {
            for argument in command.get_arguments() {
                let Some(option) = argument.get_long() else { continue };
                let is_pair = argument.get_num_args().is_some_and(|values| values.min_values() == 2);
                for value in ["x", "-1", "99999999999999999999999"] {
                    let given = match is_pair {
                        true => vec![format!("--{option}"), value.into(), value.into()],
                        false => vec![format!("--{option}={value}")],
                    };
                    let words = [&words[..], &given].concat();
                    let Err(error) = CommandLine::try_parse_from(&words) else { continue };
                    if error.kind() == ErrorKind::ValueValidation {
                        let message = error.to_string();
                        assert!(message.contains("expected") || message.contains("such as"), "{words:?}: {message}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn the_commands_of_the_documents_are_accepted() {
        let mut accepted = 0;
        for document in documents() {
            for words in shell_lines(&document).iter().filter_map(|line| command(line)) {
                match CommandLine::try_parse_from(&words).map_err(|error| (error.kind(), error.to_string())) {
                    Ok(_) | Err((ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, _)) => accepted += 1,
                    Err((_, error)) => panic!("{}: {}: {error}", document.display(), words.join(" ")),
                }
            }
        }
        assert!(accepted > 50, "{accepted}");
    }
}
