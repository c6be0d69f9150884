//! The command line, read once and checked.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

const EXAMPLES: &str = "\
Examples:
  sotto-guardian --listen 127.0.0.1:5300 --listen [::1]:5300 --state ~/.local/state/sotto -- node cli.mjs run

The service is given the sockets as systemd would give them (LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES), and says how it is
doing the same way (NOTIFY_SOCKET: READY=1, then WATCHDOG=1 in time). It is replaced when it dies, or has said nothing for
as long as --watchdog allows, also where a signal ended it. SIGTERM and SIGINT are passed on and end both, the guardian with
the service's status; only a service that somebody wished to end says 0. SIGHUP is passed on.

A service that does not start is tried again every ten seconds. Meanwhile the guardian answers each query with SERVFAIL
and says why. Where --state holds a guardian.json that says that the system's DNS was taken and may be given back,
--give-back is run, after a line in service-down.journal says so. With --helper, sotto-helper does the same once nobody is left.

Status 1: the system refused something; 2: the arguments are wrong, or the service's settings at the first start.";

/// Holds the addresses, starts the service, and starts it again when it dies.
#[derive(Debug, Parser)]
#[command(name = "sotto-guardian", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// An address to hold, for UDP and TCP; repeat it for more. Sockets that systemd hands over are held instead
    #[arg(long, value_name = "IP:PORT")]
    pub listen: Vec<SocketAddr>,
    /// The service's state folder: policy, journal, and the socket for its life signs
    #[arg(long, value_name = "DIR")]
    pub state: PathBuf,
    /// What the policy allows when the service does not start [default: guardian.json in --state]
    #[arg(long, value_name = "FILE")]
    pub policy_file: Option<PathBuf>,
    /// A shell command that gives DNS back to the system
    #[arg(long, value_name = "COMMAND")]
    pub give_back: Option<String>,
    /// Where sotto-helper is told that somebody is there to look after what was taken
    #[arg(long, value_name = "SOCKET")]
    pub helper: Option<PathBuf>,
    /// Seconds of silence after which the service counts as hung
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub watchdog: Duration,
    /// Seconds a start may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub start_within: Duration,
    /// Seconds a stop may take
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = seconds)]
    pub stop_within: Duration,
    /// Where a person finds what the service said before it died, for the answers' extended error
    #[arg(long, value_name = "WORDS")]
    pub log: Option<String>,
    /// The service and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl Arguments {
    pub fn policy_file(&self) -> PathBuf {
        self.policy_file.clone().unwrap_or_else(|| self.state.join("guardian.json"))
    }

    /// systemd tells its services where their standard error goes.
    pub fn log(&self) -> String {
        let journal = std::env::var_os("JOURNAL_STREAM").is_some();
        let default = if journal { "journalctl -t sotto" } else { "the terminal or file it writes to" };
        self.log.clone().unwrap_or_else(|| default.into())
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=86_400.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("give a number of seconds, from 0.1 to 86400".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, String> {
        let all = ["sotto-guardian"].iter().chain(words);
        Arguments::try_parse_from(all).map_err(|error| error.to_string())
    }

    #[test]
    fn the_command_keeps_its_own_options() {
        let words = ["--state", "/s", "--listen", "[::1]:5300", "--", "node", "--listen", "x"];
        let arguments = parse(&words).unwrap();
        assert_eq!(arguments.command, ["node", "--listen", "x"]);
        assert_eq!(arguments.listen, ["[::1]:5300".parse().unwrap()]);
        assert_eq!(arguments.policy_file(), PathBuf::from("/s/guardian.json"));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert!(parse(&["--state", "/s"]).unwrap_err().contains("<COMMAND>"));
        assert!(parse(&["--", "true"]).unwrap_err().contains("--state"));
        let zero = parse(&["--state", "/s", "--watchdog", "0", "--", "true"]).unwrap_err();
        assert!(zero.contains("from 0.1 to 86400"), "{zero}");
    }

    #[test]
    fn the_manual_says_what_help_says() {
        sotto_manual::hold(<Arguments as clap::CommandFactory>::command());
    }
}
