//! The addresses that responses gave. The thread that answers queries adds them; a hundred thousand addresses take no more room than
//! the bound allows.

use std::collections::HashSet;
use std::mem::swap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crate::wire::addresses::Addresses;
use crate::wire::header::{self, Header};
use crate::wire::record::Records;
use crate::wire::types;

/// Of each of the two sets, so that as many are always remembered. A household meets some thousand addresses a day. A set of so many
/// takes 0.6 MB; of one more, twice that.
const MOST: usize = 28_672;
/// Programs keep an address that they were given; while some were forgotten so recently, it isn't known what began without one.
const AFTER_FORGETTING: Duration = Duration::from_secs(3600);

/// Networks that translate to IPv4 have one prefix, as a rule.
const MOST_TRANSLATORS: usize = 4;
/// RFC 6052 section 2.1: 64:ff9b::/96.
const WELL_KNOWN: [u8; 12] = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
/// ipv4only.arpa, whose only IPv4 addresses are these (RFC 7050).
const IPV4_ONLY: &[u8] = b"\x08ipv4only\x04arpa\x00";
const OF_IPV4_ONLY: [[u8; 4]; 2] = [[192, 0, 0, 170], [192, 0, 0, 171]];

/// `None`: there is no audit.
pub type SharedGiven = Arc<Mutex<Option<Given>>>;

pub struct Given {
    recent: HashSet<IpAddr>,
    earlier: HashSet<IpAddr>,
    /// how many are in both
    in_both: usize,
    /// when each of them was begun
    recent_since: SystemTime,
    earlier_since: SystemTime,
    since: SystemTime,
    /// how often it was begun
    beginning: u64,
    /// the first 96 bits of addresses behind which IPv4 addresses stand
    translators: Vec<[u8; 12]>,
}

/// What is known of one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Given,
    NotGiven,
    /// some addresses were forgotten, perhaps this one, too
    Forgotten,
}

impl Given {
    pub fn begin(beginning: u64, now: SystemTime) -> Self {
        Self {
            recent: HashSet::with_capacity(MOST),
            earlier: HashSet::with_capacity(MOST),
            in_both: 0,
            recent_since: now,
            earlier_since: now,
            since: now,
            beginning,
            translators: vec![WELL_KNOWN],
        }
    }

    pub fn beginning(&self) -> u64 {
        self.beginning
    }

    pub fn since(&self) -> SystemTime {
        self.since
    }

    /// Whatever was given since then is remembered.
    pub fn remembers_since(&self) -> SystemTime {
        self.earlier_since
    }

    pub fn count(&self) -> usize {
        self.recent.len() + self.earlier.len() - self.in_both
    }

    /// Adds the addresses of a response that is about to leave.
    pub fn note(&mut self, response: &[u8]) {
        let Ok(Header { counts: [_, answers, _, additionals], .. }) = Header::read(response) else { return };
        if answers == 0 && additionals == 0 {
            return;
        }
        let Ok(records) = Records::of(response) else { return };
        for record in records.map_while(Result::ok) {
            Addresses::of(response, &record).for_each(|address| self.add(address));
            if record.kind == types::AAAA && asks_for_ipv4_only(response) {
                self.learn(&response[record.data]);
            }
        }
    }

    pub fn look(&self, address: IpAddr, now: SystemTime) -> Memory {
        let holds = |address| self.recent.contains(&address) || self.earlier.contains(&address);
        if holds(address) || self.translated(address).is_some_and(holds) {
            return Memory::Given;
        }
        let has_forgotten = self.earlier_since != self.since;
        let passed = now.duration_since(self.earlier_since).unwrap_or_default();
        if has_forgotten && passed < AFTER_FORGETTING { Memory::Forgotten } else { Memory::NotGiven }
    }

    fn add(&mut self, address: IpAddr) {
        let address = address.to_canonical();
        if self.recent.contains(&address) {
            return;
        }
        if self.recent.len() >= MOST {
            let now = SystemTime::now();
            swap(&mut self.recent, &mut self.earlier);
            self.recent.clear();
            self.in_both = 0;
            (self.earlier_since, self.recent_since) = (self.recent_since, now);
        }
        self.in_both += usize::from(self.earlier.contains(&address));
        self.recent.insert(address);
    }

    /// `address`: of `ipv4only.arpa`, which has an IPv6 address only behind a translator. Longer and shorter prefixes are rare.
    fn learn(&mut self, address: &[u8]) {
        let Some((prefix, ipv4)) = address.split_first_chunk::<12>() else { return };
        let is_new = !self.translators.contains(prefix) && self.translators.len() < MOST_TRANSLATORS;
        if is_new && OF_IPV4_ONLY.iter().any(|known| known == ipv4) {
            self.translators.push(*prefix);
        }
    }

    fn translated(&self, address: IpAddr) -> Option<IpAddr> {
        let IpAddr::V6(address) = address else { return None };
        let octets = Ipv6Addr::octets(&address);
        let (prefix, ipv4) = octets.split_first_chunk::<12>()?;
        let known = self.translators.contains(prefix);
        let ipv4: [u8; 4] = ipv4.try_into().ok()?;
        known.then(|| Ipv4Addr::from(ipv4).into())
    }
}

fn asks_for_ipv4_only(response: &[u8]) -> bool {
    let name = response.get(header::LENGTH..header::LENGTH + IPV4_ONLY.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(IPV4_ONLY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::name::Name;
    use crate::wire::question::Question;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Records of the answer section: type and data.
    fn response(name: &str, records: &[(u16, &[u8])]) -> Vec<u8> {
        let question = Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN };
        let mut message = question.query(1, header::QR);
        message[6..8].copy_from_slice(&(records.len() as u16).to_be_bytes());
        for (kind, data) in records {
            message.extend_from_slice(b"\xc0\x0c");
            for field in [*kind, types::IN, 0, 60, data.len() as u16] {
                message.extend_from_slice(&field.to_be_bytes());
            }
            message.extend_from_slice(data);
        }
        message
    }

    fn of_ipv4(number: u32) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    fn holds(given: &Given, text: &str) -> bool {
        given.look(address(text), NOW) == Memory::Given
    }

    #[test]
    fn every_address_of_a_response_is_given() {
        let mut given = Given::begin(1, NOW);
        let ipv6 = Ipv6Addr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]).octets();
        let binding =
            [b"\0\x01\0\0\x01\0\x03\x02h2\0\x04\0\x08".as_slice(), &[198, 51, 100, 1], &[198, 51, 100, 2]];
        let binding = [binding.concat(), [b"\0\x06\0\x10".as_slice(), &ipv6[..15], &[9]].concat()].concat();
        let alias = Name::parse("elsewhere.example").unwrap();
        given.note(&response(
            "www.example",
            &[(types::CNAME, alias.as_wire()), (types::A, &[203, 0, 113, 7])],
        ));
        given.note(&response("six.example", &[(types::AAAA, &ipv6)]));
        given.note(&response("https.example", &[(types::HTTPS, &binding)]));
        for text in ["203.0.113.7", "2001:db8::1", "198.51.100.1", "198.51.100.2", "2001:db8::9"] {
            assert!(holds(&given, text), "{text}");
        }
        assert_eq!(given.count(), 5);
        assert!(!holds(&given, "203.0.113.8"));
    }

    #[test]
    fn what_is_malformed_gives_nothing_and_breaks_nothing() {
        let mut given = Given::begin(1, NOW);
        let whole = response(
            "www.example",
            &[(types::A, &[203, 0, 113, 7]), (types::HTTPS, b"\0\x01\0\0\x04\0\x08\x01")],
        );
        (0..whole.len()).for_each(|end| given.note(&whole[..end]));
        given.note(&response("short.example", &[(types::A, &[1, 2, 3]), (types::AAAA, &[1; 15])]));
        assert_eq!(given.recent.iter().collect::<Vec<_>>(), [&address("203.0.113.7")]);
    }

    #[test]
    fn a_flood_takes_no_more_room_and_is_no_reason_to_accuse() {
        let mut given = Given::begin(1, NOW);
        given.note(&response("before.example", &[(types::A, &[203, 0, 113, 7])]));
        for first in (0..200_000_u32).step_by(200) {
            let many: Vec<_> = (first..first + 200).map(|number| of_ipv4(0x0b00_0000 + number)).collect();
            let records: Vec<_> = many.iter().map(|data| (types::A, data.as_slice())).collect();
            given.note(&response("many.example", &records));
        }
        assert!(given.count() <= 2 * MOST, "{} are remembered", given.count());
        assert!(given.recent.capacity() + given.earlier.capacity() <= 2 * MOST);
        let soon = given.remembers_since() + Duration::from_secs(1);
        assert_eq!(given.look(address("203.0.113.7"), soon), Memory::Forgotten);
        assert_eq!(given.look(address("11.3.13.63"), soon), Memory::Given, "the last one");
        assert_eq!(given.look(address("192.0.2.1"), soon + AFTER_FORGETTING), Memory::NotGiven);
    }

    #[test]
    fn an_address_that_is_given_again_is_remembered_longer() {
        let mut given = Given::begin(1, NOW);
        let again = response("again.example", &[(types::A, &[203, 0, 113, 7])]);
        for number in 0..3 * MOST as u32 {
            if number % 1000 == 0 {
                given.note(&again);
            }
            given.add(Ipv4Addr::from(number + 1).into());
        }
        assert!(holds(&given, "203.0.113.7"));
        assert_eq!(given.count(), given.recent.union(&given.earlier).count());
    }

    #[test]
    fn an_ipv4_address_counts_behind_a_translator() {
        let mut given = Given::begin(1, NOW);
        given.note(&response("www.example", &[(types::A, &[203, 0, 113, 7])]));
        assert!(holds(&given, "64:ff9b::203.0.113.7"));
        assert!(!holds(&given, "64:ff9b::203.0.113.8"));
        assert!(!holds(&given, "2001:db8:64::203.0.113.7"));
        let shown = |text: &str| address(text).to_string().parse::<Ipv6Addr>().unwrap().octets();
        given.note(&response("www.example", &[(types::AAAA, &shown("2001:db8:64::192.0.0.170"))]));
        assert!(!holds(&given, "2001:db8:64::203.0.113.7"), "any name can have such an address");
        given.note(&response("IPv4only.arpa", &[(types::AAAA, &shown("2001:db8:64::192.0.0.170"))]));
        assert!(holds(&given, "2001:db8:64::203.0.113.7"));
    }
}
