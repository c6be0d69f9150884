//! Names that are not asked upstream, and what is said instead.

use super::suffix_map::SuffixMap;
use crate::wire::name::Name;

/// What a special-use name gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// NXDOMAIN for the name and everything below it
    Absent,
    /// an empty zone as in RFC 6303: SOA and NS at its top, nothing below; its DS lives with the parent and is forwarded
    EmptyZone,
    /// the name exists and has no records, nor does anything below it
    NoData,
    /// loopback addresses, for the names below it too
    Loopback,
    /// PTR localhost
    LoopbackReverse,
    /// RFC 8880: no NAT64 is known here, so only the two well-known addresses
    Ipv4Only,
    /// PTR ipv4only.arpa
    Ipv4OnlyReverse,
}

/// Who may take an entry's names over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Yields {
    /// no one
    Never,
    /// a bypass rule for the entry's name or one below it: somebody here serves these names
    ToBypass,
    /// also `forwardSpecial`, which makes them ordinary: an upstream may know them (a resolver of one's own)
    ToSetting,
}

#[derive(Debug)]
pub struct SpecialUse {
    /// as shown in the log; a label `N-M` stands for each number from N to M
    pub name: &'static str,
    pub treatment: Treatment,
    pub yields: Yields,
    /// the sentence for the extended error
    pub reason: &'static str,
}

use Treatment::{Absent, EmptyZone, Ipv4Only, Ipv4OnlyReverse, Loopback, LoopbackReverse, NoData};
use Yields::{Never, ToBypass, ToSetting};

const INVALID: &str = "no such name can exist (RFC 6761)";
const TEST: &str = "test names are answered on this machine (RFC 6761)";
const MDNS: &str = "link-local names belong to multicast DNS, not to a resolver (RFC 6762)";
const ONION: &str = "onion names exist only inside Tor (RFC 7686)";
const ALT: &str = "alt names are not part of the DNS (RFC 9476)";
const INTERNAL: &str =
    "internal names exist only in private networks: add a bypass rule for the resolver that knows them";
const HOME: &str =
    "home.arpa exists only in home networks (RFC 8375): add a bypass rule for the resolver that knows it";
const REVERSE: &str = "names of private addresses are not asked upstream (RFC 6303): add a bypass rule for the resolver that knows them";
const CANARY: &str = "tells browsers not to go around this resolver";

/// The whole table. The longest name wins, as with bypass rules.
#[rustfmt::skip]
pub const SPECIAL_USE: &[SpecialUse] = &[
    // RFC 6761
    entry("localhost",                  Loopback,  Never,     ""),
    entry("invalid",                    Absent,    Never,     INVALID),
    entry("test",                       Absent,    ToSetting, TEST),
    // RFC 6762 sections 3 and 4
    entry("local",                      Absent,    ToBypass,  MDNS),
    entry("254.169.in-addr.arpa",       Absent,    ToBypass,  MDNS),
    entry("8.e.f.ip6.arpa",             Absent,    ToBypass,  MDNS),
    entry("9.e.f.ip6.arpa",             Absent,    ToBypass,  MDNS),
    entry("a.e.f.ip6.arpa",             Absent,    ToBypass,  MDNS),
    entry("b.e.f.ip6.arpa",             Absent,    ToBypass,  MDNS),
    // RFC 7686, 9476, ICANN's reservation of 2024
    entry("onion",                      Absent,    Never,     ONION),
    entry("alt",                        Absent,    Never,     ALT),
    entry("internal",                   Absent,    ToSetting, INTERNAL),
    // RFC 8375
    entry("home.arpa",                  EmptyZone, ToSetting, HOME),
    // RFC 8880
    entry("ipv4only.arpa",              Ipv4Only,  ToBypass,  "ipv4only.arpa is answered on this machine (RFC 8880)"),
    entry("170.0.0.192.in-addr.arpa",   Ipv4OnlyReverse, ToBypass, ""),
    entry("171.0.0.192.in-addr.arpa",   Ipv4OnlyReverse, ToBypass, ""),
    // RFC 9462: says something about the resolver asked, which is this one
    entry("resolver.arpa",              NoData,    Never,     "resolver.arpa is about this resolver and is not forwarded (RFC 9462)"),
    // asked by browsers before they bring a resolver of their own
    entry("use-application-dns.net",    Absent,    Never,     CANARY),
    // RFC 6303 section 4, RFC 7793
    entry("10.in-addr.arpa",            EmptyZone, ToSetting, REVERSE),
    entry("16-31.172.in-addr.arpa",     EmptyZone, ToSetting, REVERSE),
    entry("168.192.in-addr.arpa",       EmptyZone, ToSetting, REVERSE),
    entry("64-127.100.in-addr.arpa",    EmptyZone, ToSetting, REVERSE),
    entry("0.in-addr.arpa",             EmptyZone, ToSetting, REVERSE),
    entry("127.in-addr.arpa",           EmptyZone, ToSetting, REVERSE),
    entry("1.0.0.127.in-addr.arpa",     LoopbackReverse, Never, ""),
    entry("2.0.192.in-addr.arpa",       EmptyZone, ToSetting, REVERSE),
    entry("100.51.198.in-addr.arpa",    EmptyZone, ToSetting, REVERSE),
    entry("113.0.203.in-addr.arpa",     EmptyZone, ToSetting, REVERSE),
    entry("255.255.255.255.in-addr.arpa", EmptyZone, ToSetting, REVERSE),
    entry("c.f.ip6.arpa",               EmptyZone, ToSetting, REVERSE),
    entry("d.f.ip6.arpa",               EmptyZone, ToSetting, REVERSE),
    entry("8.b.d.0.1.0.0.2.ip6.arpa",   EmptyZone, ToSetting, REVERSE),
    entry("0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa", EmptyZone, ToSetting, REVERSE),
    entry("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa", LoopbackReverse, Never, ""),
];

const fn entry(name: &'static str, treatment: Treatment, yields: Yields, reason: &'static str) -> SpecialUse {
    SpecialUse { name, treatment, yields, reason }
}

/// A name that `forwardSpecial` may not list: it lies in no entry that yields to the setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name} cannot be forwarded: only names in test, internal, home.arpa and the reverse zones of private addresses can"
)]
pub struct NotForwardable {
    /// position in the list
    pub index: usize,
    pub name: Box<Name>,
}

/// The table, indexed by name; `None` marks names that a setting made ordinary again.
pub type SpecialUseMap = SuffixMap<Option<&'static SpecialUse>>;

/// `forward` lists names at or below an entry that are to be treated like any other.
pub fn compile(forward: &[Name]) -> Result<SpecialUseMap, NotForwardable> {
    let table =
        || SPECIAL_USE.iter().flat_map(|entry| zones(entry.name).map(move |zone| (zone, Some(entry))));
    let all: SpecialUseMap = table().collect();
    for (index, name) in forward.iter().enumerate() {
        let entry = all.longest(name).and_then(|(entry, _)| *entry);
        if entry.is_none_or(|entry| entry.yields < ToSetting) {
            return Err(NotForwardable { index, name: Box::new(*name) });
        }
    }
    Ok(table().chain(forward.iter().map(|name| (*name, None))).collect())
}

fn zones(pattern: &'static str) -> impl Iterator<Item = Name> {
    let (first, parent) = pattern.split_once('.').unwrap_or((pattern, ""));
    let bounds = first.split_once('-').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    let texts: Vec<String> = match bounds {
        Some((low, high)) => (low..=high).map(|number: u8| format!("{number}.{parent}")).collect(),
        None => vec![pattern.to_owned()],
    };
    texts.into_iter().map(|text| Name::parse(&text).expect("the table holds well-formed names"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn entry_of(map: &SpecialUseMap, asked: &str) -> Option<&'static str> {
        map.longest(&name(asked)).and_then(|(entry, _)| *entry).map(|entry| entry.name)
    }

    #[test]
    fn names_in_the_table_and_below_are_special() {
        let map = compile(&[]).unwrap();
        for (asked, expected) in [
            ("localhost", Some("localhost")),
            ("a.b.localhost", Some("localhost")),
            ("printer.local", Some("local")),
            ("printer.locals", None),
            ("use-application-dns.net", Some("use-application-dns.net")),
            ("application-dns.net", None),
            ("1.2.3.10.in-addr.arpa", Some("10.in-addr.arpa")),
            ("1.2.15.172.in-addr.arpa", None),
            ("1.2.16.172.in-addr.arpa", Some("16-31.172.in-addr.arpa")),
            ("1.2.31.172.in-addr.arpa", Some("16-31.172.in-addr.arpa")),
            ("1.2.32.172.in-addr.arpa", None),
            ("9.9.63.100.in-addr.arpa", None),
            ("9.9.64.100.in-addr.arpa", Some("64-127.100.in-addr.arpa")),
            ("9.9.127.100.in-addr.arpa", Some("64-127.100.in-addr.arpa")),
            ("9.9.128.100.in-addr.arpa", None),
            ("1.0.0.127.in-addr.arpa", Some("1.0.0.127.in-addr.arpa")),
            ("2.0.0.127.in-addr.arpa", Some("127.in-addr.arpa")),
            ("170.0.0.192.in-addr.arpa", Some("170.0.0.192.in-addr.arpa")),
            ("1.0.0.192.in-addr.arpa", None),
            ("0.0.a.e.f.ip6.arpa", Some("a.e.f.ip6.arpa")),
            ("0.0.c.e.f.ip6.arpa", None),
            ("arpa", None),
            ("example", None),
            (".", None),
        ] {
            assert_eq!(entry_of(&map, asked), expected, "{asked}");
        }
    }

    #[test]
    fn a_setting_makes_names_ordinary() {
        let map = compile(&[name("2.10.in-addr.arpa"), name("internal")]).unwrap();
        assert_eq!(entry_of(&map, "1.2.10.in-addr.arpa"), None);
        assert_eq!(entry_of(&map, "1.3.10.in-addr.arpa"), Some("10.in-addr.arpa"));
        assert_eq!(entry_of(&map, "corp.internal"), None);
    }

    #[test]
    fn some_names_are_never_forwarded() {
        for refused in
            ["localhost", "a.onion", "local", "resolver.arpa", "example.com", ".", "1.0.0.127.in-addr.arpa"]
        {
            let error = compile(&[name("test"), name(refused)]).unwrap_err();
            assert_eq!(error, NotForwardable { index: 1, name: Box::new(name(refused)) });
        }
    }

    #[test]
    fn no_two_entries_share_a_name() {
        let names: usize = SPECIAL_USE.iter().map(|entry| zones(entry.name).count()).sum();
        assert_eq!(compile(&[]).unwrap().len(), names);
        assert_eq!(names, SPECIAL_USE.len() + 15 + 63);
    }
}
