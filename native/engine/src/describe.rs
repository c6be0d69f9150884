//! A message in words, for people: presentation format by the `domain` crate, in printable ASCII.

use std::fmt::Write;

use domain::base::iana::{Class, Rcode, Rtype};
use domain::base::zonefile_fmt::{DisplayKind, ZonefileFmt};
use domain::base::{Message, ParsedRecord};
use domain::rdata::AllRecordData;
use serde::Serialize;

use crate::wire::edns::{self, Edns};
use crate::wire::header::{self, Header};
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Record, Records, Section};
use crate::wire::{Malformed, types};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Description {
    pub id: u16,
    /// mnemonic, extended
    pub rcode: String,
    pub flags: Vec<&'static str>,
    pub question: Option<QuestionText>,
    pub answer: Vec<RecordText>,
    pub authority: Vec<RecordText>,
    /// without the OPT
    pub additional: Vec<RecordText>,
    pub edns: Option<EdnsText>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QuestionText {
    pub name: String,
    pub r#type: String,
    pub class: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RecordText {
    pub name: String,
    pub ttl: u32,
    pub r#type: String,
    pub class: String,
    /// presentation form; `\# length hex` (RFC 3597) where the type is unknown or its data malformed
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EdnsText {
    pub udp_size: u16,
    pub version: u8,
    pub dnssec_ok: bool,
    pub extended_errors: Vec<ExtendedErrorText>,
    /// milliseconds the server keeps an idle connection
    pub keepalive_ms: Option<u32>,
    pub padded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExtendedErrorText {
    pub code: u16,
    pub text: String,
}

pub fn describe(message: &[u8]) -> Result<Description, Malformed> {
    let header = Header::read(message)?;
    let edns = Edns::find(message)?.map(|(edns, _)| edns);
    let extended = edns.as_ref().map_or(0, |edns| u16::from(edns.extended_rcode) << 4);
    let question = if header.counts[0] == 0 { None } else { Some(Question::read(message)?.0) };
    let mut description = Description {
        id: header.id,
        rcode: rcode_name(extended | header.rcode()),
        flags: flags(&header),
        question: question.map(|question| QuestionText {
            name: question.name.to_string(),
            r#type: type_name(question.kind),
            class: class_name(question.class),
        }),
        answer: vec![],
        authority: vec![],
        additional: vec![],
        edns: edns.map(edns_text),
    };
    for record in Records::of(message)? {
        let record = record?;
        let section = match record.section {
            _ if record.kind == types::OPT => continue,
            Section::Answer => &mut description.answer,
            Section::Authority => &mut description.authority,
            Section::Additional => &mut description.additional,
        };
        section.push(record_text(message, &record)?);
    }
    Ok(description)
}

/// Mnemonic, or TYPE65280.
pub fn type_name(kind: u16) -> String {
    Rtype::from_int(kind).to_string()
}

/// The reverse, in upper or lower case.
pub fn parse_type(text: &str) -> Option<u16> {
    text.parse::<Rtype>().ok().map(Rtype::to_int)
}

pub fn class_name(class: u16) -> String {
    Class::from_int(class).to_string()
}

/// Mnemonic, or RCODE3841.
pub fn rcode_name(code: u16) -> String {
    match u8::try_from(code).ok().and_then(Rcode::checked_from_int) {
        Some(code) => code.to_string(),
        None if code == header::rcode::BADVERS => "BADVERS".into(),
        None => format!("RCODE{code}"),
    }
}

fn flags(header: &Header) -> Vec<&'static str> {
    let all = [
        (header::QR, "qr"),
        (header::AA, "aa"),
        (header::TC, "tc"),
        (header::RD, "rd"),
        (header::RA, "ra"),
        (header::AD, "ad"),
        (header::CD, "cd"),
    ];
    all.into_iter().filter(|(bit, _)| header.has(*bit)).map(|(_, word)| word).collect()
}

fn edns_text(edns: Edns) -> EdnsText {
    let errors = edns.extended_errors.into_iter();
    EdnsText {
        udp_size: edns.udp_size,
        version: edns.version,
        dnssec_ok: edns.dnssec_ok,
        extended_errors: errors
            .map(|edns::ExtendedError { code, text }| ExtendedErrorText { code, text: printable(&text) })
            .collect(),
        keepalive_ms: edns.keepalive.flatten().map(|tenths| u32::from(tenths) * 100),
        padded: edns.padded,
    }
}

fn record_text(message: &[u8], record: &Record) -> Result<RecordText, Malformed> {
    let (name, _) = Name::read(message, record.start)?;
    Ok(RecordText {
        name: name.to_string(),
        ttl: record.ttl,
        r#type: type_name(record.kind),
        class: class_name(record.class),
        data: known_data(message, record).unwrap_or_else(|| generic_data(&message[record.data.clone()])),
    })
}

/// `None` where the type is unknown or its data does not parse.
fn known_data(message: &[u8], record: &Record) -> Option<String> {
    let whole = Message::from_octets(message).ok()?;
    let mut parser = octseq(&whole);
    parser.advance(record.start).ok()?;
    let parsed = ParsedRecord::parse(&mut parser).ok()?;
    let data = parsed.into_record::<AllRecordData<_, _>>().ok()??.into_data();
    match data {
        AllRecordData::Unknown(_) => None,
        // the plain Display of some types omits the final dot
        data => {
            let mut text = String::new();
            write!(text, "{}", data.display_zonefile(DisplayKind::Simple)).ok()?;
            Some(printable(&text))
        }
    }
}

fn octseq<'a>(message: &'a Message<&'a [u8]>) -> domain::dep::octseq::Parser<'a, [u8]> {
    domain::dep::octseq::Parser::from_ref(message.as_slice())
}

fn generic_data(data: &[u8]) -> String {
    let mut text = format!("\\# {}", data.len());
    for (index, octet) in data.iter().enumerate() {
        let gap = if index == 0 { " " } else { "" };
        let _ = write!(text, "{gap}{octet:02X}");
    }
    text
}

/// Writes octets that are not printable ASCII as `\DDD`.
fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for octet in text.bytes() {
        match octet {
            0x20..=0x7e => safe.push(octet as char),
            _ => {
                let _ = write!(safe, "\\{octet:03}");
            }
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(records: &[&[u8]]) -> Vec<u8> {
        let name = Name::parse("www.example").unwrap();
        let mut message =
            Question { name, kind: types::A, class: types::IN }.query(7, header::QR | header::RD);
        message[7] = records.len() as u8;
        records.iter().for_each(|record| message.extend_from_slice(record));
        message
    }

    #[test]
    fn known_types_are_shown_as_in_a_zone_file() {
        let described = describe(&message(&[
            b"\xc0\x0c\0\x01\0\x01\0\0\x01\x2c\0\x04\xc6\x33\x64\x02",
            b"\xc0\x0c\0\x05\0\x01\0\0\x01\x2c\0\x04\x01a\xc0\x10",
            b"\xc0\x0c\0\x41\0\x01\0\0\x01\x2c\0\x0a\0\x01\0\0\x01\0\x03\x02h2",
        ]))
        .unwrap();
        let data: Vec<_> = described.answer.iter().map(|record| (&*record.r#type, &*record.data)).collect();
        assert_eq!(data[0], ("A", "198.51.100.2"));
        assert_eq!(data[1].0, "CNAME");
        assert!(data[1].1.starts_with("a.example"), "{}", data[1].1);
        assert_eq!(data[2].0, "HTTPS");
        assert!(data[2].1.contains("h2"), "{}", data[2].1);
        assert_eq!(described.flags, ["qr", "rd"]);
    }

    #[test]
    fn unknown_types_and_malformed_data_are_shown_as_octets() {
        let described = describe(&message(&[
            b"\xc0\x0c\xff\0\0\x01\0\0\0\0\0\x02\xab\xcd",
            b"\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x02\xab\xcd",
        ]))
        .unwrap();
        assert_eq!(described.answer[0].r#type, "TYPE65280");
        assert_eq!(described.answer[0].data, "\\# 2 ABCD");
        assert_eq!(described.answer[1].data, "\\# 2 ABCD");
    }

    #[test]
    fn whatever_stands_in_a_record_is_shown_in_plain_ascii() {
        let described = describe(&message(&[b"\xc0\x0c\0\x10\0\x01\0\0\0\0\0\x06\x05\x1b[2J\xff"])).unwrap();
        assert!(described.answer[0].data.bytes().all(|octet| (0x20..0x7f).contains(&octet)));
    }

    #[test]
    fn types_have_two_way_names() {
        for (text, kind) in [("A", 1), ("https", 65), ("TYPE65280", 65280), ("AXFR", 252)] {
            assert_eq!(parse_type(text), Some(kind));
        }
        assert_eq!(parse_type("NOSUCH"), None);
        assert_eq!(
            (rcode_name(0), rcode_name(3), rcode_name(16)),
            ("NOERROR".into(), "NXDOMAIN".into(), "BADVERS".into())
        );
    }

    #[test]
    fn names_in_data_end_in_a_dot_whatever_the_type() {
        for (record, expected) in [
            (&b"\xc0\x0c\0\x21\0\x01\0\0\0\0\0\x08\0\x01\0\x02\0\x35\xc0\x0c"[..], "1 2 53 www.example."),
            (b"\xc0\x0c\0\x21\0\x01\0\0\0\0\0\x07\0\x01\0\x02\0\x35\0", "1 2 53 ."),
            (b"\xc0\x0c\0\x0f\0\x01\0\0\0\0\0\x03\0\0\0", "0 ."),
            (b"\xc0\x0c\0\x05\0\x01\0\0\0\0\0\x04\x01a\xc0\x10", "a.example."),
            (b"\xc0\x0c\0\x41\0\x01\0\0\0\0\0\x05\0\0\x01a\0", "0 a."),
            (b"\xc0\x0c\0\x34\0\x01\0\0\0\0\0\x05\x03\x01\x01\xaa\xbb", "3 1 1 AABB"),
        ] {
            assert_eq!(describe(&message(&[record])).unwrap().answer[0].data, expected);
        }
    }

    #[test]
    fn no_data_of_any_type_makes_it_panic_or_leave_plain_ascii() {
        use rand::{RngExt, SeedableRng, rngs::StdRng};
        let mut random = StdRng::seed_from_u64(1);
        let kinds =
            (0..110u16).chain([249, 250, 257, 261, 32768, 32769, 65280]).filter(|kind| *kind != types::OPT);
        let mut known = 0;
        for kind in kinds {
            for _ in 0..2_000 {
                // mostly small octets, so that lengths and labels often fit
                let data: Vec<u8> = (0..random.random_range(0..48))
                    .map(
                        |_| if random.random_bool(0.7) { random.random_range(0..8) } else { random.random() },
                    )
                    .collect();
                let mut record = b"\xc0\x0c\0\0\0\x01\0\0\0\0\0\0".to_vec();
                record[2..4].copy_from_slice(&kind.to_be_bytes());
                record[11] = data.len() as u8;
                record.extend_from_slice(&data);
                let shown = describe(&message(&[&record])).unwrap().answer.remove(0).data;
                assert!(shown.bytes().all(|octet| (0x20..0x7f).contains(&octet)), "{shown:?}");
                known += usize::from(!shown.starts_with("\\#"));
            }
        }
        assert!(known > 1_000, "{known}");
    }

    #[test]
    fn no_octets_make_it_panic() {
        use rand::{Rng, SeedableRng, rngs::StdRng};
        let mut random = StdRng::seed_from_u64(1);
        let seed = message(&[b"\xc0\x0c\0\x41\0\x01\0\0\x01\x2c\0\x0a\0\x01\0\0\x01\0\x03\x02h2"]);
        let mut described = 0;
        for _ in 0..200_000 {
            let mut octets = seed.clone();
            for _ in 0..1 + random.next_u32() % 4 {
                let at = random.next_u32() as usize % octets.len();
                octets[at] = random.next_u32() as u8;
            }
            octets.truncate(octets.len() - random.next_u32() as usize % 8);
            described += usize::from(describe(&octets).is_ok());
        }
        assert!(described > 0);
    }
}
