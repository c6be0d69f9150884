//! What the zone says of itself. Resolvers ask it on their way to the boxes, and it is answered as an authority does, but never with
//! NXDOMAIN, because that would deny the boxes below it (RFC 8020, RFC 9156).

use std::net::IpAddr;

use sotto_encdns::formats;
use sotto_wire::header::{self, rcode};
use sotto_wire::name::Name;
use sotto_wire::types;

use crate::query::Query;
use crate::response::{Owner, Response, Section};
use crate::transport::Terms;

const DAY: u32 = 86_400;
/// Of names and types that are not there, in seconds.
const NEGATIVE: u32 = 3_600;

pub struct Authority {
    zone: Name,
    soa: Vec<u8>,
    name_server: Name,
    ns: Vec<u8>,
    addresses: Vec<Vec<u8>>,
    /// which formats of boxes are spoken, and the name that says so
    formats_name: Name,
    formats: Vec<u8>,
}

impl Authority {
    /// `addresses` are those of the name server, ns in the zone.
    pub fn new(zone: Name, addresses: &[IpAddr]) -> Self {
        let below = |label: &[u8]| [&[label.len() as u8], label, zone.as_wire()].concat();
        let (name_server, hostmaster) = (below(b"ns"), below(b"hostmaster"));
        let numbers = [1, DAY, 7_200, 14 * DAY, NEGATIVE].map(u32::to_be_bytes).concat();
        Self {
            zone,
            soa: record(types::SOA, NEGATIVE, &[&name_server[..], &hostmaster, &numbers].concat()),
            ns: record(types::NS, DAY, &name_server),
            name_server: read(&name_server),
            formats_name: read(&below(formats::LABEL)),
            formats: record(types::TXT, NEGATIVE, formats::RECORD),
            addresses: addresses.iter().map(|address| address_record(*address)).collect(),
        }
    }

    /// SOA, NS, addresses and formats; of all other names and types, that there is nothing.
    pub fn answer(&self, query: &Query, terms: Terms, out: &mut Vec<u8>) {
        let mut response = Response::new(query, terms, out);
        response.set(header::AA);
        let records = self.records(query);
        for record in &records {
            response.record(Section::Answer, Owner::QUESTION, record);
        }
        if records.is_empty() {
            let name = query.question.name.as_wire().len();
            let apex = header::LENGTH + name - self.zone.as_wire().len();
            response.record(Section::Authority, Owner::At(apex), &self.soa);
        }
        response.finish(rcode::NOERROR, &[]);
    }

    fn records(&self, query: &Query) -> Vec<&[u8]> {
        let kind = query.question.kind;
        let of_name: Vec<&[u8]> = if query.question.name == self.zone {
            vec![&self.soa, &self.ns]
        } else if query.question.name == self.name_server {
            self.addresses.iter().map(Vec::as_slice).collect()
        } else if query.question.name == self.formats_name {
            vec![&self.formats]
        } else {
            vec![]
        };
        of_name.into_iter().filter(|record| record[..2] == kind.to_be_bytes()).collect()
    }
}

/// The root, where the zone is so long that nothing fits below it.
fn read(name: &[u8]) -> Name {
    Name::read(name, 0).map_or(Name::ROOT, |(name, _)| name)
}

fn address_record(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(v4) => record(types::A, DAY, &v4.octets()),
        IpAddr::V6(v6) => record(types::AAAA, DAY, &v6.octets()),
    }
}

/// Type, class, TTL, length and data.
pub fn record(kind: u16, ttl: u32, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16).to_be_bytes();
    [&kind.to_be_bytes()[..], &types::IN.to_be_bytes(), &ttl.to_be_bytes(), &length, data].concat()
}
