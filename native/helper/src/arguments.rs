//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  sotto-helper --for sotto
  sotto-helper give-back
  sotto-helper give-back --unless-enabled sotto.service

What was changed, and how it is undone, is in /var/lib/sotto-helper/journal.json before the change.

Status 1: something could not be given back, or the system refused; 2: the arguments are wrong.";

/// Waits for requests on /run/sotto-helper/helper.sock, or on the socket systemd hands over (LISTEN_FDS).
#[derive(Debug, Parser)]
#[command(name = "sotto-helper", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Who may ask, besides root: a user's number or name
    #[arg(long = "for", value_name = "USER", required = true)]
    pub user: Option<String>,
    #[command(flatten)]
    pub place: PlaceArguments,
}

#[derive(Debug, Args)]
pub struct PlaceArguments {
    /// Where the system's files are, for tests
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Give back everything that was taken: as root at once, as anybody else by asking the one that serves
    GiveBack {
        /// At boot: nothing, if this unit is enabled and will answer
        #[arg(long, value_name = "UNIT")]
        unless_enabled: Option<String>,
        #[command(flatten)]
        place: PlaceArguments,
    },
}
