//! A zone in memory. Its records are kept as they are sent: a response is a lookup and a copy.
//!
//! Everything below the apex is answered from here. NS records below it are data and no delegations, so that one file can hold all
//! that a resolver sees (`--origin .`).

use std::collections::HashMap;

use sotto_wire::header::{self, rcode};
use sotto_wire::name::{Name, suffixes};
use sotto_wire::types;

use crate::query::Query;
use crate::response::{Owner, Response, Section};
use crate::transport::Terms;

/// No resolver follows more CNAMEs than this; a loop in the file ends here.
const LONGEST_CHAIN: usize = 16;

#[derive(Debug)]
pub struct Zone {
    /// Wire form, lower case.
    apex: Box<[u8]>,
    names: HashMap<Box<[u8]>, Node>,
    /// The SOA with the TTL of a negative answer (RFC 2308 section 3), and its signatures.
    denial: RecordSet,
}

/// The record sets of an owner name. A name that only has names below it has none.
#[derive(Debug, Default)]
pub struct Node {
    pub sets: Vec<RecordSet>,
}

/// Each record is type, class, TTL, length and data.
#[derive(Debug, Default)]
pub struct RecordSet {
    pub rtype: u16,
    pub records: Vec<Box<[u8]>>,
    pub signatures: Vec<Box<[u8]>>,
}

impl Zone {
    /// As it is written.
    pub fn apex(&self) -> String {
        Name::read(&self.apex, 0).map_or_else(|_| ".".into(), |(name, _)| name.to_string())
    }

    pub fn new(apex: Box<[u8]>, names: HashMap<Box<[u8]>, Node>, denial: RecordSet) -> Self {
        Zone { apex, names, denial }
    }

    pub fn answer(&self, query: &Query, terms: Terms, out: &mut Vec<u8>) {
        let mut response = Response::new(query, terms, out);
        let rcode = self.compose(query, &mut response);
        response.finish(rcode, &[]);
    }

    fn compose(&self, query: &Query, response: &mut Response) -> u16 {
        let mut name = query.question.name;
        if !self.contains(&name) {
            return rcode::REFUSED;
        }
        response.set(header::AA);
        let mut owner = Owner::QUESTION;
        for _ in 0..LONGEST_CHAIN {
            let Some(node) = self.find(name.as_wire()) else {
                self.deny(query, response);
                return rcode::NXDOMAIN;
            };
            if push_matching(node, query, owner, response) {
                return rcode::NOERROR;
            }
            let Some(alias) = node.set(types::CNAME) else {
                self.deny(query, response);
                return rcode::NOERROR;
            };
            let target_at = push(alias, query, Section::Answer, owner, response);
            (name, _) = Name::read(&alias.records[0], 10).expect("what a zone file said is composed whole");
            owner = Owner::At(target_at);
            if !self.contains(&name) {
                return rcode::NOERROR;
            }
        }
        rcode::NOERROR
    }

    /// The name itself, or the wildcard that stands for it (RFC 4592).
    fn find(&self, name: &[u8]) -> Option<&Node> {
        if let Some(node) = self.names.get(name) {
            return Some(node);
        }
        let encloser = suffixes(name).skip(1).find(|parent| self.names.contains_key(*parent))?;
        self.names.get([b"\x01*", encloser].concat().as_slice())
    }

    fn contains(&self, name: &Name) -> bool {
        is_at_or_below(name.as_wire(), &self.apex)
    }

    fn deny(&self, query: &Query, response: &mut Response) {
        let owner = match self.apex.len() {
            1 => Owner::Root,
            length => Owner::At(header::LENGTH + query.question.name.as_wire().len() - length),
        };
        push(&self.denial, query, Section::Authority, owner, response);
    }
}

/// Both names are in wire form and lower case.
pub fn is_at_or_below(name: &[u8], apex: &[u8]) -> bool {
    suffixes(name).any(|own| own == apex)
}

impl Node {
    fn set(&self, rtype: u16) -> Option<&RecordSet> {
        self.sets.iter().find(|set| set.rtype == rtype)
    }
}

/// True where the node has records of the type. ANY gets one set (RFC 8482 section 4.1).
fn push_matching(node: &Node, query: &Query, owner: Owner, response: &mut Response) -> bool {
    if query.question.kind == types::RRSIG {
        let signatures = node.sets.iter().flat_map(|set| &set.signatures);
        return signatures.map(|record| response.record(Section::Answer, owner, record)).count() > 0;
    }
    let set = match query.question.kind {
        types::ANY => node.sets.first(),
        kind => node.set(kind),
    };
    if let Some(set) = set {
        push(set, query, Section::Answer, owner, response);
    }
    set.is_some()
}

/// Returns the offset of the first record's data in the message.
fn push(set: &RecordSet, query: &Query, section: Section, owner: Owner, response: &mut Response) -> usize {
    let mut first = None;
    for record in &set.records {
        let data_at = response.record(section, owner, record);
        first.get_or_insert(data_at);
    }
    if query.dnssec_ok() {
        for signature in &set.signatures {
            response.record(section, owner, signature);
        }
    }
    first.unwrap_or_default()
}
