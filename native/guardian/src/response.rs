//! The only response that the guardian gives: SERVFAIL with the reason (RFC 8914). Pure; every octet it reads may be hostile.

use sotto_wire::Malformed;
use sotto_wire::edns::{Edns, ExtendedError, OptWriter};
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::question::Question;

/// A question section is at most 259 octets long: with a text of this length, the response fits into 512 octets.
const LONGEST_TEXT: usize = 200;

/// `None`: no response, because the message is no query. Responses are never answered, so that two guardians cannot answer each
/// other for ever.
pub fn respond(message: &[u8], why: &str) -> Option<Vec<u8>> {
    let header = Header::read(message).ok().filter(|header| !header.is_response())?;
    if header.opcode() != 0 {
        return Some(response(&header, rcode::NOTIMP, &[]));
    }
    let Ok(asked) = read(message, &header) else {
        return Some(response(&header, rcode::FORMERR, &[]));
    };
    let mut octets = response(&header, rcode::SERVFAIL, asked.question);
    if asked.edns {
        let end = (0..=LONGEST_TEXT.min(why.len())).rev().find(|end| why.is_char_boundary(*end));
        let mut opt = OptWriter::start(&mut octets, false, 0);
        opt.extended_error(&ExtendedError::new(ExtendedError::NOT_READY, &why[..end.unwrap_or(0)]));
        opt.finish();
    }
    Some(octets)
}

struct Asked<'a> {
    question: &'a [u8],
    edns: bool,
}

/// One question, only records behind it, and at most one OPT among the additional ones.
fn read<'a>(message: &'a [u8], header: &Header) -> Result<Asked<'a>, Malformed> {
    if header.counts[0] != 1 {
        return Err(Malformed("not one question"));
    }
    let (_, end) = Question::read(message)?;
    Ok(Asked { question: &message[header::LENGTH..end], edns: Edns::find(message)?.is_some() })
}

/// A response with this question section, or with none.
fn response(header: &Header, code: u16, question: &[u8]) -> Vec<u8> {
    let mut octets = vec![0; header::LENGTH];
    Header { counts: [u16::from(!question.is_empty()), 0, 0, 0], ..header.response(code) }.write(&mut octets);
    octets.extend(question);
    octets
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHY: &str = "Sotto does not start";

    fn query(tail: &[u8], additional: u8) -> Vec<u8> {
        let mut octets = vec![0xab, 0xcd, 0x01, 0x20, 0, 1, 0, 0, 0, 0, 0, additional];
        octets.extend(b"\x03www\x07example\x00\x00\x01\x00\x01");
        octets.extend(tail);
        octets
    }

    const EDNS: [u8; 11] = [0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0];

    #[test]
    fn a_query_is_answered_with_the_reason_where_it_speaks_edns() {
        let plain = respond(&query(&[], 0), WHY).unwrap();
        assert_eq!(plain[..12], [0xab, 0xcd, 0x81, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(plain[12..], query(&[], 0)[12..]);

        let edns = respond(&query(&EDNS, 1), WHY).unwrap();
        assert_eq!(edns[..12], [0xab, 0xcd, 0x81, 2, 0, 1, 0, 0, 0, 0, 0, 1]);
        let mut option = vec![0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 26, 0, 15, 0, 22, 0, 14];
        option.extend(WHY.as_bytes());
        assert!(edns.ends_with(&option));
    }

    #[test]
    fn what_is_no_query_gets_what_it_deserves() {
        let rcode =
            |octets: &[u8]| respond(octets, WHY).map(|response| Header::read(&response).unwrap().rcode());
        assert_eq!(rcode(&[]), None);
        assert_eq!(rcode(&query(&[], 0)[..11]), None, "not even a header");
        assert_eq!(rcode(&respond(&query(&[], 0), WHY).unwrap()), None, "a response");
        assert_eq!(rcode(&query(&[], 0)[..12]), Some(rcode::FORMERR), "no question behind the header");
        assert_eq!(rcode(&query(&EDNS, 2)), Some(rcode::FORMERR), "fewer records than counted");
        assert_eq!(rcode(&query(&[EDNS, EDNS].concat(), 2)), Some(rcode::FORMERR), "two OPT");
        let mut update = query(&[], 0);
        update[2] = 5 << 3;
        assert_eq!(rcode(&update), Some(rcode::NOTIMP));
        let mut pointer = query(&[], 0);
        pointer[12] = 0xc0;
        assert_eq!(rcode(&pointer), Some(rcode::FORMERR), "a question that points");
    }

    #[test]
    fn the_longest_answer_fits_everybody() {
        let mut longest = query(&[], 1)[..12].to_vec();
        for length in [63, 63, 63, 61] {
            longest.push(length);
            longest.extend(vec![b'a'; length.into()]);
        }
        longest.extend([0, 0, 1, 0, 1]);
        longest.extend(EDNS);
        let response = respond(&longest, &"ü".repeat(500)).unwrap();
        assert_eq!(response[3], rcode::SERVFAIL as u8);
        assert!(response.len() <= 512, "{}", response.len());
        assert!(std::str::from_utf8(&response[response.len() - LONGEST_TEXT..]).is_ok());
    }

    fn holds(octets: &[u8], why: &str) -> Result<(), TestCaseError> {
        if let Some(response) = respond(octets, why) {
            prop_assert_eq!(&response[..2], &octets[..2]);
            let header = Header::read(&response).unwrap();
            prop_assert!(header.is_response());
            prop_assert!(response.len() <= 512);
            prop_assert_eq!(respond(&response, why), None);
            if header.rcode() == rcode::SERVFAIL {
                prop_assert!(read(&response, &header).is_ok(), "our own response is well formed");
            }
        } else {
            prop_assert!(Header::read(octets).map_or(true, |header| header.is_response()));
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn noise_is_survived_and_answers_are_never_answered(octets: Vec<u8>, why: String) {
            holds(&octets, &why)?;
        }

        #[test]
        fn so_is_a_query_with_a_few_octets_changed(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in 0usize..12,
        ) {
            let mut octets = query(&EDNS, 1);
            for (index, value) in changes {
                let at = index.index(octets.len());
                octets[at] = value;
            }
            octets.truncate(octets.len() - cut);
            holds(&octets, WHY)?;
        }
    }
}
