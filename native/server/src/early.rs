//! What may be answered before the handshake is finished: plain queries, which change nothing however often they are sent (RFC 9250
//! section 4.5 draws the same line). Anything else waits, and so does everything behind it.

use sotto_wire::header::Header;

/// Octets accepted from one client before its handshake is finished. The client learns the number from its ticket.
pub const LIMIT: u32 = 4096;

/// How many octets at the front are whole framed messages of opcode QUERY.
pub fn answerable(framed: &[u8]) -> usize {
    let mut at = 0;
    while let Some(message) = crate::framing::frame(&framed[at..])
        && is_plain(message)
    {
        at += 2 + message.len();
    }
    at
}

fn is_plain(message: &[u8]) -> bool {
    Header::read(message).is_ok_and(|header| !header.is_response() && header.opcode() == 0)
}

#[cfg(test)]
mod tests {
    use sotto_wire::header::QR;

    use super::*;

    fn framed(flags: u16, octets: usize) -> Vec<u8> {
        let mut message = (octets as u16).to_be_bytes().to_vec();
        message.extend([0, 1]);
        message.extend(flags.to_be_bytes());
        message.resize(2 + octets, 0);
        message
    }

    #[test]
    fn whole_plain_queries_need_not_wait_and_nothing_overtakes() {
        let query = framed(0x0100, 40);
        let notify = framed(4 << 11, 40);
        let response = framed(QR, 40);
        for (parts, answerable_parts) in [
            (vec![&query, &query], 2),
            (vec![&query, &notify, &query], 1),
            (vec![&response], 0),
            (vec![&framed(0, 4)], 0),
            (vec![], 0),
        ] {
            let whole: Vec<u8> = parts.iter().copied().flatten().copied().collect();
            assert_eq!(answerable(&whole), answerable_parts * 42, "{parts:?}");
        }
        assert_eq!(answerable(&[&query[..], &query[..41]].concat()), 42);
        assert_eq!(answerable(&query[..1]), 0);
    }
}
