//! What a response of an upstream must not contain: addresses of this machine or its network (DNS rebinding), and names of a bypass
//! zone.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use super::bypass::BypassRules;
use super::suffix_map::SuffixMap;
use crate::wire::addresses::Addresses;
use crate::wire::edns::ExtendedError;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Record, Records, Section};
use crate::wire::types;

/// Judges responses of upstreams; those of bypass resolvers are not judged.
#[derive(Debug)]
pub struct ResponsePolicy {
    allow_private: SuffixMap<()>,
    bypass: Arc<BypassRules>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// for the log: the bypass rule entered, or `private address`
    pub rule: String,
    pub reason: String,
}

impl Refused {
    /// `Blocked`: refused by a rule of this program, the upstream is not at fault.
    pub fn extended_error(&self) -> ExtendedError {
        ExtendedError::new(ExtendedError::BLOCKED, self.reason.clone())
    }
}

impl ResponsePolicy {
    pub fn new(allow_private: Vec<Name>, bypass: Arc<BypassRules>) -> Self {
        let allow_private = allow_private.into_iter().map(|name| (name, ())).collect();
        Self { allow_private, bypass }
    }

    /// Judges answer and authority section, whatever class a record has, because some stubs ignore it. Additional records with a
    /// private address were cut off before ([`crate::response::Response::read`]). Where the upstream says in its `errors` that it
    /// blocks the name, the unspecified address is its word for that, and leads nowhere.
    pub fn judge(
        &self,
        message: &[u8],
        question: &Question,
        errors: &[ExtendedError],
    ) -> Result<(), Refused> {
        let Ok(records) = Records::of(message) else { return Ok(()) };
        let blocks = errors.iter().any(ExtendedError::is_of_a_filter);
        let answers =
            records.map_while(Result::ok).take_while(|record| record.section != Section::Additional);
        for record in answers {
            let is_refused = |address: &IpAddr| is_private(address) && !(blocks && address.is_unspecified());
            if let Some(address) = Addresses::of(message, &record).find(is_refused)
                && !self.may_be_private(message, &record, question)
            {
                return Err(private(address));
            }
            if let Some(rule) = self.rule_entered(message, &record, question) {
                return Err(entered(&record, rule));
            }
        }
        Ok(())
    }

    /// Whether any policy could object to it. Most responses hold public addresses and nothing else; the cache remembers that.
    pub fn concerns(message: &[u8]) -> bool {
        let Ok(records) = Records::of(message) else { return false };
        records
            .map_while(Result::ok)
            .take_while(|record| record.section != Section::Additional)
            .any(|record| target_at(&record).is_some() || private_address(message, &record).is_some())
    }

    fn may_be_private(&self, message: &[u8], record: &Record, question: &Question) -> bool {
        let allowed = |name: &Name| self.allow_private.longest(name).is_some();
        allowed(&question.name) || Name::read(message, record.start).is_ok_and(|(owner, _)| allowed(&owner))
    }

    /// The rule whose names a record leads into from outside, whoever asks: what is reserved for some is nobody else's.
    fn rule_entered(&self, message: &[u8], record: &Record, question: &Question) -> Option<&'static str> {
        if self.bypass.is_empty() {
            return None;
        }
        let target = Name::read(message, target_at(record)?).ok()?.0;
        let rule = self.bypass.find_for_any(&target)?.rule;
        let inside = self.bypass.find_for_any(&question.name).is_some_and(|own| own.rule == rule);
        (!inside).then(|| self.bypass.word(rule, &target))
    }
}

fn private(address: IpAddr) -> Refused {
    Refused {
        rule: "private address".into(),
        reason: format!(
            "the answer holds {address}, an address of this machine or its network; \
             if the name may have one, list it in allowPrivate or in a bypass rule"
        ),
    }
}

fn entered(record: &Record, rule: &'static str) -> Refused {
    let kind = match record.kind {
        types::CNAME => "CNAME",
        types::DNAME => "DNAME",
        _ => "service binding",
    };
    Refused {
        rule: rule.into(),
        reason: format!("a {kind} of a public name leads to a name that the bypass rule for {rule} reserves"),
    }
}

/// Where the name stands that the record sends a client to.
fn target_at(record: &Record) -> Option<usize> {
    match record.kind {
        types::CNAME | types::DNAME => Some(record.data.start),
        types::SVCB | types::HTTPS => Some(record.data.start + 2),
        _ => None,
    }
}

/// The first private address in the record's data, hints of service bindings included.
pub fn private_address(message: &[u8], record: &Record) -> Option<IpAddr> {
    Addresses::of(message, record).find(is_private)
}

/// An address of this machine or of its network, in whatever form.
pub fn is_private(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(*address),
        IpAddr::V6(address) => is_private_v6(*address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // "this network", of which 0.0.0.0 reaches this machine; RFC 6598
        [0, ..] | [100, 64..=127, ..] => true,
        _ => address.is_private() || address.is_loopback() || address.is_link_local(),
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => true,
        // fc00::/7, fe80::/10, and the old site-local fec0::/10
        [0xfc00..=0xfdff | 0xfe80..=0xfeff, ..] => true,
        // IPv4 in its compatible, mapped and translated forms, behind NAT64 (RFC 6052, 8215)
        [0, 0, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4
        | [0x2002, high, low, ..] => is_private_v4(v4(high, low)),
        [0x64, 0xff9b, 1, ..] => translated(address.octets()).any(is_private_v4),
        // Teredo: the server, and the client with its bits turned (RFC 4380 section 4)
        [0x2001, 0, high, low, _, _, client_high, client_low] => {
            is_private_v4(v4(high, low)) || is_private_v4(v4(!client_high, !client_low))
        }
        // ISATAP, below any prefix (RFC 5214 section 6.1)
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => is_private_v4(v4(high, low)),
        _ => false,
    }
}

/// What a translator of one's own makes of an address below 64:ff9b:1::/48 (RFC 8215), for each length its prefix may have
/// (RFC 6052 section 2.2): the octet 8 is zero, and so is what follows.
fn translated(octets: [u8; 16]) -> impl Iterator<Item = Ipv4Addr> {
    let [.., a, b, zero, c, d, e, f, _, _, _] = octets;
    let shorter = [([a, b, c, d], 11), ([b, c, d, e], 12), ([c, d, e, f], 13)]
        .into_iter()
        .filter(move |(v4, end)| zero == 0 && *v4 != [0; 4] && octets[*end..].iter().all(|octet| *octet == 0))
        .map(|(v4, _)| v4);
    let whole = [octets[12], octets[13], octets[14], octets[15]];
    shorter.chain([whole].into_iter().filter(|v4| *v4 != [0; 4])).map(Ipv4Addr::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::tests::rules_below;
    use crate::wire::header;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn question(asked: &str) -> Question {
        Question { name: name(asked), kind: types::A, class: types::IN }
    }

    /// Records: section (1 answer … 3 additional), owner, type, data.
    fn response(asked: &str, records: &[(u8, &str, u16, Vec<u8>)]) -> Vec<u8> {
        let mut message = question(asked).query(1, header::QR);
        for (section, owner, kind, data) in records {
            message[5 + 2 * usize::from(*section)] += 1;
            message.extend_from_slice(name(owner).as_wire());
            for field in [*kind, types::IN, 0, 60, data.len() as u16] {
                message.extend_from_slice(&field.to_be_bytes());
            }
            message.extend_from_slice(data);
        }
        message
    }

    fn address(text: &str) -> (u16, Vec<u8>) {
        match text.parse().unwrap() {
            IpAddr::V4(address) => (types::A, address.octets().to_vec()),
            IpAddr::V6(address) => (types::AAAA, address.octets().to_vec()),
        }
    }

    fn policy(allow_private: &[&str], bypass: &[&str]) -> ResponsePolicy {
        let bypass = Arc::new(rules_below(bypass));
        ResponsePolicy::new(allow_private.iter().map(|text| name(text)).collect(), bypass)
    }

    fn judge_address(policy: &ResponsePolicy, asked: &str, text: &str) -> Result<(), Refused> {
        let (kind, data) = address(text);
        policy.judge(&response(asked, &[(1, asked, kind, data)]), &question(asked), &[])
    }

    #[test]
    fn private_addresses_are_refused() {
        let policy = policy(&[], &[]);
        let private = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.9.9.9 169.254.1.1 \
            172.16.0.1 172.31.255.255 192.168.0.1 :: ::1 fc00::1 fd12::1 fe80::1 febf::1 fec0::1 ::ffff:10.0.0.1 \
            ::10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::192.168.1.1 64:ff9b:1::10.1.1.1 2002:c0a8:101::1 \
            64:ff9b:1:c0a8:1:100:: 64:ff9b:1:ffc0:a8:101:: 64:ff9b:1:fffe:c0:a801:100:: \
            2001::a00:1 2001:0:a00:1::f6f6:f6f6 2001:0:909:909::3f57:fefe 2001:db8::5efe:10.0.0.1 2001:db8::200:5efe:10.0.0.1";
        for text in private.split_whitespace() {
            let refused = judge_address(&policy, "www.example", text).expect_err(text);
            assert_eq!(refused.rule, "private address");
            assert_eq!(refused.extended_error().code, ExtendedError::BLOCKED);
        }
        let public = "1.1.1.1 9.9.9.9 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.0 \
            192.0.0.170 192.167.255.255 192.169.0.0 2620:fe::fe 2001:db8::1 ::ffff:9.9.9.9 64:ff9b::9.9.9.9 64:ff9b:1::9.9.9.9 \
            64:ff9b:1:909:9:900:: 2001:0:909:909::f6f6:f6f6 2001:db8::5efe:9.9.9.9 2001:db8::a00:1 2002:909:909::1 fbff::1 fe7f::1 ff02::1";
        for text in public.split_whitespace() {
            assert_eq!(judge_address(&policy, "www.example", text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_filter_says_with_the_unspecified_address_that_it_blocks() {
        let policy = policy(&[], &[]);
        let judge = |text: &str, code: u16| {
            let (kind, data) = address(text);
            let response = response("ads.example", &[(1, "ads.example", kind, data)]);
            policy.judge(&response, &question("ads.example"), &[ExtendedError::new(code, "a list")])
        };
        for code in [ExtendedError::BLOCKED, ExtendedError::CENSORED, ExtendedError::FILTERED] {
            assert_eq!(judge("0.0.0.0", code), Ok(()));
            assert_eq!(judge("::", code), Ok(()));
            for other in ["127.0.0.1", "0.0.0.1", "10.0.0.1", "::1", "::ffff:0.0.0.0"] {
                assert!(judge(other, code).is_err(), "{other}");
            }
        }
        for code in [ExtendedError::OTHER, ExtendedError::STALE_ANSWER, ExtendedError::PROHIBITED] {
            assert!(judge("0.0.0.0", code).is_err(), "{code}");
        }
    }

    #[test]
    fn an_allowed_suffix_may_hold_them() {
        let policy = policy(&["plex.example", "home.example"], &[]);
        assert_eq!(judge_address(&policy, "a.plex.example", "192.168.0.2"), Ok(()));
        assert!(judge_address(&policy, "aplex.example", "192.168.0.2").is_err());
        let chain = [
            (1, "www.example", types::CNAME, name("nas.home.example").as_wire().to_vec()),
            (1, "nas.home.example", types::A, vec![10, 0, 0, 1]),
        ];
        assert_eq!(policy.judge(&response("www.example", &chain), &question("www.example"), &[]), Ok(()));
    }

    #[test]
    fn only_the_answer_section_counts() {
        let policy = policy(&[], &[]);
        let records = [
            (1, "www.example", types::A, vec![192, 0, 2, 1]),
            (2, "example", types::NS, name("ns.example").as_wire().to_vec()),
            (3, "ns.example", types::A, vec![10, 0, 0, 1]),
        ];
        assert_eq!(policy.judge(&response("www.example", &records), &question("www.example"), &[]), Ok(()));
    }

    fn service(parameters: &[(u16, &[u8])]) -> Vec<u8> {
        let mut data = b"\x00\x01\x00".to_vec();
        for (key, value) in parameters {
            data.extend_from_slice(&key.to_be_bytes());
            data.extend_from_slice(&(value.len() as u16).to_be_bytes());
            data.extend_from_slice(value);
        }
        data
    }

    #[test]
    fn hints_of_service_bindings_are_looked_into() {
        let policy = policy(&[], &[]);
        let judge = |data: Vec<u8>| {
            let response = response("www.example", &[(1, "www.example", types::HTTPS, data)]);
            policy.judge(&response, &question("www.example"), &[])
        };
        let loopback = Ipv6Addr::LOCALHOST.octets();
        assert_eq!(judge(service(&[(1, b"\x02h2"), (4, &[9, 9, 9, 9])])), Ok(()));
        assert!(judge(service(&[(1, b"\x02h2"), (4, &[9, 9, 9, 9, 10, 0, 0, 1])])).is_err());
        assert!(judge(service(&[(4, &[9, 9, 9, 9]), (6, &loopback)])).is_err());
        // a value that is cut short, or longer than its record, neither hides an address nor breaks anything
        assert_eq!(judge(service(&[(4, &[10, 0, 0])])), Ok(()));
        let whole = service(&[(4, &[10, 0, 0, 1])]);
        for end in 0..whole.len() {
            assert_eq!(judge(whole[..end].to_vec()), Ok(()), "cut at {end}");
        }
    }

    #[test]
    fn a_public_name_does_not_lead_into_a_bypass_zone() {
        let policy = policy(&[], &["corp.example", "lab.test"]);
        let judge = |asked: &str, kind: u16, target: &str| {
            let mut data = name(target).as_wire().to_vec();
            if kind == types::HTTPS {
                data.splice(0..0, [0, 0]);
            }
            policy.judge(&response(asked, &[(1, asked, kind, data)]), &question(asked), &[])
        };
        let refused = judge("www.evil.example", types::CNAME, "router.corp.example").unwrap_err();
        assert_eq!(refused.rule, "corp.example");
        assert!(judge("www.evil.example", types::DNAME, "lab.test").is_err());
        assert!(judge("www.evil.example", types::HTTPS, "router.corp.example").is_err());
        assert_eq!(judge("www.evil.example", types::CNAME, "www.cdn.example"), Ok(()));
        assert_eq!(judge("a.corp.example", types::CNAME, "b.corp.example"), Ok(()));
        assert!(judge("a.corp.example", types::CNAME, "b.lab.test").is_err());
        assert_eq!(judge("www.evil.example", types::TXT, "router.corp.example"), Ok(()));
    }
}
