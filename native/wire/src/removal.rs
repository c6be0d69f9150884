//! Removes the OPT from a message that goes on without it.

use crate::header::{self, Header};
use crate::record::{Record, Records};
use crate::{Malformed, name, put_u16};

/// The records behind it move up, and pointers among them to places behind it are corrected. Only types whose data may be
/// compressed are examined ([`Record::names`]).
pub fn remove(message: &mut Vec<u8>, opt: &Record) -> Result<(), Malformed> {
    let behind: Vec<Record> = Records::of(message)?
        .filter(|record| record.as_ref().map_or(true, |record| record.start >= opt.end()))
        .collect::<Result<_, _>>()?;
    let shift = Shift { from: opt.start, by: opt.end() - opt.start };
    for record in behind {
        shift.name(message, record.start)?;
        for at in record.names(message)? {
            shift.name(message, at)?;
        }
    }
    message.drain(opt.start..opt.end());
    let header = Header::read(message)?;
    put_u16(message, header::LENGTH - 2, header.counts[3].saturating_sub(1));
    Ok(())
}

struct Shift {
    from: usize,
    by: usize,
}

impl Shift {
    /// Corrects the pointer that ends the name at `at`, if it points behind the removed octets. It may not point into them.
    fn name(&self, message: &mut [u8], at: usize) -> Result<(), Malformed> {
        let pointer = name::last(message, at)?;
        let Some(target) = name::target(&message[pointer.clone()]) else {
            return Ok(());
        };
        if (self.from..self.from + self.by).contains(&target) {
            return Err(Malformed("a compression pointer points into the OPT"));
        }
        if target >= self.from {
            message[pointer].copy_from_slice(&name::pointer_to(target - self.by));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edns::{Edns, OptWriter};
    use crate::name::Name;
    use crate::question::Question;
    use crate::types;

    fn query() -> Vec<u8> {
        let name = Name::parse("www.example.com").unwrap();
        Question { name, kind: types::A, class: types::IN }.query(7, header::RD)
    }

    #[test]
    fn records_behind_the_opt_keep_their_names() {
        let mut message = query();
        OptWriter::start(&mut message, false, 0).finish();
        let (_, opt) = Edns::find(&message).unwrap().unwrap();
        let first = message.len();
        message.extend_from_slice(b"\x02ns\xc0\x10\x00\x01\x00\x01\0\0\0\x05\0\x04\x7f\0\0\x01");
        message.extend_from_slice(&[0xc0, first as u8]);
        message.extend_from_slice(b"\x00\x05\x00\x01\0\0\0\x05\0\x04\x01a");
        message.extend_from_slice(&[0xc0, first as u8]);
        message[11] = 3;
        remove(&mut message, &opt).unwrap();
        let names: Vec<String> = Records::of(&message)
            .unwrap()
            .map(|record| Name::read(&message, record.unwrap().start).unwrap().0.to_string())
            .collect();
        assert_eq!(names, ["ns.example.com", "ns.example.com"]);
        let last = Records::of(&message).unwrap().last().unwrap().unwrap();
        assert_eq!(Name::read(&message, last.data.start).unwrap().0.to_string(), "a.ns.example.com");
    }

    #[test]
    fn a_label_behind_the_opt_that_ends_like_a_pointer_stays() {
        let mut message = query();
        OptWriter::start(&mut message, false, 0).finish();
        let (_, opt) = Edns::find(&message).unwrap().unwrap();
        let behind = b"\x01\xc5\0\0\x01\0\x01\0\0\0\0\0\0";
        message.extend_from_slice(behind);
        message[11] = 2;
        remove(&mut message, &opt).unwrap();
        assert!(message.ends_with(behind), "{message:02x?}");
    }
}
