//! What the command line asked for.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde_json::json;
use tokio::runtime::Builder;

use crate::arguments::{Arguments, Command};
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::{Done, Failure, Reply};
use crate::{ask, boot, gate, give_back, serve, sockets};

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.to_string()),
    };
    match (arguments.command, arguments.user) {
        (Some(Command::GiveBack { unless_enabled, place }), _) => {
            let place = Place::at(&place.root);
            match is_root() {
                true => told(runtime.block_on(give_back(&place, unless_enabled))),
                false if unless_enabled.is_some() => failed("only root can look after the boot"),
                false => asked(ask::give_back(&place.socket())),
            }
        }
        (Some(Command::Gate { user, place }), _) => {
            ended(runtime.block_on(gate::serve(Place::at(&place.root), user)))
        }
        (None, Some(user)) if is_root() => {
            let policy = arguments.policy.unwrap_or_else(|| policy_of(&user));
            ended(runtime.block_on(serve::serve(Place::at(&arguments.place.root), user, policy)))
        }
        (None, _) => failed("only root can change the system's DNS"),
    }
}

/// Of a service of one's own, unless it was told another place.
fn policy_of(user: &str) -> PathBuf {
    sockets::home(user).unwrap_or_default().join(".local/state/sotto/guardian.json")
}

/// Where the service will come, what another process had begun is still finished.
async fn give_back(place: &Place, unless_enabled: Option<String>) -> Result<Done, Failure> {
    let system = System::at(place);
    match unless_enabled.is_some_and(|unit| boot::is_enabled(place, &unit)) {
        true => give_back::finish_begun(&system).await,
        false => give_back::give_back(&system, None).await,
    }
}

fn ended(served: Result<(), String>) -> ExitCode {
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => failed(&reason),
    }
}

fn asked(all: Result<bool, String>) -> ExitCode {
    match all {
        Ok(all) => ExitCode::from(u8::from(!all)),
        Err(reason) => failed(&reason),
    }
}

fn told(done: Result<Done, Failure>) -> ExitCode {
    let all = matches!(&done, Ok(Done::GivenBack { kept, .. }) if kept.is_empty());
    let reply = done.map_or_else(Reply::Failed, Reply::Ok);
    println!("{}", json!(reply));
    ExitCode::from(u8::from(!all))
}

fn failed(reason: &str) -> ExitCode {
    eprintln!("sotto-helper: {reason}");
    ExitCode::FAILURE
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
