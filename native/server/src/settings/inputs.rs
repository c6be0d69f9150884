//! The files that the settings name, read and checked.

use std::sync::Arc;

use sotto_encdns::SecretKey;
use sotto_server::{Backend, EncDns, EncDnsLimits, Forwarder, Identity, Zone, load_zone};

use crate::arguments::Arguments;
use crate::encdns_key;
use crate::report::Failure;

pub struct Inputs {
    pub zone: Option<Zone>,
    /// Of the EncDNS zone, the present one first.
    pub keys: Vec<SecretKey>,
    pub identity: Option<Identity>,
}

impl Inputs {
    /// Says all that is wrong.
    pub fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let zone = zone(arguments);
        let keys = encdns_key::read_different(&arguments.encdns_key);
        match (not_to_itself(arguments), zone, keys, identity(arguments)) {
            (Ok(()), Ok(zone), Ok(keys), Ok(identity)) => Ok(Inputs { zone, keys, identity }),
            (own, zone, keys, identity) => {
                let failures = [own.err(), zone.err(), keys.err(), identity.err()];
                let complaints =
                    failures.iter().flatten().flat_map(|failure| failure.texts().to_vec()).collect();
                Err(Failure::of_all(complaints).expect("one of them failed"))
            }
        }
    }

    pub fn backend(&mut self, arguments: &Arguments) -> Backend {
        match (self.zone.take(), arguments.to) {
            (Some(zone), _) => zone.into(),
            (None, Some(to)) => Backend::Forward(Arc::new(Forwarder::new(to))),
            (None, None) => unreachable!("clap requires one of the two"),
        }
    }

    pub fn encdns(&mut self, arguments: &Arguments) -> Option<EncDns> {
        let mut secrets = std::mem::take(&mut self.keys).into_iter();
        let present = secrets.next()?;
        let limits = EncDnsLimits {
            per_client: arguments.encdns_per_client,
            per_resolver: arguments.encdns_per_resolver,
        };
        let encdns = EncDns::new(arguments.encdns?, present, &arguments.encdns_address);
        Some(encdns.with_older_keys(secrets).with_limits(limits))
    }
}

fn not_to_itself(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.loop_to_itself() {
        Some(own) => Err(Failure::input(format!(
            "--to leads back to --starttls {own}: give the address of another resolver"
        ))),
        None => Ok(()),
    }
}

fn zone(arguments: &Arguments) -> Result<Option<Zone>, Failure> {
    let zone = arguments.zone.as_ref().map(|file| load_zone(file, &arguments.origin));
    zone.transpose().map_err(Failure::input)
}

fn identity(arguments: &Arguments) -> Result<Option<Identity>, Failure> {
    match (&arguments.certificate, &arguments.key) {
        (Some(certificate), Some(key)) => {
            Identity::from_files(certificate, key).map(Some).map_err(Failure::input)
        }
        _ if !arguments.self_signed.is_empty() => {
            Identity::self_signed(&arguments.self_signed).map(Some).map_err(Failure::input)
        }
        // one of the two is missing, which was said
        (Some(_), None) | (None, Some(_)) => Ok(None),
        _ if arguments.needs_identity() => Err(Failure::input(
            "TLS needs a certificate: give --certificate FILE and --key FILE, or --self-signed NAME \
             (--help shows how to make one with openssl)",
        )),
        _ => Ok(None),
    }
}
