//! What the guardian responds while there is no service: SERVFAIL with the reason (RFC 8914), and to what is no query the same errors
//! as the service. Pure; every octet it reads may be hostile.

use sotto_wire::edns::{Edns, ExtendedError, OptWriter};
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::question::Question;
use sotto_wire::{tsig, validity};

/// A question section is at most 259 octets long: with a text of this length, the response fits into 512 octets.
const LONGEST_TEXT: usize = 200;

/// `None`: no response, because the message is no query. Responses are never answered, so that two guardians cannot answer each
/// other for ever.
pub fn respond(message: &[u8], why: &str) -> Option<Vec<u8>> {
    let header = Header::read(message).ok().filter(|header| !header.is_response())?;
    // an error without an OPT would say that we do not know EDNS
    let edns = Edns::of_wrong(message);
    let (code, refusal) = match judge(message, &header, edns.as_ref()) {
        Ok(None) => (rcode::SERVFAIL, None),
        Ok(refusal) => (rcode::NOTAUTH, refusal),
        Err(code) => (code, None),
    };
    let mut octets = response(&header, code, question(message, &header));
    if let Some(edns) = edns {
        let mut opt = OptWriter::start(&mut octets, edns.dnssec_ok, (code >> 4) as u8);
        if code == rcode::SERVFAIL {
            let end = (0..=LONGEST_TEXT.min(why.len())).rev().find(|end| why.is_char_boundary(*end));
            opt.extended_error(&ExtendedError::new(ExtendedError::NOT_READY, &why[..end.unwrap_or(0)]));
        }
        opt.finish();
    }
    if let Some(refusal) = refusal {
        tsig::append(&refusal, &mut octets, 0);
    }
    Some(octets)
}

/// The code of the error, if it is no query to answer; the record that says so, if it is signed.
fn judge(message: &[u8], header: &Header, edns: Option<&Edns>) -> Result<Option<Vec<u8>>, u16> {
    // before all other errors (RFC 6891 section 6.1.3)
    if edns.is_some_and(|edns| edns.version > 0) {
        return Err(rcode::BADVERS);
    }
    if header.opcode() != 0 {
        return Err(rcode::NOTIMP);
    }
    let (_, cookie) = validity::check_query(message).map_err(|_| rcode::FORMERR)?;
    match header.counts {
        [1, ..] => tsig::refusal(message).map_err(|_| rcode::FORMERR),
        // for a cookie alone (RFC 7873 section 5.4); there are none here
        [0, 0, 0, 1] if cookie.is_some() => Err(rcode::NOERROR),
        _ => Err(rcode::FORMERR),
    }
}

/// The question section, where a response can repeat it.
fn question<'a>(message: &'a [u8], header: &Header) -> &'a [u8] {
    match Question::read(message) {
        Ok((_, end)) if header.opcode() == 0 && header.counts[0] == 1 => &message[header::LENGTH..end],
        _ => &[],
    }
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
    use sotto_wire::record::Records;
    use sotto_wire::types;

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

    /// Code with its extended part, and whether there is an OPT.
    fn said(octets: &[u8]) -> (u16, bool) {
        let response = respond(octets, WHY).unwrap();
        assert_eq!(validity::check(&response), Ok(()));
        let edns = Edns::find(&response).unwrap().map(|(edns, _)| edns);
        let upper = edns.as_ref().map_or(0, |edns| u16::from(edns.extended_rcode));
        (upper << 4 | Header::read(&response).unwrap().rcode(), edns.is_some())
    }

    fn with_cookie(length: u8) -> Vec<u8> {
        query(&[&EDNS[..10], &[4 + length, 0, 10, 0, length], &vec![7; length.into()]].concat(), 1)
    }

    fn without_question(mut octets: Vec<u8>) -> Vec<u8> {
        octets[5] = 0;
        octets.drain(12..29);
        octets
    }

    fn with_opcode(opcode: u8, mut octets: Vec<u8>) -> Vec<u8> {
        octets[2] |= opcode << 3;
        octets
    }

    #[test]
    fn errors_are_those_of_the_service_with_an_opt_where_one_came() {
        let edns_version_1 = [&EDNS[..6], &[1], &EDNS[7..]].concat();
        let address_of_three = b"\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x03\x7f\0\0";
        for (octets, code) in [
            (with_cookie(7), rcode::FORMERR),
            (with_cookie(8), rcode::SERVFAIL),
            (with_cookie(15), rcode::FORMERR),
            (with_cookie(16), rcode::SERVFAIL),
            (with_cookie(40), rcode::SERVFAIL),
            (with_cookie(41), rcode::FORMERR),
            (without_question(with_cookie(8)), rcode::NOERROR),
            (without_question(with_cookie(9)), rcode::FORMERR),
            (without_question(query(&EDNS, 1)), rcode::FORMERR),
            (query(&edns_version_1, 1), rcode::BADVERS),
            (with_opcode(5, query(&edns_version_1, 1)), rcode::BADVERS),
            (query(&[&EDNS[..], b"behind"].concat(), 1), rcode::FORMERR),
            (query(&[&EDNS[..], address_of_three].concat(), 2), rcode::FORMERR),
            (with_opcode(4, query(&EDNS, 1)), rcode::NOTIMP),
        ] {
            assert_eq!(said(&octets), (code, true), "{octets:02x?}");
        }
        assert_eq!(said(&with_opcode(5, query(&[], 0))), (rcode::NOTIMP, false));
    }

    #[test]
    fn a_signature_is_refused_by_a_record_that_says_so() {
        let tsig = b"\x03key\0\0\xfa\0\xff\0\0\0\0\0\x20\x0bhmac-sha256\0\0\0\x65\x53\xf1\0\x01\x2c\0\x03abc\xab\xcd\0\0\0\0";
        let signed = query(&[&EDNS[..], tsig].concat(), 2);
        assert_eq!(said(&signed), (rcode::NOTAUTH, true));
        let response = respond(&signed, WHY).unwrap();
        assert!(response.len() <= signed.len());
        assert_eq!(Records::of(&response).unwrap().last().unwrap().unwrap().kind, types::TSIG);
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
            prop_assert!(response.len() <= octets.len().max(512));
            prop_assert_eq!(respond(&response, why), None);
            prop_assert_eq!(validity::check(&response), Ok(()));
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
