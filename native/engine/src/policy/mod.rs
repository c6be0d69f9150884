//! Decisions about queries and responses. Pure: no socket, no clock, nothing remembered.
//!
//! ```text
//! query ─▶ special-use names ─▶ bypass rules ─▶ group ─▶ its upstreams ─▶ response_policy ─▶ response
//!                 └▶ local_response      └▶ its resolvers
//! ```

pub mod bypass;
pub mod conditions;
pub mod group_names;
pub mod local_response;
pub mod response_policy;
pub mod special_use;
pub mod suffix_map;

use std::sync::Arc;

use crate::wire::header::rcode;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;
use bypass::{BypassRules, Found};
use special_use::{NotForwardable, SpecialUse, SpecialUseMap, Treatment, Yields};

#[derive(Debug)]
pub enum Verdict {
    Forward,
    /// in cleartext, to the resolvers of the rule at this position
    Bypass(usize),
    Local(Local),
}

/// A response that this program gives by itself; [`local_response::compose`] writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    pub rule: &'static str,
    /// for the extended error; may be empty
    pub reason: &'static str,
    pub rcode: u16,
    pub records: LocalRecords,
    /// octets of the rule's zone, which is the end of the query's name
    pub zone_length: u8,
}

impl Local {
    /// The loopback address of the type asked for, at a name of its own.
    pub fn loopback(question: &Question, rule: &'static str) -> Self {
        let records = match question.kind {
            types::A => LocalRecords::Fixed(types::A, LOOPBACK_V4),
            types::AAAA => LocalRecords::Fixed(types::AAAA, LOOPBACK_V6),
            _ => LocalRecords::Negative,
        };
        let zone_length = question.name.as_wire().len() as u8;
        Self { rule, reason: "", rcode: rcode::NOERROR, records, zone_length }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalRecords {
    /// NXDOMAIN or NODATA: the zone's SOA goes into the authority section
    Negative,
    /// records of this type at the query's name
    Fixed(u16, &'static [&'static [u8]]),
    ZoneSoa,
    ZoneNs,
}

/// Judges queries of class IN.
#[derive(Debug)]
pub struct QuestionPolicy {
    special: SpecialUseMap,
    bypass: Arc<BypassRules>,
}

impl QuestionPolicy {
    /// `forward_special`: special-use names to be treated as ordinary ones.
    pub fn new(bypass: Arc<BypassRules>, forward_special: &[Name]) -> Result<Self, NotForwardable> {
        Ok(Self { special: special_use::compile(forward_special)?, bypass })
    }

    /// Special-use names first. A bypass rule takes them over only if it names their zone or something below it, and only
    /// where the table allows; so a rule for `arpa` does not send the names of private addresses to its resolver. `holds`: see
    /// [`BypassRules::find`].
    pub fn judge(&self, question: &Question, holds: &mut dyn FnMut(usize) -> bool) -> Verdict {
        let bypass = self.bypass.find(&question.name, holds);
        let special = self.special.longest(&question.name);
        match (special, bypass) {
            (Some((Some(entry), zone)), Some(Found { named, .. }))
                if entry.yields == Yields::Never
                    || named < zone.len()
                    || is_parents(entry, zone, question) =>
            {
                treat(entry, question, zone.len())
            }
            (_, Some(Found { rule, .. })) => Verdict::Bypass(rule),
            (Some((Some(entry), zone)), None) => treat(entry, question, zone.len()),
            (_, None) => Verdict::Forward,
        }
    }
}

/// The DS of an empty zone lives with its parent, whoever serves the zone (RFC 8375 section 4).
fn is_parents(entry: &SpecialUse, zone: &[u8], question: &Question) -> bool {
    entry.treatment == Treatment::EmptyZone
        && question.kind == types::DS
        && question.name.as_wire().len() == zone.len()
}

const LOOPBACK_V4: &[&[u8]] = &[&[127, 0, 0, 1]];
const LOOPBACK_V6: &[&[u8]] = &[&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]];
const LOCALHOST: &[&[u8]] = &[b"\x09localhost\x00"];
const WELL_KNOWN: &[&[u8]] = &[&[192, 0, 0, 170], &[192, 0, 0, 171]];
const IPV4ONLY: &[&[u8]] = &[b"\x08ipv4only\x04arpa\x00"];

#[expect(
    clippy::cognitive_complexity,
    reason = "one table: treatment, place in the zone and type decide each row"
)]
fn treat(entry: &'static SpecialUse, question: &Question, zone_length: usize) -> Verdict {
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
pub(crate) mod tests {
    use super::*;
    use crate::config::{BypassConfig, DomainName};
    use crate::outcome::ClearClass;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn policy(suffixes: &[&str], forward_special: &[&str]) -> QuestionPolicy {
        let forward: Vec<Name> = forward_special.iter().map(|text| name(text)).collect();
        QuestionPolicy::new(Arc::new(rules_below(suffixes)), &forward).unwrap()
    }

    pub(crate) fn rules_below(suffixes: &[&str]) -> BypassRules {
        let rule = |suffix: &&str| BypassConfig {
            rule: (*suffix).into(),
            below: vec![DomainName(name(suffix))],
            alone: vec![],
            single_labels: false,
            list: None,
            to: vec![],
            class: ClearClass::Bypass,
            when: None,
        };
        BypassRules::of(&suffixes.iter().map(rule).collect::<Vec<_>>(), false)
    }

    /// The verdict in a word: where the query goes, or rule, response code and records.
    fn verdict(policy: &QuestionPolicy, asked: &str, kind: u16) -> String {
        match policy.judge(&Question { name: name(asked), kind, class: types::IN }, &mut |_| true) {
            Verdict::Forward => "forward".into(),
            Verdict::Bypass(rule) => format!("bypass {rule}"),
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
    fn the_ds_of_an_empty_zone_is_asked_in_the_public_tree() {
        let policy = policy(&["home.arpa", "168.192.in-addr.arpa", "corp.example"], &[]);
        for (asked, kind, expected) in [
            ("home.arpa", types::DS, "forward"),
            ("home.arpa", types::A, "bypass 0"),
            ("x.home.arpa", types::DS, "bypass 0"),
            ("168.192.in-addr.arpa", types::DS, "forward"),
            ("corp.example", types::DS, "bypass 2"),
        ] {
            assert_eq!(verdict(&policy, asked, kind), expected, "{asked} {kind}");
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
    fn a_name_made_ordinary_is_forwarded_or_bypassed() {
        let policy = policy(&["lab.test"], &["test"]);
        assert_eq!(verdict(&policy, "x.test", types::A), "forward");
        assert_eq!(verdict(&policy, "x.lab.test", types::A), "bypass 0");
        let error = QuestionPolicy::new(Arc::new(rules_below(&[])), &[name("onion")]).unwrap_err();
        assert_eq!((error.index, *error.name), (0, name("onion")));
    }
}
