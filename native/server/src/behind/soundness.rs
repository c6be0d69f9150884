//! Whether a response may be handed on: clients that would stumble over it get another server's.

use sotto_wire::edns::Edns;
use sotto_wire::header::{self, Header};
use sotto_wire::question::Question;
use sotto_wire::record::{Records, Section};
use sotto_wire::{Malformed, validity};

use super::failure::Failure;

/// It is whole to the last octet, and answers in the class that was asked for.
pub fn check(response: &[u8]) -> Result<(), Malformed> {
    validity::check(response)?;
    Edns::find(response)?;
    if Header::read(response)?.counts[0] == 0 {
        return Ok(());
    }
    let (asked, _) = Question::read(response)?;
    for record in Records::of(response)? {
        let record = record?;
        if record.section != Section::Additional && record.class != asked.class {
            return Err(Malformed("it holds a record of another class than was asked for"));
        }
    }
    Ok(())
}

/// Of a connection, which has room for everything.
pub fn whole(response: Vec<u8>) -> Result<Vec<u8>, Failure> {
    check(&response).map_err(|Malformed(why)| Failure::Unsound(why))?;
    match is_truncated(&response) {
        true => Err(Failure::Unsound("it is truncated over a connection, too")),
        false => Ok(response),
    }
}

pub fn is_truncated(response: &[u8]) -> bool {
    Header::read(response).is_ok_and(|header| header.has(header::TC))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESPONSE: &[u8] = b"\x12\x34\x81\x80\0\x01\0\x01\0\0\0\x01\x03www\x04test\0\0\x01\0\x01\
        \xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x05\0\0\x29\x04\xd0\0\0\0\0\0\0";

    #[test]
    fn a_response_that_is_cut_or_of_another_class_is_not_handed_on() {
        assert_eq!(whole(RESPONSE.to_vec()).as_deref(), Ok(RESPONSE));
        for length in 0..RESPONSE.len() {
            assert!(check(&RESPONSE[..length]).is_err(), "{length}");
        }
        let with = |at: usize, octet| {
            let mut response = RESPONSE.to_vec();
            response[at] = octet;
            whole(response)
        };
        assert!(with(31, 3).is_err(), "a record of Chaosnet");
        assert!(with(2, 0x83).is_err(), "truncated");
    }
}
