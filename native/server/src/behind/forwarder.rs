//! Which servers are asked for a name, and what the client gets.

use std::collections::HashMap;

use sotto_wire::edns::ExtendedError;
use sotto_wire::header::rcode;
use sotto_wire::question::Question;
use sotto_wire::types;

use super::address::{ServerAddress, StubZone};
use super::figures::{ResolverFigures, ResolverSnapshot};
use super::group::Group;
use super::opening::Unusable;
use super::relay::relay;
use crate::query::Query;
use crate::response::refuse;
use crate::transport::Terms;

#[derive(Debug)]
pub struct Forwarder {
    resolvers: Option<Group>,
    stub_zones: HashMap<Box<[u8]>, Group>,
    figures: ResolverFigures,
}

impl Forwarder {
    /// `roots`: PEM, whom to believe about the names of servers; without them those of the system.
    pub fn new(
        resolvers: Vec<ServerAddress>,
        stub_zones: Vec<StubZone>,
        roots: Option<&str>,
    ) -> Result<Self, Unusable> {
        let has_some = !resolvers.is_empty();
        let resolvers = has_some.then(|| Group::new(resolvers, true, roots)).transpose()?;
        let of_zone = |StubZone { name, authorities }| {
            Ok((Box::from(name.as_wire()), Group::new(authorities, false, roots)?))
        };
        let stub_zones = stub_zones.into_iter().map(of_zone).collect::<Result<_, _>>()?;
        Ok(Forwarder { resolvers, stub_zones, figures: ResolverFigures::default() })
    }

    pub fn figures(&self) -> ResolverSnapshot {
        let groups = self.resolvers.iter().chain(self.stub_zones.values());
        self.figures.snapshot(groups.flat_map(Group::snapshots).collect())
    }

    /// The whole response. If no server gave one: SERVFAIL, with the reason.
    pub async fn answer(&self, message: Vec<u8>, terms: Terms) -> Vec<u8> {
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
        let why = match group.ask(&query).await {
            Ok(response) => match relay(&response, &query, terms, &mut out) {
                Ok(()) => {
                    in_flight.responded();
                    return out;
                }
                Err(malformed) => malformed.to_string(),
            },
            Err(unanswered) => format!("{}: {}", unanswered.server, unanswered.failure),
        };
        in_flight.failed();
        out.clear();
        let why = ExtendedError::new(ExtendedError::NETWORK_ERROR, why);
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
