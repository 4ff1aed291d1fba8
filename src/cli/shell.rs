//! `malecon completions` and `malecon man`: shell completions and manual pages, generated from the definition of the
//! command line.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::try_print;

/// Options of `malecon completions`.
#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

/// The part of the help after the options of `malecon completions`.
pub const COMPLETIONS_MANUAL: &str = "\
Examples:
  malecon completions bash > ~/.local/share/bash-completion/completions/malecon
  malecon completions zsh > ~/.zfunc/_malecon
  malecon completions fish > ~/.config/fish/completions/malecon.fish
";

/// Options of `malecon man`.
#[derive(Args)]
pub struct ManArguments {
    /// Write the page of the program and one for each subcommand to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The part of the help after the options of `malecon man`.
pub const MAN_MANUAL: &str = "\
Examples:
  malecon man | man -l -
      Read the page of the program.
  malecon man --out ~/.local/share/man/man1
      Install all pages: man malecon, man malecon-play and so on.
";

/// Prints the script that completes this command line.
pub fn completions(arguments: &CompletionsArguments, mut command: Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "malecon", &mut script);
    report(try_print(&script))
}

/// Prints the manual page of this command line, or writes the pages to a directory.
pub fn man(arguments: &ManArguments, command: Command) -> ExitCode {
    report(match &arguments.out {
        None => page(command).and_then(|page| try_print(&page)),
        Some(directory) => write_pages(directory, command),
    })
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}

/// `generate_to` writes one page for the program and one for each subcommand.
fn write_pages(directory: &Path, command: Command) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(command, directory)
}

fn report(done: io::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
