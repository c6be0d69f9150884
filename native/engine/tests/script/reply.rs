//! What a scripted peer sends back: what it was told, right or spoiled.

use std::net::SocketAddr;

use sotto_engine::wire::edns::{Edns, ExtendedError, OptWriter, option, option_of};
use sotto_engine::wire::header::{self, Header, rcode};
use sotto_engine::wire::question::Question;
use sotto_engine::wire::record::Records;
use sotto_engine::wire::removal::remove;
use sotto_engine::wire::types;

use super::peer::{State, Way};

/// What it was told to send in response to one query.
#[derive(Clone, Default)]
pub struct Says {
    pub rcode: u16,
    pub flags: u16,
    pub sections: [Vec<Vec<u8>>; 3],
    pub errors: Vec<ExtendedError>,
    pub keepalive: Option<u16>,
    /// octets that stand behind the last record
    pub trailing: usize,
}

/// Something wrong that it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    Id,
    Question,
    Garbage,
    NoResponse,
    Port,
    Cookie,
    NoCookie,
    Again,
    Cut,
    Case,
    Opcode,
    /// of the data of the first record, which does not fit its type then
    Data,
}

pub fn compose(state: &State, message: &[u8], by: Way) -> Vec<u8> {
    let (question, end) = Question::read(message).unwrap();
    let asked = Header::read(message).unwrap();
    let edns = Edns::find(message).unwrap().map(|(edns, _)| edns);
    let cookie = option_of(message, option::COOKIE);
    let told = state.says.get(&(question.name, question.kind)).cloned();
    let said = told.or_else(|| state.knows.as_ref()?(&question));
    let mut says = said.unwrap_or(Says { rcode: rcode::REFUSED, ..Says::default() });
    let mut extended = 0;
    let good_cookie = state.cookies.as_ref().zip(cookie).map(|(cookies, cookie)| {
        let mut good = cookie[..8].to_vec();
        good.extend([cookies.secret; 16]);
        good
    });
    let demanded = state.cookies.as_ref().is_some_and(|cookies| cookies.demanded);
    let misunderstood = edns.is_some().then_some(state.edns_error).flatten();
    if let Some(code) = misunderstood {
        says = Says { rcode: code & 0xf, ..Says::default() };
        extended = (code >> 4) as u8;
    } else if (state.knows_no_edns && edns.is_some()) || (state.chokes_on_cookies && cookie.is_some()) {
        says = Says { rcode: rcode::FORMERR, ..Says::default() };
    } else if by == Way::Datagram && demanded && cookie != good_cookie.as_deref() {
        says = Says { rcode: 7, ..Says::default() };
        extended = 1;
    } else if by == Way::Datagram && state.cuts_datagrams {
        says = Says { flags: header::TC, rcode: says.rcode, ..Says::default() };
    }
    let omits = state.omits_question || (state.repeats_no_question && says.rcode != rcode::NOERROR);
    let repeats = !omits;
    let counts = [
        u16::from(repeats),
        says.sections[0].len() as u16,
        says.sections[1].len() as u16,
        says.sections[2].len() as u16,
    ];
    let mut reply = vec![0; header::LENGTH];
    let flags = header::QR | header::RA | (asked.flags & (header::RD | header::CD)) | says.flags | says.rcode;
    Header { id: asked.id, flags, counts }.write(&mut reply);
    if repeats {
        reply.extend_from_slice(&message[header::LENGTH..end]);
    }
    says.sections.iter().flatten().for_each(|record| reply.extend_from_slice(record));
    if state.echoes_opt && says.rcode != rcode::NOERROR {
        reply[11] = asked.counts[3] as u8;
        reply.extend_from_slice(&message[end..]);
    } else if let Some(edns) = edns.filter(|_| !state.knows_no_edns && !state.drops_edns) {
        let mut opt = OptWriter::start(&mut reply, edns.dnssec_ok, extended);
        says.errors.iter().for_each(|error| opt.extended_error(error));
        if let Some(tenths) = says.keepalive {
            opt.option(option::KEEPALIVE, &tenths.to_be_bytes());
        }
        if let Some(cookie) = good_cookie {
            opt.option(option::COOKIE, &cookie);
        }
        opt.finish();
    }
    reply.resize(reply.len() + says.trailing, 0x5a);
    reply
}

/// Spoils the right response of a peer at `from`; returns it with the address from which it then comes.
pub fn spoil(mut reply: Vec<u8>, mut from: SocketAddr, wrong: Wrong) -> (Vec<u8>, SocketAddr) {
    match wrong {
        Wrong::Id => reply[0] ^= 0xff,
        // another first letter
        Wrong::Question => reply[header::LENGTH + 1] = b'~',
        Wrong::Garbage => reply.truncate(header::LENGTH + 3),
        Wrong::NoResponse => reply[2] &= 0x7f,
        Wrong::Port => from.set_port(from.port() ^ 1),
        Wrong::Cookie => spoil_cookie(&mut reply, |data| data[0] ^= 0xff),
        Wrong::NoCookie => spoil_cookie(&mut reply, |data| *data = vec![]),
        Wrong::Again => {}
        Wrong::Cut => reply.truncate(reply.len() - 3),
        Wrong::Data => {
            let record = Records::of(&reply).unwrap().next().expect("it has a record").unwrap();
            let kind_at = record.ttl_at - 4;
            reply[kind_at..kind_at + 2].copy_from_slice(&types::AAAA.to_be_bytes());
        }
        Wrong::Opcode => reply[2] |= 1 << 3,
        Wrong::Case => {
            reply[header::LENGTH..].iter_mut().take(20).for_each(|octet| octet.make_ascii_uppercase())
        }
    }
    (reply, from)
}

/// Rewrites the cookie; an empty one is left out.
fn spoil_cookie(reply: &mut Vec<u8>, change: impl FnOnce(&mut Vec<u8>)) {
    let Some((edns, opt)) = Edns::find(reply).unwrap() else { return };
    let mut cookie = option_of(reply, option::COOKIE).map(<[u8]>::to_vec).unwrap_or_else(|| vec![1; 24]);
    change(&mut cookie);
    remove(reply, &opt).unwrap();
    let mut opt = OptWriter::start(reply, edns.dnssec_ok, edns.extended_rcode);
    if !cookie.is_empty() {
        opt.option(option::COOKIE, &cookie);
    }
    opt.finish();
}
