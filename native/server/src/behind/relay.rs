//! What of a response the client gets: its octets as they stay, except for id, OPT and what does not fit.

use sotto_wire::Malformed;
use sotto_wire::edns::{Edns, ExtendedError};
use sotto_wire::header::{self, Header, rcode};
use sotto_wire::record::{Record, Records, Section};

use crate::edns::ResponseOpt;
use crate::query::Query;
use crate::response::{kept, refuse};
use crate::transport::Terms;

/// All that has a meaning in a response.
const CROSSING: u16 =
    header::QR | header::AA | header::TC | header::RA | header::AD | header::CD | header::RCODE;

/// A sound response is passed on whole. One that is truncated is for a client that can ask again over TCP.
pub fn relay(response: &[u8], query: &Query, terms: Terms, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let header = Header::read(response)?;
    if header.has(header::TC) && !terms.may_be_truncated() {
        return Err(Malformed("it is truncated, and nobody has the rest"));
    }
    let body = Body::of(response)?;
    if header.counts[0] == 0 || body.extended_rcode > 0 && query.edns.is_none() {
        let rcode = if body.extended_rcode > 0 { rcode::SERVFAIL } else { header.rcode() };
        refuse(query, terms, rcode, &body.extended_errors, out);
        return Ok(());
    }
    let start = out.len();
    let opt = query.edns.as_ref().map(|edns| ResponseOpt {
        extended_rcode: body.extended_rcode,
        ..terms.response_opt(edns, &body.extended_errors)
    });
    let counts = [1, header.counts[1], header.counts[2], body.additional];
    // an authority was not asked to recurse; the client may have wished it
    let flags = header.flags & CROSSING | query.header.flags & header::RD;
    let whole = Header { id: query.header.id, flags, counts };
    write(whole, body.octets, query, opt, out);
    if out.len() - start > terms.limit(query) {
        let (end, counts) = kept(&out[start..], query, terms);
        out.truncate(start);
        let cut = Header { flags: flags | header::TC, counts, ..whole };
        let opt = opt.map(|opt| ResponseOpt { extended_errors: &[], ..opt });
        let octets = &body.octets[..end];
        write(cut, octets, query, opt, out);
        if out.len() - start > terms.limit(query) {
            out.truncate(start);
            write(cut, octets, query, opt.map(ResponseOpt::without_cookie), out);
        }
    }
    Ok(())
}

/// Writes these octets under this header, with the question as the client sent it.
fn write(header: Header, octets: &[u8], query: &Query, opt: Option<ResponseOpt>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(octets);
    header.write(&mut out[start..]);
    out[start + header::LENGTH..][..query.octets.len()].copy_from_slice(query.octets);
    if let Some(opt) = opt {
        opt.write(out, start);
    }
}

struct Body<'a> {
    octets: &'a [u8],
    additional: u16,
    extended_rcode: u8,
    extended_errors: Vec<ExtendedError>,
}

impl<'a> Body<'a> {
    /// Records behind the OPT are dropped with it: their names may point past it, and what stands there (TSIG, SIG(0)) belongs to
    /// one hop, too.
    fn of(response: &'a [u8]) -> Result<Self, Malformed> {
        let (edns, end) = match Edns::find(response)? {
            Some((edns, opt)) => (edns, opt.start),
            None => (Edns::default(), Records::of(response)?.end()?),
        };
        let before = |record: &Record| record.section == Section::Additional && record.start < end;
        let additional = Records::of(response)?.flatten().filter(before).count() as u16;
        let Edns { extended_rcode, extended_errors, .. } = edns;
        Ok(Body { octets: &response[..end], additional, extended_rcode, extended_errors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Transport;

    const QUESTION: &[u8] =
        b"\x12\x34\x01\0\0\x01\0\0\0\0\0\x01\x03www\x04test\0\0\x01\0\x01\0\0\x29\x04\xd0\0\0\0\0\0\0";

    #[test]
    fn malformed_answers_are_refused_at_every_length() {
        let query = Query::parse(QUESTION).unwrap();
        let mut response = QUESTION.to_vec();
        response[2] |= 0x80;
        for length in header::LENGTH..response.len() {
            let mut out = Vec::new();
            assert!(
                relay(&response[..length], &query, Terms::from(Transport::Udp), &mut out).is_err(),
                "{length}"
            );
            assert!(out.is_empty());
        }
    }
}
