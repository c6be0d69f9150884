//! The files that the settings name, read and checked.

use std::sync::Arc;

use sotto_encdns::SecretKey;
use sotto_server::{
    Backend, EncDns, EncDnsLimits, Forwarder, Identity, TicketSecret, Tickets, Zone, load_zone,
};
use sotto_wire::name::Name;
use time::OffsetDateTime;

use crate::arguments::Arguments;
use crate::report::Failure;
use crate::{encdns_key, ticket_file};

/// What is no reason to refuse it.
pub struct Warning {
    pub about: &'static str,
    pub text: String,
}

pub struct Inputs {
    pub zone: Option<Zone>,
    /// To servers behind, where there is no zone.
    forwarder: Option<Forwarder>,
    /// Of the EncDNS zone, the present one first.
    pub keys: Vec<SecretKey>,
    pub identity: Option<Identity>,
    pub tickets: Option<TicketSecret>,
}

impl Inputs {
    /// Says all that is wrong.
    pub fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let zone = zone(arguments);
        let keys = encdns_key::read_different(&arguments.encdns_key);
        let tickets = arguments.ticket_secret.as_deref().map(ticket_file::read).transpose();
        match (forwarder(arguments), zone, keys, identity(arguments), tickets) {
            (Ok(forwarder), Ok(zone), Ok(keys), Ok(identity), Ok(tickets)) => {
                Ok(Inputs { zone, forwarder, keys, identity, tickets })
            }
            (forwarder, zone, keys, identity, tickets) => {
                let failures = [forwarder.err(), zone.err(), keys.err(), identity.err(), tickets.err()];
                let complaints =
                    failures.iter().flatten().flat_map(|failure| failure.texts().to_vec()).collect();
                Err(Failure::of_all(complaints).expect("one of them failed"))
            }
        }
    }

    pub fn warnings(&self, arguments: &Arguments) -> Vec<Warning> {
        let certificate = self.identity.as_ref().and_then(|identity| untimely(identity, arguments));
        let tickets = self.tickets.as_ref().and_then(|secret| ticket_file::untimely(secret, arguments));
        [("certificate", certificate), ("ticket_secret", tickets)]
            .into_iter()
            .filter_map(|(about, text)| Some(Warning { about, text: text? }))
            .collect()
    }

    /// With a secret of this process alone, where no other is given.
    pub fn tickets(&mut self) -> Result<Arc<Tickets>, Failure> {
        let now = ticket_file::now();
        let secret = self.tickets.take().map_or_else(|| TicketSecret::generate(now), Ok);
        secret.and_then(|secret| Tickets::new(secret, now)).map_err(Failure::system)
    }

    pub fn backend(&mut self) -> Backend {
        match (self.zone.take(), self.forwarder.take()) {
            (Some(zone), _) => zone.into(),
            (None, Some(forwarder)) => Backend::Forward(Arc::new(forwarder)),
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

fn forwarder(arguments: &Arguments) -> Result<Option<Forwarder>, Failure> {
    if arguments.zone.is_some() {
        return Ok(None);
    }
    if let Some((server, own)) = arguments.loop_to_itself() {
        return Err(Failure::input(format!(
            "{server} leads back to this server, at {own}: give the address of another one"
        )));
    }
    if let Some(twice) = stub_zone_twice(arguments) {
        return Err(Failure::input(format!(
            "--stub-zone {twice} is given twice: name all its servers in one, with commas between them"
        )));
    }
    let roots = arguments.ca.as_ref().map(|file| {
        std::fs::read_to_string(file)
            .map_err(|error| Failure::input(format!("cannot read --ca {}: {error}", file.display())))
    });
    let roots = roots.transpose()?;
    Forwarder::new(arguments.to.clone(), arguments.stub_zone.clone(), roots.as_deref())
        .map(Some)
        .map_err(Failure::input)
}

fn stub_zone_twice(arguments: &Arguments) -> Option<&Name> {
    let mut names = arguments.stub_zone.iter().map(|zone| &zone.name).enumerate();
    names
        .find(|(place, name)| arguments.stub_zone[..*place].iter().any(|earlier| earlier.name == **name))
        .map(|(_, name)| name)
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

/// A start would serve it all the same: this machine's clock may be what is wrong.
fn untimely(identity: &Identity, arguments: &Arguments) -> Option<String> {
    let file = arguments.certificate.as_deref()?.display();
    let now = OffsetDateTime::now_utc();
    let (from, until) = identity.validity()?;
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
