//! Certificates with their keys: two files each, or a folder of them.

use std::fs;
use std::path::{Path, PathBuf};

use sotto_server::{Identities, Identity};
use time::OffsetDateTime;

use crate::arguments::Arguments;
use crate::report::Failure;

/// Says all that is wrong. Reads files, which takes a while where there are many.
pub fn read(arguments: &Arguments) -> Result<Option<Identities>, Failure> {
    if !arguments.self_signed.is_empty() {
        let identity = Identity::self_signed(&arguments.self_signed).map_err(Failure::input)?;
        return Ok(Some(identity.into()));
    }
    let (pairs, mut faults) = pairs(arguments);
    let mut all = Vec::with_capacity(pairs.len());
    for (certificate, key) in pairs {
        match Identity::from_files(&certificate, &key) {
            Ok(identity) => all.push(identity),
            Err(errors) => faults.extend(errors.iter().map(ToString::to_string)),
        }
    }
    match Failure::of_all(faults) {
        Some(failure) => Err(failure),
        None if all.is_empty() && is_missing(arguments) => Err(Failure::input(
            "TLS needs a certificate: give --certificate FILE and --key FILE, --certificates FOLDER, or \
             --self-signed NAME (--help shows how to make one with openssl)",
        )),
        None => Ok(Identities::new(all)),
    }
}

/// Where one of the two flags is missing, that was said.
fn is_missing(arguments: &Arguments) -> bool {
    arguments.needs_identity() && arguments.certificate.is_empty() && arguments.key.is_empty()
}

type Pairs = Vec<(PathBuf, PathBuf)>;

/// The files of each certificate and its key, and what is wrong with how they are named.
pub fn pairs(arguments: &Arguments) -> (Pairs, Vec<String>) {
    let (certificates, keys) = (&arguments.certificate, &arguments.key);
    let mut faults = Vec::new();
    if certificates.len() != keys.len() && !certificates.is_empty() && !keys.is_empty() {
        faults.push(format!(
            "there are {} of --certificate and {} of --key: give a key for each certificate, in the same order",
            certificates.len(),
            keys.len()
        ));
    }
    let mut pairs: Pairs = certificates.iter().cloned().zip(keys.iter().cloned()).collect();
    if let Some(folder) = &arguments.certificates {
        match of_folder(folder) {
            Ok(all) => {
                let (whole, partial): (Pairs, Pairs) =
                    all.into_iter().partition(|(certificate, key)| certificate.exists() && key.exists());
                faults.extend(partial.iter().map(alone));
                pairs.extend(whole);
            }
            Err(fault) => faults.push(fault),
        }
    }
    (pairs, faults)
}

/// In the order of their names. One of the two files may not exist. Others, and hidden ones, have another purpose.
fn of_folder(folder: &Path) -> Result<Pairs, String> {
    let unread = |error| {
        format!(
            "cannot read --certificates {}: {error}; a folder with NAME.pem and NAME.key is needed",
            folder.display()
        )
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let file = entry.map_err(unread)?.path();
        let is_hidden = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_one = file.extension().is_some_and(|extension| extension == "pem" || extension == "key");
        names.extend((is_one && !is_hidden).then(|| file.with_extension("")));
    }
    if names.is_empty() {
        return Err(format!(
            "--certificates {} holds no NAME.pem and NAME.key: put them there",
            folder.display()
        ));
    }
    names.sort();
    names.dedup();
    let with = |name: &PathBuf, extension: &str| {
        let mut file = name.clone().into_os_string();
        file.push(extension);
        PathBuf::from(file)
    };
    Ok(names.iter().map(|name| (with(name, ".pem"), with(name, ".key"))).collect())
}

fn alone((certificate, key): &(PathBuf, PathBuf)) -> String {
    let (there, missing) = if certificate.exists() { (certificate, key) } else { (key, certificate) };
    format!("{} is alone: put {} beside it, or take it away", there.display(), missing.display())
}

/// What a start would serve all the same.
pub fn warnings(identities: &Identities) -> Vec<String> {
    let now = OffsetDateTime::now_utc();
    let untimely = identities.all().iter().filter_map(|identity| untimely(identity, now));
    let nameless = identities.all().iter().skip(1).filter(|identity| identity.names.is_empty());
    let nameless = nameless.map(|identity| {
        format!(
            "certificate {} has no DNS name, and no client gets it: put it first or take it away",
            file(identity)
        )
    });
    let doubles = identities.doubles().map(|(name, serves, idle)| {
        format!("{name} is in two certificates: {} is used for it, {} is not", file(serves), file(idle))
    });
    untimely.chain(nameless).chain(doubles).collect()
}

fn file(identity: &Identity) -> String {
    identity.file.as_deref().map(Path::display).map(|file| file.to_string()).unwrap_or_default()
}

/// Those of which clients would refuse one that they do not refuse now. One that ran out in use is no reason to refuse the others.
pub fn worse(present: &Identities, wanted: &Identities) -> Option<Failure> {
    let now = OffsetDateTime::now_utc();
    let is_served = |one: &&Identity| {
        present.all().iter().any(|other| (&other.pin, other.validity) == (&one.pin, one.validity))
    };
    let new = wanted.all().iter().filter(|one| !is_served(one));
    Failure::of_all(new.filter_map(|identity| untimely(identity, now)).collect())
}

/// This machine's clock may be what is wrong.
fn untimely(identity: &Identity, now: OffsetDateTime) -> Option<String> {
    let file = identity.file.as_deref()?.display();
    let (from, until) = identity.validity?;
    let day = |moment: OffsetDateTime| moment.date();
    if now > until {
        Some(format!("certificate {file} expired on {}, and clients refuse it: renew it", day(until)))
    } else if now < from {
        Some(format!(
            "certificate {file} is good from {} on, and clients refuse it: is the clock right?",
            day(from)
        ))
    } else {
        None
    }
}
