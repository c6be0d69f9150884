//! Which servers are asked for a name, and what the client gets.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use sotto_wire::edns::ExtendedError;
use sotto_wire::header::rcode;
use sotto_wire::question::Question;
use sotto_wire::types;

use super::address::{ServerAddress, StubZone};
use super::figures::{ResolverFigures, ResolverSnapshot};
use super::group::Group;
use super::opening::Unusable;
use super::readiness::Readiness;
use super::relay::relay;
use super::server::Server;
use crate::query::Query;
use crate::response::refuse;
use crate::transport::Terms;

#[derive(Debug)]
pub struct Forwarder {
    resolvers: Option<Group>,
    stub_zones: HashMap<Box<[u8]>, Group>,
    /// each once: what is known of a server serves all of its zones
    servers: Vec<Arc<Server>>,
    figures: ResolverFigures,
    readiness: Readiness,
}

impl Forwarder {
    /// `roots`: PEM, whom to believe about the names of servers; without them those of the system.
    pub fn new(
        resolvers: Vec<ServerAddress>,
        stub_zones: Vec<StubZone>,
        roots: Option<&str>,
    ) -> Result<Self, Unusable> {
        let authorities: usize = stub_zones.iter().map(|zone| zone.authorities.len()).sum();
        let mut all = All { servers: Vec::new(), expected: resolvers.len() + authorities, roots };
        let resolvers = all.at(resolvers)?;
        let mut groups = HashMap::new();
        for StubZone { name, authorities } in stub_zones {
            let group = Group::new(all.at(authorities)?, Some(&name));
            groups.insert(Box::from(name.as_wire()), group);
        }
        Ok(Forwarder {
            resolvers: (!resolvers.is_empty()).then(|| Group::new(resolvers, None)),
            stub_zones: groups,
            servers: all.servers,
            figures: ResolverFigures::default(),
            readiness: Readiness::default(),
        })
    }

    pub fn figures(&self) -> ResolverSnapshot {
        self.figures.snapshot(self.servers.iter().map(|server| server.snapshot()).collect())
    }

    /// Why no clients should be sent here, in a word. The resolvers decide, where there are some: the authorities of one zone may be dead
    /// for all servers alike, which then still resolve everything else.
    pub async fn obstacle(&self) -> Option<&'static str> {
        let (deciding, obstacle): (Vec<_>, _) = match &self.resolvers {
            Some(resolvers) => (vec![resolvers], "no_resolver_responds"),
            None => (self.stub_zones.values().collect(), "no_authority_responds"),
        };
        (!self.readiness.of(deciding).await).then_some(obstacle)
    }

    /// The whole response. If no server gave one: SERVFAIL, with a reason in general words.
    pub async fn answer(&self, message: Vec<u8>, terms: Terms, client: IpAddr) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        let Ok(query) = Query::parse(&message) else {
            return out;
        };
        let Some(group) = self.group(&query.question) else {
            refuse(
                &query,
                terms,
                rcode::REFUSED,
                &[ExtendedError::new(ExtendedError::NOT_AUTHORITATIVE, "it is in none of the stub zones")],
                &mut out,
            );
            return out;
        };
        let in_flight = self.figures.query();
        let why = match group.ask(&query, client).await {
            Ok(response) => match relay(&response, &query, terms, &mut out) {
                Ok(()) => {
                    in_flight.responded();
                    return out;
                }
                Err(_) => {
                    let text = "the server behind sent a malformed response";
                    ExtendedError::new(ExtendedError::NETWORK_ERROR, text)
                }
            },
            Err(failure) => failure.in_general(),
        };
        in_flight.failed();
        out.clear();
        refuse(&query, terms, rcode::SERVFAIL, &[why], &mut out);
        out
    }

    /// Of the longest stub zone above the name, or of everything else. The DS of a zone is in the zone above (RFC 4035 section 3.1.4.1).
    fn group(&self, question: &Question) -> Option<&Group> {
        let from = usize::from(question.kind == types::DS);
        let mut suffixes = question.name.suffixes().skip(from);
        suffixes.find_map(|suffix| self.stub_zones.get(suffix)).or(self.resolvers.as_ref())
    }
}

/// The servers so far.
struct All<'a> {
    servers: Vec<Arc<Server>>,
    /// as many as there may be in the end
    expected: usize,
    roots: Option<&'a str>,
}

impl All<'_> {
    /// The servers at these addresses, each once; those that are new are added.
    fn at(&mut self, addresses: Vec<ServerAddress>) -> Result<Vec<Arc<Server>>, Unusable> {
        let mut servers: Vec<Arc<Server>> = Vec::new();
        for address in addresses {
            let found = self.servers.iter().find(|server| *server.address() == address).cloned();
            let server = match found {
                Some(server) => server,
                None => {
                    let server = Arc::new(Server::new(address, self.roots, self.expected)?);
                    self.servers.push(server.clone());
                    server
                }
            };
            if !servers.iter().any(|other| Arc::ptr_eq(other, &server)) {
                servers.push(server);
            }
        }
        Ok(servers)
    }
}
