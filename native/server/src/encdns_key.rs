//! `sotto-server encdns-key`: makes the key of an EncDNS zone, and prints the address that clients need.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use sotto_encdns::SecretKey;
use sotto_files::regular;

use crate::report::{Failure, print, write_secret};

const LENGTH: usize = 32;

const EXAMPLES: &str = "\
Examples:
  sotto-server encdns-key --zone enc.example.org enc.key
  sotto-server encdns-key --zone enc.example.org enc.key     again: prints the address of the key that is there

  Then, to change a key without losing clients:
    sotto-server encdns-key --zone enc.example.org new.key
    sotto-server ... --encdns-key new.key --encdns-key enc.key

Leave the old key behind the new one until all clients have the address that was printed for the new one, then remove it.

The file has the 32 octets of the secret key, as the published server reads them, and belongs to whoever owns its folder: let that be the
account of the server. Keep it from others: whoever has it can read what clients ask. The line that is printed has the public key, and goes to the clients.";

/// Make the secret key of an EncDNS zone, and print the address for clients.
#[derive(Debug, Parser)]
#[command(name = "sotto-server encdns-key", bin_name = "sotto-server encdns-key", version, after_help = EXAMPLES)]
struct Arguments {
    /// The zone that is delegated to the server
    #[arg(long, value_name = "ZONE", value_parser = crate::arguments::zone)]
    zone: sotto_wire::name::Name,
    /// The secret key; written where there is none
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn make(words: &[OsString]) -> Result<(), Failure> {
    let Arguments { zone, file } = Arguments::parse_from(words);
    let secret = if file.exists() { read(&file)? } else { write(&file)? };
    print(&format!("encdns://{}?key={}", zone, secret.public()))
}

fn read(file: &Path) -> Result<SecretKey, Failure> {
    let octets =
        regular::read(file).map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
    let octets: [u8; LENGTH] = octets.try_into().map_err(|octets: Vec<u8>| {
        Failure::input(format!(
            "{} has {} octets, and a secret key has {LENGTH}: make one with sotto-server encdns-key",
            file.display(),
            octets.len()
        ))
    })?;
    Ok(SecretKey::from_octets(octets))
}

/// One key of each file, in their order.
pub fn read_different(files: &[PathBuf]) -> Result<Vec<SecretKey>, Failure> {
    let secrets: Vec<_> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    for (place, secret) in secrets.iter().enumerate() {
        if let Some(earlier) = secrets[..place].iter().position(|other| other.public() == secret.public()) {
            let (one, other) = (files[earlier].display(), files[place].display());
            return Err(Failure::input(format!(
                "--encdns-key names the same key twice, in {one} and in {other}: name each key once"
            )));
        }
    }
    Ok(secrets)
}

fn write(file: &Path) -> Result<SecretKey, Failure> {
    let secret = SecretKey::generate()
        .map_err(|error| Failure::system(format!("no randomness for a key: {error}")))?;
    write_secret(file, &secret.to_octets())
        .map_err(|error| Failure::system(format!("cannot write {}: {error}", file.display())))?;
    Ok(secret)
}
