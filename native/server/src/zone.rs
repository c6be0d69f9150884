//! A zone in memory, its records kept as they go on the wire: answering is a lookup and a copy.
//!
//! Everything below the apex is answered from here; NS records below it are data, not delegations, so that one file
//! can play a whole resolver's view of the world (`--origin .`).

use std::collections::HashMap;

use crate::query::{MAX_NAME, Query};
use crate::reply::{AA, Owner, Reply, Section};
use crate::transport::Terms;

const NOERROR: u16 = 0;
const NXDOMAIN: u16 = 3;
pub const REFUSED: u16 = 5;

const CNAME: u16 = 5;
pub const SOA: u16 = 6;
pub const RRSIG: u16 = 46;
const ANY: u16 = 255;

/// As many CNAMEs as anyone follows; a loop in the file ends here.
const LONGEST_CHAIN: usize = 16;

#[derive(Debug)]
pub struct Zone {
    /// Wire form, lower case.
    apex: Box<[u8]>,
    names: HashMap<Box<[u8]>, Node>,
    /// The SOA with the TTL of a negative answer (RFC 2308 section 3), and its signatures.
    denial: RecordSet,
}

/// An owner name's record sets; none for a name that only has names below it.
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
    pub fn new(apex: Box<[u8]>, names: HashMap<Box<[u8]>, Node>, denial: RecordSet) -> Self {
        Zone { apex, names, denial }
    }

    pub fn answer(&self, query: &Query, terms: Terms, out: &mut Vec<u8>) {
        let mut reply = Reply::new(query, terms, out);
        let rcode = self.compose(query, &mut reply);
        reply.finish(rcode, &[]);
    }

    fn compose(&self, query: &Query, reply: &mut Reply) -> u16 {
        let mut name = LowerName::from(query.name());
        if !self.contains(name.octets()) {
            return REFUSED;
        }
        reply.set(AA);
        let mut owner = Owner::At(crate::query::HEADER);
        for _ in 0..LONGEST_CHAIN {
            let Some(node) = self.find(name.octets()) else {
                self.deny(query, reply);
                return NXDOMAIN;
            };
            if push_matching(node, query, owner, reply) {
                return NOERROR;
            }
            let Some(alias) = node.set(CNAME) else {
                self.deny(query, reply);
                return NOERROR;
            };
            let target_at = push(alias, query, Section::Answer, owner, reply);
            name = LowerName::from(&alias.records[0][10..]);
            owner = Owner::At(target_at);
            if !self.contains(name.octets()) {
                return NOERROR;
            }
        }
        NOERROR
    }

    /// The name itself or the wildcard that stands for it (RFC 4592).
    fn find(&self, name: &[u8]) -> Option<&Node> {
        if let Some(node) = self.names.get(name) {
            return Some(node);
        }
        let mut rest = name;
        while rest.len() > self.apex.len() {
            rest = &rest[1 + usize::from(rest[0])..];
            if self.names.contains_key(rest) {
                return self.names.get(LowerName::wildcard(rest)?.octets());
            }
        }
        None
    }

    fn contains(&self, name: &[u8]) -> bool {
        is_at_or_below(name, &self.apex)
    }

    fn deny(&self, query: &Query, reply: &mut Reply) {
        let owner = match self.apex.len() {
            1 => Owner::Root,
            length => Owner::At(crate::query::HEADER + query.name().len() - length),
        };
        push(&self.denial, query, Section::Authority, owner, reply);
    }
}

/// Both in wire form and lower case.
pub fn is_at_or_below(name: &[u8], apex: &[u8]) -> bool {
    let mut rest = name;
    while rest.len() > apex.len() {
        rest = &rest[1 + usize::from(rest[0])..];
    }
    rest == apex
}

impl Node {
    fn set(&self, rtype: u16) -> Option<&RecordSet> {
        self.sets.iter().find(|set| set.rtype == rtype)
    }
}

/// True where the node answers the question's type. ANY gets one set (RFC 8482 section 4.1).
fn push_matching(node: &Node, query: &Query, owner: Owner, reply: &mut Reply) -> bool {
    if query.rtype == RRSIG {
        let signatures = node.sets.iter().flat_map(|set| &set.signatures);
        return signatures.map(|record| reply.record(Section::Answer, owner, record)).count() > 0;
    }
    let set = if query.rtype == ANY { node.sets.first() } else { node.set(query.rtype) };
    if let Some(set) = set {
        push(set, query, Section::Answer, owner, reply);
    }
    set.is_some()
}

/// Returns where the data of the first record lies in the message.
fn push(set: &RecordSet, query: &Query, section: Section, owner: Owner, reply: &mut Reply) -> usize {
    let mut first = None;
    for record in &set.records {
        let data_at = reply.record(section, owner, record);
        first.get_or_insert(data_at);
    }
    if query.dnssec_ok() {
        for signature in &set.signatures {
            reply.record(section, owner, signature);
        }
    }
    first.unwrap_or_default()
}

struct LowerName {
    octets: [u8; MAX_NAME],
    length: usize,
}

impl LowerName {
    fn from(name: &[u8]) -> Self {
        let mut octets = [0; MAX_NAME];
        octets[..name.len()].copy_from_slice(name);
        // length octets are below 64 and so never letters
        octets[..name.len()].make_ascii_lowercase();
        LowerName { octets, length: name.len() }
    }

    /// `*.` in front; `None` where that is too long to be a name.
    fn wildcard(parent: &[u8]) -> Option<Self> {
        let mut octets = [0; MAX_NAME];
        octets[..2].copy_from_slice(b"\x01*");
        octets.get_mut(2..2 + parent.len())?.copy_from_slice(parent);
        Some(LowerName { octets, length: 2 + parent.len() })
    }

    fn octets(&self) -> &[u8] {
        &self.octets[..self.length]
    }
}
