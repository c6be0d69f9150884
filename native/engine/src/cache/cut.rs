//! NXDOMAIN cut (RFC 8020): where a name does not exist, nothing exists below it.
//!
//! The denial of the upper name is given for the lower one, with the same SOA and the same proofs. They cover the lower name as well,
//! because it sorts right behind the upper one and has the same closest encloser. The question is longer, so every compression
//! pointer moves by the difference: those into the question keep meaning the upper name, which now stands further behind.

use crate::response::{Body, Response};
use crate::wire::header::{self, Header, rcode};
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Record, Records, Section};
use crate::wire::{put_u16, types, u16_at};

const POINTER: u16 = 0xc000;
/// NSEC3 holds no names, RRSIG one behind these octets of numbers (RFC 4034 section 3.1).
const BEFORE_SIGNER: usize = 18;

/// Whether the response denies that its question's name exists: not where a CNAME led elsewhere (then it is the last target that
/// does not exist), nor without the SOA of a zone the name is in.
pub fn denies(response: &Response, name: &[u8]) -> bool {
    response.rcode() == rcode::NXDOMAIN && response.is_empty() && has_soa_above(&response.message, name)
}

fn has_soa_above(message: &[u8], name: &[u8]) -> bool {
    let (Ok(mut records), Ok((name, _))) = (Records::of(message), Name::read(name, 0)) else { return false };
    records.any(|record| {
        record.is_ok_and(|record| {
            record.section == Section::Authority
                && record.kind == types::SOA
                && Name::read(message, record.start).is_ok_and(|(zone, _)| name.ends_with(&zone))
        })
    })
}

/// The denial, told for a name below. `asked`: name, type and class. `None` where it holds what can't be moved.
pub fn below(denial: Body<'_>, asked: &[u8]) -> Option<Response> {
    let old = denial.message;
    let (_, old_end) = Name::read(old, header::LENGTH).ok()?;
    let mut lower = Lower {
        message: [&old[..header::LENGTH], asked].concat(),
        shift: u16::try_from((header::LENGTH + asked.len()).checked_sub(old_end + 4)?).ok()?,
        records: 0,
    };
    for record in Records::of(old).ok()? {
        let record = record.ok()?;
        if record.section == Section::Authority {
            lower.take(old, &record)?;
        }
    }
    Header { counts: [1, 0, lower.records, 0], ..Header::read(old).ok()? }.write(&mut lower.message);
    let (question, _) = Question::read(&lower.message).ok()?;
    // moving the pointers broke this denial, so it is not used
    Response::read(lower.message, &question).ok().map(|(response, _)| response)
}

struct Lower {
    message: Vec<u8>,
    /// octets by which the question is longer
    shift: u16,
    records: u16,
}

impl Lower {
    fn take(&mut self, old: &[u8], record: &Record) -> Option<()> {
        self.message.extend_from_slice(&old[record.start..record.end()]);
        self.records += 1;
        let at = |old: usize| old + usize::from(self.shift);
        let data = at(record.data.start);
        self.move_pointer(at(record.start))?;
        match record.kind {
            types::SOA => {
                let behind = self.move_pointer(data)?;
                self.move_pointer(behind)?;
            }
            types::NSEC => {
                self.move_pointer(data)?;
            }
            types::RRSIG => {
                self.move_pointer(data + BEFORE_SIGNER)?;
            }
            types::NSEC3 => {}
            _ => return None,
        }
        Some(())
    }

    /// Moves the pointer the name at `at` ends in, if it does; returns the offset behind the name. What points into the header
    /// does not move with the question.
    fn move_pointer(&mut self, at: usize) -> Option<usize> {
        let mut at = at;
        loop {
            match *self.message.get(at)? {
                0 => return Some(at + 1),
                label @ 1..=63 => at += 1 + usize::from(label),
                _ => {
                    let pointer = u16_at(&self.message, at).ok()?;
                    if usize::from(pointer & !POINTER) < header::LENGTH {
                        return None;
                    }
                    put_u16(&mut self.message, at, pointer.checked_add(self.shift)?);
                    return Some(at + 2);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(name: &str) -> Question {
        Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN }
    }

    /// The answer section's records, then the authority's, each behind the question of gone.example.
    fn response(code: u16, answers: &[&[u8]], authorities: &[&[u8]]) -> Response {
        let asked = question("gone.example");
        let mut message = asked.query(1, header::QR | code);
        let counts = [1, answers.len() as u16, authorities.len() as u16, 0];
        Header { id: 1, flags: header::QR | code, counts }.write(&mut message);
        answers.iter().chain(authorities).for_each(|record| message.extend_from_slice(record));
        Response::read(message, &asked).unwrap().0
    }

    // owner: example, in the question at 17; mname ns.example; rname points to mname, at 42
    const SOA: &[u8] =
        b"\xc0\x11\0\x06\0\x01\0\0\x0e\x10\0\x1b\x02ns\xc0\x11\xc0\x2a\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x3c";
    // gone.example NSEC, next name in full, as RFC 4034 section 4.1.1 wants it
    const NSEC: &[u8] = b"\xc0\x0c\0\x2f\0\x01\0\0\0\x3c\0\x0e\x01z\x07example\0\0\x01\x40";
    const CNAME: &[u8] = b"\xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x02\xc0\x11";

    #[test]
    fn the_same_records_deny_a_name_below() {
        let denial = response(rcode::NXDOMAIN, &[], &[SOA, NSEC]);
        assert!(denies(&denial, question("gone.example").name.as_wire()));
        let lower = question("a.b.gone.example");
        let told = below(denial.body(), &lower.query(0, 0)[header::LENGTH..]).unwrap();
        assert_eq!((told.rcode(), told.ttls_at.len()), (rcode::NXDOMAIN, 2));
        let records: Vec<_> = Records::of(&told.message).unwrap().map(Result::unwrap).collect();
        let name = |at| Name::read(&told.message, at).unwrap();
        let names = |at: usize| {
            let (first, behind) = name(at);
            [first, name(behind).0].map(|name| name.to_string())
        };
        assert_eq!(name(records[0].start).0.to_string(), "example");
        assert_eq!(names(records[0].data.start), ["ns.example", "ns.example"]);
        assert_eq!(name(records[1].start).0.to_string(), "gone.example");
        assert_eq!(name(records[1].data.start).0.to_string(), "z.example");
    }

    #[test]
    fn only_the_denied_name_is_cut_off() {
        let name = question("gone.example").name;
        let denied = |code, answers: &[&[u8]], authorities: &[&[u8]]| {
            denies(&response(code, answers, authorities), name.as_wire())
        };
        assert!(denied(rcode::NXDOMAIN, &[], &[SOA]));
        assert!(!denied(rcode::NXDOMAIN, &[CNAME], &[SOA]), "the alias exists");
        assert!(!denied(rcode::NOERROR, &[], &[SOA]), "the name exists");
        assert!(!denied(rcode::NXDOMAIN, &[], &[]), "nobody vouches for it");
        let mut foreign = SOA.to_vec();
        foreign.splice(0..2, *b"\x05other\0");
        assert!(!denied(rcode::NXDOMAIN, &[], &[&foreign]), "another zone can't deny it");
    }

    #[test]
    fn records_that_have_no_place_there_are_not_moved() {
        let ns: &[u8] = b"\xc0\x11\0\x02\0\x01\0\0\0\x3c\0\x02\xc0\x11";
        let denial = response(rcode::NXDOMAIN, &[], &[SOA, ns]);
        let lower = question("www.gone.example");
        assert_eq!(below(denial.body(), &lower.query(0, 0)[header::LENGTH..]), None);
    }
}
