//! Messages that clients send, right and wrong.

use sotto_engine::wire::edns::OptWriter;
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;

/// `www.example A`, RD set.
pub fn plain() -> Vec<u8> {
    typed("www.example", types::A, types::IN)
}

pub fn typed(name: &str, kind: u16, class: u16) -> Vec<u8> {
    Question { name: Name::parse(name).unwrap(), kind, class }.query(0x4711, header::RD)
}

pub fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut message = plain();
    change(&mut message);
    message
}

/// Adds an OPT with these options; `change` may alter its first eleven octets.
pub fn with_opt(options: &[(u16, &[u8])], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    changed(|message| {
        let start = message.len();
        let mut opt = OptWriter::start(message, false, 0);
        options.iter().for_each(|(code, data)| opt.option(*code, data));
        opt.finish();
        change(&mut message[start..]);
    })
}

pub fn flags(message: &mut [u8], set: u16) {
    let flags = Header::read(message).unwrap().flags | set;
    message[2..4].copy_from_slice(&flags.to_be_bytes());
}

/// A header and an OPT.
pub fn without_question() -> Vec<u8> {
    let mut message = with_opt(&[], |_| {});
    message.drain(header::LENGTH..message.len() - 11);
    message[5] = 0;
    message
}

/// A header and an OPT with these options.
pub fn without_question_but(options: &[(u16, &[u8])]) -> Vec<u8> {
    let mut message = with_opt(options, |_| {});
    let end = Question::read(&message).unwrap().1;
    message.drain(header::LENGTH..end);
    message[5] = 0;
    message
}

pub trait Tap {
    fn tap(self, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8>;
    fn tap_named(self) -> Vec<u8>;
    fn tap_answer(self) -> Vec<u8>;
}

impl Tap for Vec<u8> {
    fn tap(mut self, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        change(&mut self);
        self
    }

    /// The OPT's owner becomes `a.`
    fn tap_named(mut self) -> Vec<u8> {
        let opt = self.len() - 11;
        self.splice(opt..opt + 1, *b"\x01a\0");
        self
    }

    fn tap_answer(mut self) -> Vec<u8> {
        (self[7], self[11]) = (1, 0);
        self
    }
}
