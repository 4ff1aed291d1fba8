//! Options of the engine that several subcommands have.

use clap::Args;
use malecon::engine::session;
use malecon::protocols::gtp;
use malecon::protocols::gtp::protocol::CommandError;

/// Options of every subcommand with an engine.
#[derive(Args)]
pub struct EngineArguments {
    /// File of the network that guides the search [default: the one in the program]
    #[arg(long, value_name = "FILE")]
    network: Option<String>,
    /// Set any option of the engine; malecon gtp --help lists them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl EngineArguments {
    /// The options of a GTP engine: those of `named` that have a value, the network, then those of `--set`.
    pub fn options(&self, named: &[(&str, Option<String>)]) -> Result<gtp::GtpOptions, CommandError> {
        let network = [("network", self.network.clone())];
        let named = named.iter().chain(&network).filter_map(|(name, value)| Some(Ok((*name, value.as_deref()?))));
        let mut options = gtp::GtpOptions::default();
        for setting in named.chain(self.set.iter().map(|pair| super::name_and_value(pair))) {
            let (name, value) = setting?;
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// The options of a session: see [`EngineArguments::options`].
    pub fn session_options(&self, named: &[(&str, Option<String>)]) -> Result<session::EngineOptions, CommandError> {
        let gtp::GtpOptions { protocol, session } = self.options(named)?;
        match protocol.list().into_iter().find(|option| option.value != option.default) {
            Some(option) => Err(CommandError::new(format!("option '{}' is for malecon gtp only", option.name))),
            None => Ok(session),
        }
    }
}

/// Options of a game against the engine.
#[derive(Args)]
pub struct GameArguments {
    /// Threads that search together
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    /// Seconds to think about a move at full strength, while no clock is set [default: 5]
    #[arg(long, value_name = "S")]
    time: Option<String>,
    /// Simulations to think about a move at full strength, instead of seconds
    #[arg(long, value_name = "N")]
    simulations: Option<String>,
    /// Seed of the random numbers; with one thread, --simulations and no clock, the same seed plays the same moves
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// Play with the pie rule: the second player may take over the first stone
    #[arg(long)]
    swap: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

impl GameArguments {
    /// Whether the time or the simulations of a move are given.
    pub fn is_limited(&self) -> bool {
        self.time.is_some() || self.simulations.is_some()
    }

    /// The options of the engine: `first` where they have a value, then those given here.
    pub fn options(&self, first: &[(&str, Option<String>)]) -> Result<gtp::GtpOptions, CommandError> {
        let own = [
            ("threads", self.threads.clone()),
            ("seconds", self.time.clone()),
            ("simulations", self.simulations.clone()),
            ("seed", self.seed.clone()),
            ("swap", self.swap.then(|| "true".to_owned())),
        ];
        self.engine.options(&[first, &own].concat())
    }
}
