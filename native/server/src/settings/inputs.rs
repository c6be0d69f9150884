//! The files that the settings name, read and checked.

use std::path::PathBuf;
use std::sync::Arc;

use sotto_encdns::SecretKey;
use sotto_engine::zone;
use sotto_files::regular;
use sotto_server::{
    Backend, EncDns, EncDnsLimits, Forwarder, Identities, TicketSecret, Tickets, Zone, load_zone,
};
use sotto_wire::name::Name;

use crate::arguments::Arguments;
use crate::report::Failure;
use crate::settings::identities;
use crate::{encdns_key, ticket_file};

/// Octets; what systems come with has a few hundred thousand.
const LONGEST_ROOTS: u64 = 16 << 20;

/// What is no reason to refuse it.
pub struct Warning {
    pub about: &'static str,
    pub text: String,
}

/// What `--ca` holds, by which a later content is told from it: servers behind keep what they were given at the start.
#[derive(Clone, PartialEq, Eq)]
pub struct Roots(Option<String>);

pub struct Inputs {
    pub zone: Option<Zone>,
    /// To servers behind, where there is no zone.
    forwarder: Option<Forwarder>,
    pub roots: Roots,
    /// Of the EncDNS zone, the present one first.
    pub keys: Vec<SecretKey>,
    pub identities: Option<Identities>,
    pub tickets: Option<TicketSecret>,
}

impl Inputs {
    /// Says all that is wrong.
    pub fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let zone = zone(arguments);
        let keys = encdns_key::read_different(&arguments.encdns_key);
        let tickets = arguments.ticket_secret.as_deref().map(ticket_file::read).transpose();
        match (behind(arguments), zone, keys, identities::read(arguments), tickets) {
            (Ok((forwarder, roots)), Ok(zone), Ok(keys), Ok(identities), Ok(tickets)) => {
                Ok(Inputs { zone, forwarder, roots, keys, identities, tickets })
            }
            (behind, zone, keys, identities, tickets) => {
                let failures = [behind.err(), zone.err(), keys.err(), identities.err(), tickets.err()];
                let complaints =
                    failures.iter().flatten().flat_map(|failure| failure.texts().to_vec()).collect();
                Err(Failure::of_all(complaints).expect("one of them failed"))
            }
        }
    }

    pub fn warnings(&self, arguments: &Arguments) -> Vec<Warning> {
        let certificates = self.identities.iter().flat_map(identities::warnings);
        let untimely = self.tickets.as_ref().and_then(|secret| ticket_file::untimely(secret, arguments));
        let tickets = untimely.into_iter().chain(ticket_file::unwritable(arguments));
        let about = |about: &'static str| move |text| Warning { about, text };
        let connections = too_many_connections(arguments).map(about("limit_connections"));
        let certificates = certificates.map(about("certificate"));
        let links = without_link(arguments).map(about("no_link"));
        certificates.chain(tickets.map(about("ticket_secret"))).chain(connections).chain(links).collect()
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

fn too_many_connections(arguments: &Arguments) -> Option<String> {
    let wanted = arguments.limits();
    let room = wanted.within_descriptors().connections;
    (room < wanted.connections).then(|| {
        format!(
            "--limit-connections {}: this process may have descriptors for {room}, and no more get a place: raise LimitNOFILE= of \
             the unit (ulimit -Hn), or give --limit-connections {room}",
            wanted.connections
        )
    })
}

/// A link may come later, and the server is no worse off than with one that is down.
fn without_link(arguments: &Arguments) -> impl Iterator<Item = String> {
    let authorities = arguments.stub_zone.iter().flat_map(|zone| &zone.authorities);
    let servers = arguments.to.iter().chain(authorities);
    let lost = servers.filter(|server| zone::is_absent(server.address));
    lost.map(|server| {
        let ip = server.address.ip();
        format!("{ip} is behind a link that this machine does not have now (ip link), and is not reached until a restart finds it")
    })
}

/// Says all that is wrong.
fn behind(arguments: &Arguments) -> Result<(Option<Forwarder>, Roots), Failure> {
    if arguments.zone.is_some() {
        return Ok((None, Roots(None)));
    }
    let leads_back = arguments.loop_to_itself().map(|(server, own)| {
        format!("{server} leads back to this server, at {own}: give the address of another one")
    });
    let twice = stub_zone_twice(arguments).map(|zone| {
        format!("--stub-zone {zone} is given twice: name all its servers in one, with commas between them")
    });
    let behind = roots(arguments).and_then(|roots| {
        Forwarder::new(arguments.to.clone(), arguments.stub_zone.clone(), roots.0.as_deref())
            .map(|forwarder| (Some(forwarder), roots))
            .map_err(|unusable| unusable.to_string())
    });
    let mut complaints: Vec<_> = leads_back.into_iter().chain(twice).collect();
    match behind {
        Ok(behind) => Failure::of_all(complaints).map_or(Ok(behind), Err),
        Err(complaint) => {
            complaints.push(complaint);
            Err(Failure::of_all(complaints).expect("there is one"))
        }
    }
}

/// PEM, as the engine reads it.
fn roots(arguments: &Arguments) -> Result<Roots, String> {
    let read = |file: &PathBuf| {
        regular::read_text(file, LONGEST_ROOTS).map_err(|error| {
            format!("cannot read --ca {}: {error}; a PEM file of certificates is needed", file.display())
        })
    };
    arguments.ca.as_ref().map(read).transpose().map(Roots)
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
