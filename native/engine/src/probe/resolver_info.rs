//! What a resolver says about itself (RESINFO, RFC 9606): whether it minimises names, which extended errors it may send, and
//! where it describes itself. It is believed only from the authority itself, over an authenticated channel.

use serde::Serialize;

use crate::wire::header::{self, Header, rcode};
use crate::wire::record::{Record, Records, Section};
use crate::wire::types;

/// At most so many extended errors, with ranges written out.
const MOST_CODES: usize = 256;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResolverInfo {
    /// sends other servers no more of a name than they need to know (RFC 9156)
    pub minimises: bool,
    /// info-codes of RFC 8914 that it may send; `None`: it does not say
    pub extended_errors: Option<Vec<u16>>,
    /// for people; only https and printable
    pub url: Option<String>,
}

impl ResolverInfo {
    /// `None` where the message says nothing that may be believed.
    pub fn read(message: &[u8]) -> Option<Self> {
        let header = Header::read(message).ok()?;
        if !header.is_response() || !header.has(header::AA) || header.rcode() != rcode::NOERROR {
            return None;
        }
        let records: Vec<Record> = Records::of(message).ok()?.collect::<Result<_, _>>().ok()?;
        let mut said = records.iter().filter(|record| {
            record.section == Section::Answer && record.kind == types::RESINFO && record.class == types::IN
        });
        // the set must have exactly one record (section 3)
        let (Some(only), None) = (said.next(), said.next()) else { return None };
        Some(Self::of(&strings(&message[only.data.clone()])?))
    }

    /// Keys in any case, each where it first appears (RFC 6763 section 6.4); unknown keys are ignored.
    fn of(strings: &[&[u8]]) -> Self {
        let mut info = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for string in strings {
            let mut halves = string.splitn(2, |octet| *octet == b'=');
            let key = String::from_utf8_lossy(halves.next().unwrap_or_default()).to_ascii_lowercase();
            let value = halves.next();
            if seen.contains(&key) {
                continue;
            }
            match key.as_str() {
                "qnamemin" => info.minimises = true,
                "exterr" => info.extended_errors = value.and_then(codes),
                "infourl" => info.url = value.and_then(url),
                _ => {}
            }
            seen.push(key);
        }
        info
    }
}

/// The data of a TXT-like record; `None` where the strings do not fill it exactly.
fn strings(mut data: &[u8]) -> Option<Vec<&[u8]>> {
    let mut strings = Vec::new();
    while let Some((length, rest)) = data.split_first() {
        let (string, behind) = rest.split_at_checked(usize::from(*length))?;
        strings.push(string);
        data = behind;
    }
    Some(strings)
}

/// `15-17,20`
fn codes(value: &[u8]) -> Option<Vec<u16>> {
    let text = std::str::from_utf8(value).ok()?;
    let mut codes = Vec::new();
    for item in text.split(',') {
        let (from, to) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (number(from)?, number(to)?);
        if from > to || codes.len() + usize::from(to - from) >= MOST_CODES {
            return None;
        }
        codes.extend(from..=to);
    }
    Some(codes)
}

fn number(text: &str) -> Option<u16> {
    text.bytes().all(|octet| octet.is_ascii_digit()).then(|| text.parse().ok())?
}

fn url(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    let printable = text.bytes().all(|octet| octet.is_ascii_graphic());
    (printable && text.len() > 8 && text.starts_with("https://")).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::name::Name;
    use crate::wire::question::Question;

    /// A response with one record for each list of strings.
    fn response(flags: u16, records: &[&[&[u8]]]) -> Vec<u8> {
        let name = Name::parse("resolver.arpa").unwrap();
        let question = Question { name, kind: types::RESINFO, class: types::IN };
        let mut message = question.query(1, header::QR | flags);
        message[7] = records.len() as u8;
        for strings in records {
            let data: Vec<u8> = strings
                .iter()
                .flat_map(|string| [string.len() as u8].into_iter().chain(string.iter().copied()))
                .collect();
            message.extend_from_slice(&[0xc0, 12]);
            message.extend_from_slice(&types::RESINFO.to_be_bytes());
            message.extend_from_slice(&types::IN.to_be_bytes());
            message.extend_from_slice(&[0, 0, 0, 60]);
            message.extend_from_slice(&(data.len() as u16).to_be_bytes());
            message.extend_from_slice(&data);
        }
        message
    }

    fn said(strings: &[&[u8]]) -> ResolverInfo {
        ResolverInfo::read(&response(header::AA, &[strings])).unwrap()
    }

    #[test]
    fn the_example_of_the_rfc_is_understood() {
        let info = said(&[b"qnamemin", b"exterr=15-17", b"infourl=https://resolver.example.com/guide"]);
        assert!(info.minimises);
        assert_eq!(info.extended_errors.as_deref(), Some(&[15, 16, 17][..]));
        assert_eq!(info.url.as_deref(), Some("https://resolver.example.com/guide"));
    }

    #[test]
    fn only_the_authority_is_believed_and_only_with_one_record() {
        let strings: &[&[u8]] = &[b"qnamemin"];
        for (message, why) in [
            (response(0, &[strings]), "AA is 0"),
            (response(header::AA | 3, &[strings]), "NXDOMAIN"),
            (response(header::AA, &[]), "no record"),
            (response(header::AA, &[strings, strings]), "two records"),
        ] {
            assert_eq!(ResolverInfo::read(&message), None, "{why}");
        }
        let mut cut = response(header::AA, &[strings]);
        let last = cut.len() - 9;
        cut[last] = 200;
        assert_eq!(ResolverInfo::read(&cut), None, "a string longer than the record");
    }

    #[test]
    fn of_equal_keys_the_first_counts_and_unknown_ones_are_nothing() {
        let info = said(&[
            b"InfoURL=https://first.example/",
            b"infourl=https://second.example/",
            b"temp-x=1",
            b"",
            b"=",
        ]);
        assert_eq!(info, ResolverInfo { url: Some("https://first.example/".into()), ..Default::default() });
        // the first one decides, even if it can't be read
        assert_eq!(said(&[b"exterr=x", b"exterr=15"]).extended_errors, None);
    }

    #[test]
    fn what_could_do_harm_is_not_told() {
        let long = [b"infourl=https://".as_slice(), &[b'a'; 239]].concat();
        assert_eq!(said(&[&long]).url.map(|url| url.len()), Some(247));
        for value in [
            &b"infourl=https://evil.example/\x1b[2J"[..],
            b"infourl=https://evil.example/\n",
            b"infourl=https://evil.example/ two",
            "infourl=https://\u{202e}evil.example/".as_bytes(),
            b"infourl=https://\xff\xfe/",
            b"infourl=javascript:alert(1)",
            b"infourl=http://plain.example/",
            b"infourl=https://",
            b"infourl",
        ] {
            assert_eq!(said(&[value]), ResolverInfo::default(), "{value:?}");
        }
        for value in [
            &b"exterr=0-65535"[..],
            b"exterr=17-15",
            b"exterr=+1",
            b"exterr=",
            b"exterr=1,,2",
            b"exterr=99999",
        ] {
            assert_eq!(said(&[value]), ResolverInfo::default(), "{value:?}");
        }
    }
}
