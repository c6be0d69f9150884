//! Decisions about questions and answers. Pure: no socket, no clock, nothing remembered.
//!
//! ```text
//! question ─▶ special-use names ─▶ bypass rules ─▶ group ─▶ its upstreams ─▶ answer_policy ─▶ reply
//!                 └▶ local_reply      └▶ its resolvers
//! ```

pub mod answer_policy;
pub mod local_reply;
pub mod special_use;
pub mod suffix_map;

use std::net::SocketAddr;
use std::sync::Arc;

use crate::wire::header::rcode;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;
use special_use::{NotForwardable, SpecialUse, SpecialUseMap, Treatment, Yields};
use suffix_map::SuffixMap;

#[derive(Debug)]
pub enum Verdict<'a> {
    Forward,
    /// in clear, to the rule's own resolvers
    Bypass(&'a Bypass),
    Local(Local),
}

/// Split horizon: names below `suffix` are asked from these resolvers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bypass {
    pub suffix: Name,
    pub to: Vec<SocketAddr>,
    /// position in the configuration
    pub index: usize,
}

/// An answer this program gives by itself; [`local_reply::compose`] writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    pub rule: &'static str,
    /// for the extended error; may be empty
    pub reason: &'static str,
    pub rcode: u16,
    pub records: LocalRecords,
    /// octets of the rule's zone, which is the end of the question's name
    pub zone_length: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalRecords {
    /// NXDOMAIN or NODATA: the zone's SOA goes into the authority section
    Negative,
    /// records of this type at the question's name
    Fixed(u16, &'static [&'static [u8]]),
    ZoneSoa,
    ZoneNs,
}

/// Judges questions of class IN.
#[derive(Debug)]
pub struct QuestionPolicy {
    special: SpecialUseMap,
    bypass: Vec<Bypass>,
    bypass_zones: Arc<SuffixMap<usize>>,
    groups: SuffixMap<usize>,
}

impl QuestionPolicy {
    /// `forward_special`: special-use names to be treated as ordinary ones. Of two bypass rules with one suffix the later stands.
    pub fn new(bypass: Vec<Bypass>, forward_special: &[Name]) -> Result<Self, NotForwardable> {
        let zones = bypass.iter().enumerate().map(|(position, rule)| (rule.suffix, position)).collect();
        Ok(Self {
            special: special_use::compile(forward_special)?,
            bypass,
            bypass_zones: Arc::new(zones),
            groups: std::iter::empty().collect(),
        })
    }

    /// `names`: each with the position of the group of upstreams that takes it and everything below.
    pub fn with_groups(self, names: impl Iterator<Item = (Name, usize)>) -> Self {
        Self { groups: names.collect(), ..self }
    }

    /// Of a name that is forwarded: the position of the group whose upstreams are asked; the first takes what no other does.
    pub fn group(&self, name: &Name) -> usize {
        self.groups.longest(name).map_or(0, |(position, _)| *position)
    }

    /// Special-use names first. A bypass rule takes them over only if it names their zone or something below it, and only
    /// where the table allows; so a rule for `arpa` does not send the names of private addresses to its resolver.
    pub fn judge(&self, question: &Question) -> Verdict<'_> {
        let bypass = self.bypass_zones.longest(&question.name);
        let special = self.special.longest(&question.name);
        match (special, bypass) {
            (Some((Some(entry), zone)), Some((_, suffix)))
                if entry.yields == Yields::Never || suffix.len() < zone.len() =>
            {
                treat(entry, question, zone.len())
            }
            (_, Some((position, _))) => Verdict::Bypass(&self.bypass[*position]),
            (Some((Some(entry), zone)), None) => treat(entry, question, zone.len()),
            (_, None) => Verdict::Forward,
        }
    }

    /// The suffixes of all rules, with their positions.
    pub fn bypass_zones(&self) -> Arc<SuffixMap<usize>> {
        self.bypass_zones.clone()
    }
}

const LOOPBACK_V4: &[&[u8]] = &[&[127, 0, 0, 1]];
const LOOPBACK_V6: &[&[u8]] = &[&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]];
const LOCALHOST: &[&[u8]] = &[b"\x09localhost\x00"];
const WELL_KNOWN: &[&[u8]] = &[&[192, 0, 0, 170], &[192, 0, 0, 171]];
const IPV4ONLY: &[&[u8]] = &[b"\x08ipv4only\x04arpa\x00"];

fn treat(entry: &'static SpecialUse, question: &Question, zone_length: usize) -> Verdict<'static> {
    use LocalRecords::{Fixed, Negative, ZoneNs, ZoneSoa};
    let top = question.name.as_wire().len() == zone_length;
    let kind = question.kind;
    let asked_for = |wanted: u16| kind == wanted || kind == types::ANY;
    let (rcode, records) = match entry.treatment {
        Treatment::EmptyZone if top && kind == types::DS => return Verdict::Forward,
        Treatment::EmptyZone if top && asked_for(types::SOA) => (rcode::NOERROR, ZoneSoa),
        Treatment::EmptyZone if top && kind == types::NS => (rcode::NOERROR, ZoneNs),
        Treatment::EmptyZone if top => (rcode::NOERROR, Negative),
        Treatment::Absent | Treatment::EmptyZone => (rcode::NXDOMAIN, Negative),
        Treatment::Loopback if asked_for(types::A) => (rcode::NOERROR, Fixed(types::A, LOOPBACK_V4)),
        Treatment::Loopback if kind == types::AAAA => (rcode::NOERROR, Fixed(types::AAAA, LOOPBACK_V6)),
        Treatment::Ipv4Only if top && asked_for(types::A) => (rcode::NOERROR, Fixed(types::A, WELL_KNOWN)),
        Treatment::LoopbackReverse if top && asked_for(types::PTR) => {
            (rcode::NOERROR, Fixed(types::PTR, LOCALHOST))
        }
        Treatment::Ipv4OnlyReverse if top && asked_for(types::PTR) => {
            (rcode::NOERROR, Fixed(types::PTR, IPV4ONLY))
        }
        Treatment::Ipv4Only | Treatment::LoopbackReverse | Treatment::Ipv4OnlyReverse if !top => {
            (rcode::NXDOMAIN, Negative)
        }
        _ => (rcode::NOERROR, Negative),
    };
    Verdict::Local(Local {
        rule: entry.name,
        reason: entry.reason,
        rcode,
        records,
        zone_length: zone_length as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn policy(suffixes: &[&str], forward_special: &[&str]) -> QuestionPolicy {
        let rule = |(index, suffix): (usize, &&str)| Bypass { suffix: name(suffix), to: vec![], index };
        let forward: Vec<Name> = forward_special.iter().map(|text| name(text)).collect();
        QuestionPolicy::new(suffixes.iter().enumerate().map(rule).collect(), &forward).unwrap()
    }

    /// The verdict in a word: where the question goes, or rule, response code and records.
    fn verdict(policy: &QuestionPolicy, asked: &str, kind: u16) -> String {
        match policy.judge(&Question { name: name(asked), kind, class: types::IN }) {
            Verdict::Forward => "forward".into(),
            Verdict::Bypass(rule) => format!("bypass {}", rule.index),
            Verdict::Local(local) => {
                let records = match local.records {
                    LocalRecords::Fixed(kind, data) => format!("{} of type {kind}", data.len()),
                    other => format!("{other:?}"),
                };
                format!("{} {} {records}", local.rule, local.rcode)
            }
        }
    }

    #[test]
    fn special_names_are_answered_here() {
        let policy = policy(&[], &[]);
        for (asked, kind, expected) in [
            ("example.com", types::A, "forward"),
            ("localhost", types::A, "localhost 0 1 of type 1"),
            ("app.localhost", types::AAAA, "localhost 0 1 of type 28"),
            ("localhost", types::MX, "localhost 0 Negative"),
            ("localhost", types::ANY, "localhost 0 1 of type 1"),
            ("invalid", types::A, "invalid 3 Negative"),
            ("x.test", types::A, "test 3 Negative"),
            ("printer.local", types::A, "local 3 Negative"),
            ("x.onion", types::A, "onion 3 Negative"),
            ("x.alt", types::A, "alt 3 Negative"),
            ("corp.internal", types::A, "internal 3 Negative"),
            ("home.arpa", types::A, "home.arpa 0 Negative"),
            ("home.arpa", types::SOA, "home.arpa 0 ZoneSoa"),
            ("home.arpa", types::NS, "home.arpa 0 ZoneNs"),
            ("home.arpa", types::DS, "forward"),
            ("x.home.arpa", types::DS, "home.arpa 3 Negative"),
            ("ipv4only.arpa", types::A, "ipv4only.arpa 0 2 of type 1"),
            ("ipv4only.arpa", types::AAAA, "ipv4only.arpa 0 Negative"),
            ("x.ipv4only.arpa", types::A, "ipv4only.arpa 3 Negative"),
            ("170.0.0.192.in-addr.arpa", types::PTR, "170.0.0.192.in-addr.arpa 0 1 of type 12"),
            ("_dns.resolver.arpa", types::SVCB, "resolver.arpa 0 Negative"),
            ("use-application-dns.net", types::A, "use-application-dns.net 3 Negative"),
            ("1.0.0.127.in-addr.arpa", types::PTR, "1.0.0.127.in-addr.arpa 0 1 of type 12"),
            ("5.1.20.172.in-addr.arpa", types::PTR, "16-31.172.in-addr.arpa 3 Negative"),
            ("10.in-addr.arpa", types::PTR, "10.in-addr.arpa 0 Negative"),
        ] {
            assert_eq!(verdict(&policy, asked, kind), expected, "{asked} {kind}");
        }
    }

    #[test]
    fn the_longest_bypass_rule_wins() {
        let policy = policy(&["example", "lab.example", "a.lab.example"], &[]);
        for (asked, expected) in [
            ("example", "bypass 0"),
            ("lab.example", "bypass 1"),
            ("b.lab.example", "bypass 1"),
            ("x.a.lab.example", "bypass 2"),
            ("collab.example", "bypass 0"),
            ("example.com", "forward"),
        ] {
            assert_eq!(verdict(&policy, asked, types::A), expected, "{asked}");
        }
    }

    #[test]
    fn a_bypass_rule_takes_over_what_yields() {
        let yielding = [
            "test",
            "local",
            "home.arpa",
            "internal",
            "168.192.in-addr.arpa",
            "ipv4only.arpa",
            "a.e.f.ip6.arpa",
        ];
        for zone in yielding {
            let below = format!("x.{zone}");
            assert_eq!(verdict(&policy(&[zone], &[]), &below, types::A), "bypass 0", "{zone}");
            assert_eq!(verdict(&policy(&[&below], &[]), &below, types::A), "bypass 0", "{below}");
        }
        for zone in ["localhost", "invalid", "onion", "alt", "resolver.arpa", "use-application-dns.net"] {
            let policy = policy(&[zone, &format!("x.{zone}")], &[]);
            assert!(verdict(&policy, &format!("x.{zone}"), types::MX).starts_with(zone), "{zone}");
        }
    }

    #[test]
    fn a_bypass_rule_above_a_special_name_leaves_it() {
        let policy = policy(&[".", "arpa", "172.in-addr.arpa"], &[]);
        assert_eq!(verdict(&policy, "x.home.arpa", types::A), "home.arpa 3 Negative");
        assert_eq!(
            verdict(&policy, "1.1.16.172.in-addr.arpa", types::PTR),
            "16-31.172.in-addr.arpa 3 Negative"
        );
        assert_eq!(verdict(&policy, "1.1.15.172.in-addr.arpa", types::PTR), "bypass 2");
        assert_eq!(verdict(&policy, "x.test", types::A), "test 3 Negative");
        assert_eq!(verdict(&policy, "example.com", types::A), "bypass 0");
    }

    #[test]
    fn a_name_belongs_to_the_group_with_its_longest_suffix() {
        let names = [("corp.example", 1), ("lab.corp.example", 2), ("example.org", 1)];
        let policy = policy(&[], &[]).with_groups(names.iter().map(|(text, group)| (name(text), *group)));
        for (asked, group) in [
            ("example.com", 0),
            ("example", 0),
            ("corp.example", 1),
            ("a.CORP.example", 1),
            ("notcorp.example", 0),
            ("x.lab.corp.example", 2),
            ("www.example.org", 1),
        ] {
            assert_eq!(policy.group(&name(asked)), group, "{asked}");
        }
    }

    #[test]
    fn a_name_made_ordinary_is_forwarded_or_bypassed() {
        let policy = policy(&["lab.test"], &["test"]);
        assert_eq!(verdict(&policy, "x.test", types::A), "forward");
        assert_eq!(verdict(&policy, "x.lab.test", types::A), "bypass 0");
        let error = QuestionPolicy::new(vec![], &[name("onion")]).unwrap_err();
        assert_eq!((error.index, *error.name), (0, name("onion")));
    }
}
