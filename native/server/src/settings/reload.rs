//! SIGHUP: the command line once more, with its file and all that it names. Everything is taken or nothing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use sotto_server::{Changeable, Renewal};

use crate::report::Failure;
use crate::settings::Settings;
use crate::settings::inputs::{Inputs, Roots, Warning};

pub struct Reload {
    pub renewal: Renewal,
    pub stop_notice: Duration,
    /// The file of the secret that was taken.
    pub ticket_secret: Option<PathBuf>,
    /// Keys whose change only another start takes.
    pub needing_restart: Vec<String>,
    /// To be said, and no reason to refuse it.
    pub warnings: Vec<Warning>,
}

/// `started` and `roots`: what the server runs with. Reads files, which may take a while.
pub fn read(words: &[OsString], started: &Settings, roots: &Roots) -> Result<Reload, Failure> {
    let now = Settings::again(words)?;
    let arguments = &now.arguments;
    let inputs = Inputs::read(arguments)?;
    let warnings = inputs.warnings(arguments);
    // clients trust the certificate that was made at the start
    let stays = [arguments, &started.arguments].iter().any(|arguments| !arguments.self_signed.is_empty());
    let identities = inputs.identities.filter(|_| !stays);
    let mut needing_restart = started.needing_restart(&now);
    if inputs.roots != *roots && !needing_restart.iter().any(|key| key == "ca") {
        needing_restart.push("ca".into());
    }
    Ok(Reload {
        stop_notice: arguments.stop_notice,
        ticket_secret: arguments.ticket_secret.clone(),
        needing_restart,
        warnings,
        renewal: Renewal {
            identities,
            zone: inputs.zone,
            tickets: inputs.tickets,
            keys: Some(inputs.keys).filter(|keys| !keys.is_empty()),
            terms: Some(Changeable {
                proxies: arguments.proxy_from.clone().into(),
                delay: arguments.delay,
                limits: arguments.limits(),
            }),
        },
    })
}
