//! What a hostile middlebox reads and writes in DNS messages.

use std::net::IpAddr;

const HEADER: usize = 12;
/// QNAME STARTTLS, QTYPE TXT, QCLASS CH: the question that requests TLS in-band (draft-ietf-dprive-start-tls-for-dns).
const STARTTLS: &[u8] = b"\x08STARTTLS\0\0\x10\0\x03";
/// The EDNS flag TO, in the upper octet of the flags.
const TLS_OK: u8 = 0x40;
const OPT: u16 = 41;

/// The STARTTLS query at the start of a TCP stream, without its length; anything framed behind it is left out.
pub fn starttls_question(stream: &[u8]) -> Option<&[u8]> {
    framed(stream).filter(|message| is_starttls(message) && message[2] & 0x80 == 0)
}

/// The framed response of a server that declines: TXT "NO_TLS", no TO bit, nothing else changed.
pub fn no_tls(question: &[u8]) -> Vec<u8> {
    let end = HEADER + STARTTLS.len();
    let mut reply = vec![0, 0];
    reply.extend(&question[..2]);
    reply.extend([0x80, 0, 0, 1, 0, 1, 0, 0, 0, 1]);
    reply.extend(&question[HEADER..end]);
    reply.extend(b"\xc0\x0c\0\x10\0\x03\0\0\0\0\0\x07\x06NO_TLS");
    reply.extend(b"\0\0\x29\x10\0\0\0\0\0\0\0");
    let length = reply.len() as u16 - 2;
    reply[..2].copy_from_slice(&length.to_be_bytes());
    reply
}

/// Clears the TO bit of a response to STARTTLS; returns whether it was set.
pub fn clear_tls_ok(stream: &mut [u8]) -> bool {
    let is_reply = framed(stream).is_some_and(|message| is_starttls(message) && message[2] & 0x80 != 0);
    let flags = is_reply.then(|| opt_flags(&stream[2..])).flatten();
    let Some(octet) = flags.and_then(|at| stream.get_mut(2 + at)) else {
        return false;
    };
    let was_set = *octet & TLS_OK != 0;
    *octet &= !TLS_OK;
    was_set
}

/// A forged response to a plain query: `address` where the query is for its family, else no data.
pub fn forged_answer(question: &[u8], address: IpAddr, id: [u8; 2]) -> Option<Vec<u8>> {
    let is_question = question.len() > HEADER && question[2] & 0x80 == 0 && question[4..6] == [0, 1];
    let end = is_question.then(|| skip_name(question, HEADER)).flatten()? + 4;
    let data = match (question.get(end - 4..end)?, address) {
        ([0, 1, 0, 1], IpAddr::V4(address)) => Some(address.octets().to_vec()),
        ([0, 28, 0, 1], IpAddr::V6(address)) => Some(address.octets().to_vec()),
        _ => None,
    };
    let mut answer = Vec::from(id);
    answer.extend([0x81, 0x80, 0, 1, 0, u8::from(data.is_some()), 0, 0, 0, 0]);
    answer.extend(&question[HEADER..end]);
    if let Some(data) = data {
        answer.extend([0xc0, 0x0c]);
        answer.extend(&question[end - 4..end]);
        answer.extend([0, 0, 0x0e, 0x10, 0, data.len() as u8]);
        answer.extend(data);
    }
    Some(answer)
}

fn framed(stream: &[u8]) -> Option<&[u8]> {
    let length = usize::from(u16::from_be_bytes([*stream.first()?, *stream.get(1)?]));
    stream.get(2..2 + length)
}

fn is_starttls(message: &[u8]) -> bool {
    let question = message.get(HEADER..HEADER + STARTTLS.len());
    question.is_some_and(|question| question.eq_ignore_ascii_case(STARTTLS))
}

/// The position of the OPT's flags.
fn opt_flags(message: &[u8]) -> Option<usize> {
    let mut at = HEADER + STARTTLS.len();
    while at < message.len() {
        at = skip_name(message, at)?;
        let head = message.get(at..at + 10)?;
        if u16::from_be_bytes([head[0], head[1]]) == OPT {
            return Some(at + 6);
        }
        at += 10 + usize::from(u16::from_be_bytes([head[8], head[9]]));
    }
    None
}

fn skip_name(message: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match usize::from(*message.get(at)?) {
            0 => return Some(at + 1),
            0xc0.. => return Some(at + 2),
            length => at += 1 + length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &[u8] =
        b"\0\x25\x1a\x2b\0\0\0\x01\0\0\0\0\0\x01\x08STARTTLS\0\0\x10\0\x03\0\0\x29\x10\0\0\0\x40\0\0\0";
    const ACCEPTED: &[u8] = b"\0\x3a\x1a\x2b\x80\0\0\x01\0\x01\0\0\0\x01\x08STARTTLS\0\0\x10\0\x03\
        \xc0\x0c\0\x10\0\x03\0\0\0\0\0\x09\x08STARTTLS\0\0\x29\x10\0\0\0\x40\0\0\0";

    #[test]
    fn knows_the_question_whole_and_only_it() {
        assert_eq!(starttls_question(QUESTION), Some(&QUESTION[2..]));
        assert_eq!(starttls_question(&QUESTION[..38]), None, "an octet is missing");
        assert_eq!(starttls_question(ACCEPTED), None);
        assert_eq!(starttls_question(b""), None);
    }

    #[test]
    fn declines_in_the_octets_of_the_draft() {
        let reply = no_tls(&QUESTION[2..]);
        assert_eq!((reply.len(), &reply[..4]), (58, &b"\0\x38\x1a\x2b"[..]));
        assert!(reply.ends_with(b"\x07\x06NO_TLS\0\0\x29\x10\0\0\0\0\0\0\0"));
    }

    #[test]
    fn clears_the_bit_and_nothing_else() {
        let mut stream = ACCEPTED.to_vec();
        assert!(clear_tls_ok(&mut stream) && !clear_tls_ok(&mut stream));
        let changed: Vec<_> = (0..stream.len()).filter(|&at| stream[at] != ACCEPTED[at]).collect();
        assert_eq!(changed, [ACCEPTED.len() - 4]);
        assert!(!clear_tls_ok(&mut QUESTION.to_vec()), "a question is no reply");
    }

    #[test]
    fn forges_what_was_asked_for() {
        let question = b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x01x\0\0\x01\0\x01";
        let address = "192.0.2.66".parse().unwrap();
        let answer = forged_answer(question, address, [0, 7]).unwrap();
        assert!(answer.starts_with(b"\0\x07\x81\x80\0\x01\0\x01") && answer.ends_with(&[192, 0, 2, 66]));
        let no_data = forged_answer(question, "2001:db8::1".parse().unwrap(), [0, 7]).unwrap();
        assert_eq!(no_data[6..8], [0, 0]);
        assert_eq!(forged_answer(&answer, address, [0, 7]), None, "an answer is no question");
        assert_eq!(forged_answer(&question[..15], address, [0, 7]), None);
    }
}
