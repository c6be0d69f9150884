//! Writes the responses that this program gives by itself.

use crate::policy::{Local, LocalRecords};
use crate::response::{Offset, Response};
use crate::wire::edns::ExtendedError;
use crate::wire::header::{self, Header};
use crate::wire::{name, question, types, u16_at};

/// Seconds. Asking again costs a client one trip over loopback, and a rule that was changed must be felt soon; the 10800 of
/// RFC 6303 is meant for zones that are served far away and never change.
pub const TTL: u32 = 60;

const TYPE_AND_CLASS: usize = 4;

/// The response to `query_message`, whose question ends at `question_end`; its octets are copied, so their case survives.
///
/// AA is set: nobody else is asked, this is where the data comes from (RFC 6303 section 3). AD is not.
pub fn compose(query_message: &[u8], question_end: usize, local: &Local) -> Response {
    let mut composer = Composer {
        message: query_message[..question_end].to_vec(),
        ttls_at: Vec::with_capacity(2),
        zone: zone_pointer(question_end, local),
    };
    let mut counts = [1, 0, 0, 0];
    match local.records {
        LocalRecords::Negative => {
            composer.soa();
            counts[2] = 1;
        }
        LocalRecords::ZoneSoa => {
            composer.soa();
            counts[1] = 1;
        }
        LocalRecords::ZoneNs => {
            let zone = composer.zone;
            composer.record(question::NAME, types::NS, &zone);
            counts[1] = 1;
        }
        LocalRecords::Fixed(kind, data) => {
            for data in data {
                composer.record(question::NAME, kind, data);
            }
            counts[1] = data.len() as u16;
        }
    }
    let id = u16_at(query_message, 0).unwrap_or(0);
    let asked = u16_at(query_message, 2).unwrap_or(0) & (header::RD | header::CD);
    let flags = header::QR | header::AA | header::RA | asked | local.rcode;
    Header { id, flags, counts }.write(&mut composer.message);
    let explained = matches!(local.records, LocalRecords::Negative) && !local.reason.is_empty();
    Response {
        message: composer.message.into_boxed_slice(),
        question_end,
        ttls_at: composer.ttls_at.into_boxed_slice(),
        lifetime: None,
        extended_errors: explained
            .then(|| ExtendedError::new(ExtendedError::OTHER, local.reason))
            .into_iter()
            .collect(),
    }
}

/// A pointer to the zone's name, the end of the question's.
fn zone_pointer(question_end: usize, local: &Local) -> [u8; 2] {
    name::pointer_to(question_end - TYPE_AND_CLASS - usize::from(local.zone_length))
}

struct Composer {
    message: Vec<u8>,
    ttls_at: Vec<Offset>,
    zone: [u8; 2],
}

impl Composer {
    fn record(&mut self, owner: [u8; 2], kind: u16, data: &[u8]) {
        self.message.extend_from_slice(&owner);
        for field in [kind, types::IN] {
            self.message.extend_from_slice(&field.to_be_bytes());
        }
        self.ttls_at.push((self.message.len() as u16).to_be_bytes());
        self.message.extend_from_slice(&TTL.to_be_bytes());
        self.message.extend_from_slice(&(data.len() as u16).to_be_bytes());
        self.message.extend_from_slice(data);
    }

    /// The SOA of RFC 6303 section 3.
    fn soa(&mut self) {
        const RNAME: &[u8] = b"\x06nobody\x07invalid\x00";
        let [serial, refresh, retry, expire] = [1u32, 3600, 1200, 604_800];
        let mut data = Vec::with_capacity(38);
        data.extend_from_slice(&self.zone);
        data.extend_from_slice(RNAME);
        for number in [serial, refresh, retry, expire, TTL] {
            data.extend_from_slice(&number.to_be_bytes());
        }
        self.record(self.zone, types::SOA, &data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::policy::tests::rules_below;
    use crate::policy::{QuestionPolicy, Verdict};
    use crate::wire::header::rcode;
    use crate::wire::name::Name;
    use crate::wire::question::Question;
    use crate::wire::record::{Record, Records, Section};

    fn responded(name: &str, kind: u16) -> (Vec<u8>, Response) {
        let question = Question { name: Name::parse(name).unwrap(), kind, class: types::IN };
        let mut query = question.query(0x4711, header::RD);
        query[header::LENGTH + 1].make_ascii_uppercase();
        let (_, question_end) = Question::read(&query).unwrap();
        let policy = QuestionPolicy::new(Arc::new(rules_below(&[])), &[]).unwrap();
        let Verdict::Local(local) = policy.judge(&question, &mut |_| true) else {
            panic!("{name} is not local")
        };
        let response = compose(&query, question_end, &local);
        (query, response)
    }

    fn records(response: &Response) -> Vec<Record> {
        Records::of(&response.message).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn addresses_stand_in_the_answer_section() {
        let (query, response) = responded("ipv4only.arpa", types::A);
        let header = Header::read(&response.message).unwrap();
        assert_eq!((header.id, header.counts), (0x4711, [1, 2, 0, 0]));
        assert_eq!(header.flags, header::QR | header::AA | header::RD | header::RA);
        assert_eq!(response.message[header::LENGTH..response.question_end], query[header::LENGTH..]);
        let records = records(&response);
        let data: Vec<&[u8]> = records.iter().map(|record| &response.message[record.data.clone()]).collect();
        assert_eq!(data, [[192, 0, 0, 170], [192, 0, 0, 171]]);
        assert!(records.iter().all(|record| record.section == Section::Answer && record.ttl == TTL));
        assert_eq!(
            *response.ttls_at,
            records.iter().map(|record| (record.ttl_at as u16).to_be_bytes()).collect::<Vec<_>>()
        );
        assert_eq!((response.lifetime, response.extended_errors.len()), (None, 0));
    }

    #[test]
    fn a_negative_answer_brings_the_zones_soa_and_a_reason() {
        let (_, response) = responded("printer.office.home.arpa", types::A);
        assert_eq!(response.rcode(), rcode::NXDOMAIN);
        assert_eq!(Header::read(&response.message).unwrap().counts, [1, 0, 1, 0]);
        let soa = &records(&response)[0];
        let zone = Name::parse("home.arpa").unwrap();
        assert_eq!((soa.section, soa.kind), (Section::Authority, types::SOA));
        assert_eq!(Name::read(&response.message, soa.start).unwrap().0, zone);
        let (mname, rname_at) = Name::read(&response.message, soa.data.start).unwrap();
        let (rname, numbers) = Name::read(&response.message, rname_at).unwrap();
        assert_eq!((mname, rname.to_string().as_str()), (zone, "nobody.invalid"));
        assert_eq!(soa.data.end - numbers, 20);
        assert_eq!(response.message[soa.data.end - 4..soa.data.end], TTL.to_be_bytes());
        assert!(response.extended_errors[0].text.contains("RFC 8375"));
    }

    #[test]
    fn the_top_of_an_empty_zone_has_soa_and_ns() {
        let (_, soa) = responded("10.in-addr.arpa", types::SOA);
        assert_eq!(Header::read(&soa.message).unwrap().counts, [1, 1, 0, 0]);
        assert_eq!(records(&soa)[0].kind, types::SOA);
        let (_, ns) = responded("10.in-addr.arpa", types::NS);
        let record = &records(&ns)[0];
        let target = Name::read(&ns.message, record.data.start).unwrap().0;
        assert_eq!((record.kind, target.to_string().as_str()), (types::NS, "10.in-addr.arpa"));
    }

    #[test]
    fn what_is_composed_reads_as_an_answer_to_the_question() {
        for (name, kind) in [("localhost", types::AAAA), ("x.test", types::A), ("home.arpa", types::NS)] {
            let question = Question { name: Name::parse(name).unwrap(), kind, class: types::IN };
            let (_, response) = responded(name, kind);
            let (read, _) = Response::read(response.message.to_vec(), &question).unwrap();
            assert_eq!((read.message, read.ttls_at), (response.message, response.ttls_at), "{name}");
        }
    }
}
