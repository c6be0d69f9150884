//! Whether a message is whole: every name leads to its end, every record is there to its last octet, its data fits its type
//! ([`crate::data`]), and nothing stands behind the last record. A message that passes can be handed on: nobody who reads it by the
//! standards of its records stumbles over it. How often an OPT may come, and where, [`crate::edns::Edns::find`] knows.

use crate::edns::{Edns, option, option_in};
use crate::header::{self, Header};
use crate::record::Records;
use crate::{Malformed, data, name};

pub fn check(message: &[u8]) -> Result<(), Malformed> {
    let mut question_at = header::LENGTH;
    for _ in 0..Header::read(message)?.counts[0] {
        name::check(message, question_at)?;
        question_at = name::skip(message, question_at)? + 4;
    }
    let mut records = Records::of(message)?;
    for record in records.by_ref() {
        let record = record?;
        name::check(message, record.start)?;
        data::check(message, &record)?;
    }
    if records.position() != message.len() {
        return Err(Malformed("octets behind the last record"));
    }
    Ok(())
}

/// The same of a query, in which an OPT must be at its place, and a cookie as long as one may be (RFC 7873 sections 4 and 5.2.2).
/// Returns what the OPT says, and the cookie.
#[inline]
pub fn check_query(message: &[u8]) -> Result<(Option<Edns>, Option<&[u8]>), Malformed> {
    check(message)?;
    let Some((edns, opt)) = Edns::find(message)? else {
        return Ok((None, None));
    };
    let cookie = option_in(&message[opt.data], option::COOKIE);
    match cookie.map_or(8, <[u8]>::len) {
        8 | 16..=40 => Ok((Some(edns), cookie)),
        _ => Err(Malformed("a cookie of a length that none has")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;
    use crate::question::Question;
    use crate::record::whole_within;
    use crate::{tsig, types};

    const A: &[u8] = b"\xc0\x0c\0\x01\0\x01\0\0\x0e\x10\0\x04\x7f\0\0\x01";
    const SOA: &[u8] =
        b"\xc0\x10\0\x06\0\x01\0\0\x0e\x10\0\x1b\x02ns\xc0\x10\xc0\x0c\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05";
    const OPT: &[u8] = b"\0\0\x29\x04\xd0\0\0\0\0\0\x06\0\x0f\0\x02\0\x16";

    fn response(sections: [&[&[u8]]; 3]) -> Vec<u8> {
        let name = Name::parse("www.example.com").unwrap();
        let mut message = Question { name, kind: types::A, class: types::IN }.query(7, header::QR);
        for (place, records) in sections.into_iter().enumerate() {
            message[7 + 2 * place] = records.len() as u8;
            message.extend(records.concat());
        }
        message
    }

    #[test]
    fn a_message_is_whole_at_its_length_and_at_no_other() {
        let mut whole = response([&[A, A], &[SOA], &[OPT]]);
        assert_eq!(check(&whole), Ok(()));
        for length in 0..whole.len() {
            assert!(check(&whole[..length]).is_err(), "{length}");
        }
        whole.push(0);
        assert_eq!(check(&whole), Err(Malformed("octets behind the last record")));
    }

    #[test]
    fn a_record_with_one_octet_too_many_or_too_few_is_named() {
        for (record, length_at) in [(A, 11), (SOA, 11), (OPT, 10)] {
            for change in [1, 255] {
                let mut changed = record.to_vec();
                changed[length_at] = changed[length_at].wrapping_add(change);
                match change {
                    1 => changed.push(0),
                    _ => drop(changed.pop()),
                }
                assert!(check(&response([&[], &[], &[&changed]])).is_err(), "{record:02x?} {change}");
            }
        }
    }

    #[test]
    fn names_lead_to_their_end_wherever_they_stand() {
        let bad_owner = [&b"\xc0\x22"[..], &A[2..]].concat();
        assert!(check(&response([&[&bad_owner], &[], &[]])).is_err(), "an owner that points at itself");
        // the pointer leads back, but what stands there is the middle of a label that leads out of the names
        let unending = b"\xc0\x0d\0\x01\0\x01\0\0\x0e\x10\0\x04\x7f\0\0\x01";
        assert!(check(&response([&[unending], &[], &[]])).is_err());
        let mut question = response([&[], &[], &[]]);
        question[16] = 0xc0;
        assert!(check(&question).is_err());
        let cname = b"\xc0\x0c\0\x05\0\x01\0\0\x0e\x10\0\x02\xc0\x10";
        assert_eq!(check(&response([&[cname], &[], &[]])), Ok(()));
        let mut forward = *cname;
        forward[13] = 0x30;
        assert!(check(&response([&[&forward], &[], &[]])).is_err());
    }

    #[test]
    fn a_cookie_of_a_query_has_one_of_its_lengths() {
        for length in 0..64u8 {
            let cookie = [&b"\0\0\x29\x04\xd0\0\0\0\0\0"[..], &[4 + length, 0, 10, 0, length]].concat();
            let message = response([&[], &[], &[&[cookie, vec![7; length.into()]].concat()]]);
            let found = check_query(&message).map(|(edns, cookie)| (edns.is_some(), cookie.map(<[u8]>::len)));
            match length {
                8 | 16..=40 => assert_eq!(found, Ok((true, Some(length.into())))),
                _ => assert!(found.is_err(), "{length}"),
            }
        }
        assert_eq!(check_query(&response([&[], &[], &[]])), Ok((None, None)));
        assert!(check_query(&response([&[], &[OPT], &[]])).is_err());
    }

    #[test]
    fn whatever_octet_is_wrong_nothing_panics() {
        let whole = response([&[A], &[SOA], &[OPT]]);
        for at in 0..whole.len() {
            for value in 0..=255 {
                let mut changed = whole.clone();
                changed[at] = value;
                let is_whole = check(&changed).is_ok();
                assert!(is_whole || check_query(&changed).is_err());
                let _ = (Edns::of_wrong(&changed), tsig::refusal(&changed));
                let Ok((end, counts)) = whole_within(&changed, at) else { continue };
                Header { counts, ..Header::read(&changed).unwrap() }.write(&mut changed);
                assert_eq!(Records::of(&changed).unwrap().end(), Ok(end));
                assert!(!is_whole || check(&changed[..end]).is_ok(), "what was whole is whole up to {end}");
            }
        }
    }
}
