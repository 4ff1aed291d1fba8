//! `malecon completions` and `malecon man`: shell completions and manual pages, generated from the definition of the
//! command line.

use std::io;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use malecon::base::files::in_file;

use super::failure::Failure;
use super::output::print_data;

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
pub fn completions(arguments: &CompletionsArguments, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "malecon", &mut script);
    print_data(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of this command line, or writes the pages of it and of each subcommand to a directory.
pub fn man(arguments: &ManArguments, command: Command) -> Result<(), Failure> {
    let Some(directory) = &arguments.out else { return print_data(&page(command)?) };
    let created = std::fs::create_dir_all(directory);
    Ok(created.and_then(|()| clap_mangen::generate_to(command, directory)).map_err(in_file(directory))?)
}

fn page(command: Command) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
