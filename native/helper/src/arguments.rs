//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  sotto-helper --for sotto
  sotto-helper give-back
  sotto-helper undo-fixes
  sotto-helper keep-over-boot --while-enabled sotto.service
  printf 'nameserver 192.0.2.1\\nsearch corp.example\\n' | sotto-helper dhcp-said
  sotto-helper gate --for sotto

What was taken is looked after by the service and its guardian. Once both are dead and nobody has started them again, it is
given back where --policy allows it; orphaned.json beside the journal says so to the next service.

What was changed, and how it is undone, is in /var/lib/sotto-helper/journal.json before the change.

Status 1: something could not be given back, the system refused, or what DHCP said was not kept; 2: the arguments are wrong.";

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
    /// Where that user's service says what may be given back once nobody is left to look after it [default: guardian.json in
    /// ~/.local/state/sotto]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
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
        #[command(flatten)]
        place: PlaceArguments,
    },
    /// Undo every fix ("sotto fix"), before Sotto is removed: browsers, NetworkManager and Docker get back the settings that they had
    UndoFixes {
        #[command(flatten)]
        place: PlaceArguments,
    },
    /// Passes queries that come by Docker's bridges, to the address of docker0, on to 127.0.0.1; needs the right to bind port 53
    Bridges {},
    /// At boot, before anybody resolves: what was taken leads to us again, or is given back if the unit will not answer
    KeepOverBoot {
        /// Whoever answers
        #[arg(long, value_name = "UNIT")]
        while_enabled: String,
        #[command(flatten)]
        place: PlaceArguments,
    },
    /// A DHCP client's hook: while /etc/resolv.conf is Sotto's, keep the resolv.conf on standard input for the moment when DNS is
    /// given back, and leave /etc/resolv.conf Sotto's. Only addresses, domains and options that are well-formed are kept
    DhcpSaid {
        #[command(flatten)]
        place: PlaceArguments,
    },
    /// Waits for requests to reject the machine's DNS that goes past Sotto, by nftables, on /run/sotto-gate/gate.sock or on the
    /// socket systemd hands over
    Gate {
        /// Whose packets pass, and who may ask besides root: the service's user
        #[arg(long = "for", value_name = "USER")]
        user: String,
        #[command(flatten)]
        place: PlaceArguments,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_says_what_help_says() {
        sotto_manual::hold(<Arguments as clap::CommandFactory>::command());
    }
}
