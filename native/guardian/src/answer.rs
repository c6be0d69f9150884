//! The one answer the guardian knows: SERVFAIL, and why (RFC 8914). Pure; every octet it reads may be hostile.

const HEADER: usize = 12;
const QR: u8 = 0x80;
const OPCODE: u8 = 0x78;
const RD: u8 = 0x01;
const FORMERR: u8 = 1;
const SERVFAIL: u8 = 2;
const NOTIMP: u8 = 4;
const OPT: u16 = 41;
const EXTENDED_ERROR: u16 = 15;
/// RFC 8914 section 4.15: "not fully functional when the query was received"
const NOT_READY: u16 = 14;
const PAYLOAD: u16 = 1232;
/// A question is 259 octets at most: with so much text the answer still fits everybody's 512.
const LONGEST_TEXT: usize = 200;

/// `None`: silence, for whatever is no question. A response is never answered, so that two of us can't keep each other busy.
pub fn answer(message: &[u8], why: &str) -> Option<Vec<u8>> {
    let header: &[u8; HEADER] = message.first_chunk()?;
    if header[2] & QR != 0 {
        return None;
    }
    if header[2] & OPCODE != 0 {
        return Some(reply(header, NOTIMP, &[]));
    }
    let Some(asked) = read(message) else {
        return Some(reply(header, FORMERR, &[]));
    };
    let mut octets = reply(header, SERVFAIL, asked.question);
    if asked.edns {
        octets[11] = 1;
        push_opt(&mut octets, why);
    }
    Some(octets)
}

struct Asked<'a> {
    question: &'a [u8],
    edns: bool,
}

/// One question, nothing but records behind it, and at most one OPT among the additional ones.
fn read(message: &[u8]) -> Option<Asked<'_>> {
    let count = |index: usize| u16::from_be_bytes([message[4 + 2 * index], message[5 + 2 * index]]);
    if count(0) != 1 {
        return None;
    }
    let end = skip_labels(message, HEADER)? + 4;
    let question = message.get(HEADER..end)?;
    let (mut at, mut options) = (end, 0);
    for section in 1..=3 {
        for _ in 0..count(section) {
            let fixed = skip_name(message, at)?;
            let fields: &[u8; 10] = message.get(fixed..)?.first_chunk()?;
            if section == 3 && u16::from_be_bytes([fields[0], fields[1]]) == OPT {
                options += 1;
            }
            at = fixed + 10 + usize::from(u16::from_be_bytes([fields[8], fields[9]]));
        }
    }
    (at <= message.len() && options <= 1).then_some(Asked { question, edns: options == 1 })
}

/// A question's name has nothing before it to point to.
fn skip_labels(message: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        match *message.get(at)? {
            0 => break,
            length @ 1..=63 => at += 1 + usize::from(length),
            _ => return None,
        }
    }
    (at + 1 - start <= 255).then_some(at + 1)
}

fn skip_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *message.get(at)? {
            0 => return Some(at + 1),
            length @ 1..=63 => at += 1 + usize::from(length),
            0xc0.. => return Some(at + 2),
            _ => return None,
        }
    }
}

fn reply(header: &[u8; HEADER], rcode: u8, question: &[u8]) -> Vec<u8> {
    let mut octets = vec![header[0], header[1], QR | header[2] & (OPCODE | RD), rcode];
    octets.extend([0, u8::from(!question.is_empty()), 0, 0, 0, 0, 0, 0]);
    octets.extend(question);
    octets
}

fn push_opt(octets: &mut Vec<u8>, why: &str) {
    let end = (0..=LONGEST_TEXT.min(why.len())).rev().find(|end| why.is_char_boundary(*end));
    let text = &why.as_bytes()[..end.unwrap_or(0)];
    let option = 2 + text.len() as u16;
    octets.push(0);
    for number in [OPT, PAYLOAD, 0, 0, 4 + option, EXTENDED_ERROR, option, NOT_READY] {
        octets.extend(number.to_be_bytes());
    }
    octets.extend(text);
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
    fn a_question_is_answered_with_the_reason_where_it_speaks_edns() {
        let plain = answer(&query(&[], 0), WHY).unwrap();
        assert_eq!(plain[..12], [0xab, 0xcd, 0x81, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(plain[12..], query(&[], 0)[12..]);

        let edns = answer(&query(&EDNS, 1), WHY).unwrap();
        assert_eq!(edns[..12], [0xab, 0xcd, 0x81, 2, 0, 1, 0, 0, 0, 0, 0, 1]);
        let mut option = vec![0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 26, 0, 15, 0, 22, 0, 14];
        option.extend(WHY.as_bytes());
        assert!(edns.ends_with(&option));
    }

    #[test]
    fn what_is_no_question_gets_what_it_deserves() {
        let rcode = |octets: &[u8]| answer(octets, WHY).map(|reply| reply[3] & 15);
        assert_eq!(rcode(&[]), None);
        assert_eq!(rcode(&query(&[], 0)[..11]), None, "not even a header");
        assert_eq!(rcode(&answer(&query(&[], 0), WHY).unwrap()), None, "a response");
        assert_eq!(rcode(&query(&[], 0)[..12]), Some(FORMERR), "no question behind the header");
        assert_eq!(rcode(&query(&EDNS, 2)), Some(FORMERR), "fewer records than counted");
        assert_eq!(rcode(&query(&[EDNS, EDNS].concat(), 2)), Some(FORMERR), "two OPT");
        let mut update = query(&[], 0);
        update[2] = 5 << 3;
        assert_eq!(rcode(&update), Some(NOTIMP));
        let mut pointer = query(&[], 0);
        pointer[12] = 0xc0;
        assert_eq!(rcode(&pointer), Some(FORMERR), "a question that points");
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
        let reply = answer(&longest, &"ü".repeat(500)).unwrap();
        assert_eq!(reply[3], SERVFAIL);
        assert!(reply.len() <= 512, "{}", reply.len());
        assert!(std::str::from_utf8(&reply[reply.len() - LONGEST_TEXT..]).is_ok());
    }

    fn holds(octets: &[u8], why: &str) -> Result<(), TestCaseError> {
        if let Some(reply) = answer(octets, why) {
            prop_assert_eq!(&reply[..2], &octets[..2]);
            prop_assert!(reply[2] & QR != 0);
            prop_assert!(reply.len() <= 512);
            prop_assert_eq!(answer(&reply, why), None);
            if reply[3] == SERVFAIL {
                let mut asked = reply.clone();
                asked[2] &= !QR;
                prop_assert!(read(&asked).is_some(), "our own answer is well formed");
            }
        } else {
            prop_assert!(octets.len() < HEADER || octets[2] & QR != 0);
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
        fn so_is_a_question_with_a_few_octets_changed(
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
