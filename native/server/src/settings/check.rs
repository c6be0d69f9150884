//! `sotto-server check`: reads what a start would read and says all that is wrong, or what would run. It binds nothing. What a start
//! would say and serve all the same has a status of its own, and so has a key that is open to everybody.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;

use sotto_server::Zone;

use crate::arguments::Arguments;
use crate::report::{self, Failure};
use crate::settings::inputs::Inputs;
use crate::settings::listening::addresses;
use crate::settings::{self, account, secrecy};

pub fn check(mut words: Vec<OsString>) -> Result<(), Failure> {
    let assumed = account::assume(&mut words)?;
    look(&words).map_err(|failure| match assumed {
        Some(name) => failure
            .with(format!("(read as the account {name}, as which the server runs: --as NAME names another)")),
        None => failure,
    })
}

fn look(words: &[OsString]) -> Result<(), Failure> {
    let reading = settings::read_at_start(words);
    let mut complaints = reading.complaints();
    let Some(settings) = reading.settings.filter(|_| reading.is_whole) else {
        return Failure::of_all(complaints).map_or(Ok(()), Err);
    };
    let arguments = &settings.arguments;
    complaints.extend(twice(arguments));
    complaints.extend(no_folder(arguments));
    let inputs = Inputs::read(arguments);
    complaints.extend(inputs.as_ref().err().into_iter().flat_map(|failure| failure.texts().to_vec()));
    let warnings = inputs.as_ref().map(|inputs| inputs.warnings(arguments)).unwrap_or_default();
    let warnings = warnings.into_iter().map(|warning| warning.text);
    let warnings: Vec<_> = warnings.chain(secrecy::complaints(arguments)).collect();
    match (inputs, complaints.is_empty()) {
        (Ok(inputs), true) => {
            report::checked(arguments, inputs.identities.as_ref(), inputs.zone.as_ref().map(Zone::apex))?;
            Failure::of_warnings(warnings).map_or(Ok(()), Err)
        }
        _ => {
            complaints.extend(warnings);
            Failure::of_all(complaints).map_or(Ok(()), Err)
        }
    }
}

/// One address for two doors: the second could not be bound.
fn twice(arguments: &Arguments) -> Vec<String> {
    let doors = [("starttls", addresses(&arguments.starttls)), ("dot", addresses(&arguments.dot))];
    let of_doors = doors.iter().flat_map(|(key, addresses)| addresses.iter().map(|address| (*key, *address)));
    let all: Vec<_> = of_doors.chain(arguments.metrics.map(|address| ("metrics", address))).collect();
    let earlier = |(place, (key, address)): (usize, &(&str, SocketAddr))| {
        let (first, _) = all[..place].iter().find(|(_, other)| address.port() != 0 && other == address)?;
        Some(format!("{address} is taken twice, by {first} and by {key}: choose another address or port"))
    };
    all.iter().enumerate().filter_map(earlier).collect()
}

fn no_folder(arguments: &Arguments) -> Option<String> {
    let file = arguments.certificate_out.as_deref()?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let missing = format!("certificate-out {}: its folder does not exist: make it", file.display());
    (!folder.is_dir()).then_some(missing)
}
