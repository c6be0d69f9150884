//! What is kept of one name, for people.

use serde::Serialize;

use super::entry::Entry;
use super::store::Cache;
use crate::clock::Moment;
use crate::describe::{class_name, rcode_name, type_name};
use crate::wire::name::Name;

/// What a response is, not what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CacheEntry"))]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    pub name: String,
    /// as it was asked; NXDOMAIN answers for every other type too
    #[serde(rename = "type")]
    pub kind: String,
    pub class: String,
    pub rcode: String,
    /// records in its answer section
    pub answers: u16,
    /// seconds; below zero since it expired
    pub ttl_left: i64,
    pub stale: bool,
    pub dnssec_ok: bool,
    pub checking_disabled: bool,
    pub upstream: &'static str,
    pub authenticated: bool,
    /// of memory
    pub octets: usize,
    pub negative: bool,
}

impl Cache {
    /// Looks at every entry: types are not known beforehand, and nobody asks often.
    pub fn show(&self, name: &Name, now: Moment) -> Vec<Shown> {
        let mut shown: Vec<_> = self
            .entries()
            .filter(|entry| entry.parts().name == name.as_wire())
            .map(|entry| shown(&entry, name, now))
            .collect();
        shown.sort_by(|one, other| {
            let order = |shown: &Shown| (shown.kind.clone(), shown.dnssec_ok, shown.checking_disabled);
            order(one).cmp(&order(other))
        });
        shown
    }
}

fn shown(entry: &Entry, name: &Name, now: Moment) -> Shown {
    let (parts, said_by) = (entry.parts(), entry.said_by());
    let ttl_left = entry.lifetime().as_secs() as i64 - entry.age(now).as_secs() as i64;
    Shown {
        name: name.to_string(),
        kind: type_name(entry.asked_kind()),
        class: class_name(parts.class),
        rcode: rcode_name(entry.body().rcode()),
        answers: entry.body().answers(),
        ttl_left,
        stale: ttl_left <= 0,
        dnssec_ok: parts.partition.dnssec_ok,
        checking_disabled: parts.partition.checking_disabled,
        upstream: said_by.upstream,
        authenticated: said_by.authenticated,
        octets: entry.octets(),
        negative: entry.is_negative(),
    }
}
