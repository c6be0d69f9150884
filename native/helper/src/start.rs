//! Does what the command line says.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::{Done, Reply};
use crate::{ask, bridges, dhcp_said, fixes, gate, give_back, keep_over_boot, serve, sockets};

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.to_string()),
    };
    let code = carry_out(arguments, &runtime);
    // nothing waits for a file of the user's that is still being read
    runtime.shutdown_background();
    code
}

fn carry_out(arguments: Arguments, runtime: &Runtime) -> ExitCode {
    match (arguments.command, arguments.user) {
        (Some(Command::GiveBack { place }), _) => {
            let place = Place::at(&place.root);
            match is_root() {
                true => told(runtime.block_on(give_back::give_back(&System::at(&place), None))),
                false => asked(ask::give_back(&place.socket())),
            }
        }
        (Some(Command::Bridges {}), _) => {
            runtime.block_on(bridges::serve());
            ExitCode::FAILURE
        }
        (Some(Command::UndoFixes { place }), _) if is_root() => {
            let place = Place::at(&place.root);
            told(runtime.block_on(fixes::undo_all(&System::at(&place))))
        }
        (Some(Command::UndoFixes { .. }), _) => failed("only root can undo every fix"),
        (Some(Command::Gate { user, place }), _) => {
            ended(runtime.block_on(gate::serve(Place::at(&place.root), user)))
        }
        (Some(Command::KeepOverBoot { while_enabled, place }), _) if is_root() => {
            let place = Place::at(&place.root);
            told(runtime.block_on(keep_over_boot::keep(&place, &while_enabled)))
        }
        (Some(Command::KeepOverBoot { .. }), _) => failed("only root can look after the boot"),
        (Some(Command::DhcpSaid { place }), _) if is_root() => {
            let place = Place::at(&place.root);
            told(dhcp_said::read().and_then(|answer| dhcp_said::keep(&place, answer)))
        }
        (Some(Command::DhcpSaid { .. }), _) => failed("only root can say what DHCP said"),
        (None, Some(user)) if is_root() => {
            let policy = arguments.policy.unwrap_or_else(|| policy_of(&user));
            ended(runtime.block_on(serve::serve(Place::at(&arguments.place.root), user, policy)))
        }
        (None, _) => failed("only root can change the system's DNS"),
    }
}

/// The file of one person's service, unless the command line names another.
fn policy_of(user: &str) -> PathBuf {
    sockets::home(user).unwrap_or_default().join(".local/state/sotto/guardian.json")
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
    let all = match &done {
        Ok(Done::GivenBack { kept, .. }) => kept.is_empty(),
        Ok(Done::DhcpSaid { kept }) => *kept,
        other => other.is_ok(),
    };
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
