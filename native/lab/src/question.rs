//! Queries as octets, and as much of a response as is needed to judge it.

use std::str::FromStr;

use domain::base::iana::{Class, Rtype};
use domain::base::message_builder::MessageBuilder;
use domain::base::opt::ExtendedError;
use domain::base::{Message, Name};

pub const HEADER: usize = 12;
const SERVFAIL: u8 = 2;
const UDP_SIZE: u16 = 1232;

/// A whole message with id 0; its question section is `octets[HEADER..question_end]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    octets: Box<[u8]>,
    question_end: usize,
}

impl Question {
    /// A query for `name`, in presentation form, with RD and EDNS.
    pub fn new(name: &str, rtype: Rtype) -> Result<Self, String> {
        let name =
            Name::<Vec<u8>>::from_str(name).map_err(|error| format!("{name:?} is not a name: {error}"))?;
        Self::of(&name, rtype)
    }

    pub fn of(name: &Name<Vec<u8>>, rtype: Rtype) -> Result<Self, String> {
        let mut builder = MessageBuilder::new_vec().question();
        builder.header_mut().set_rd(true);
        builder.push((name, rtype, Class::IN)).map_err(|error| error.to_string())?;
        let question_end = builder.as_slice().len();
        let mut builder = builder.additional();
        builder
            .opt(|opt| {
                opt.set_udp_payload_size(UDP_SIZE);
                Ok(())
            })
            .map_err(|error| error.to_string())?;
        Ok(Question { octets: builder.finish().into_boxed_slice(), question_end })
    }

    pub fn with_id(&self, id: u16) -> Vec<u8> {
        let mut octets = self.octets.to_vec();
        octets[..2].copy_from_slice(&id.to_be_bytes());
        octets
    }

    /// Two octets of length, then the message (RFC 1035 section 4.2.2).
    pub fn framed(&self, id: u16) -> Vec<u8> {
        let mut framed = (self.octets.len() as u16).to_be_bytes().to_vec();
        framed.extend(self.with_id(id));
        framed
    }

    /// Whether `answer` repeats this question, octet by octet.
    pub fn is_asked_in(&self, answer: &[u8]) -> bool {
        let section = HEADER..self.question_end;
        answer.get(4..6) == Some(&[0, 1]) && answer.get(section.clone()) == Some(&self.octets[section])
    }
}

/// What the first octets of a response say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    pub rcode: u8,
    pub truncated: bool,
    /// SERVFAIL without an extended error that says why (RFC 8914)
    pub unexplained: bool,
}

pub fn id_of(message: &[u8]) -> Option<u16> {
    message.first_chunk().map(|id| u16::from_be_bytes(*id))
}

/// `None` where the octets are no response.
pub fn judge(octets: &[u8]) -> Option<Verdict> {
    let message = Message::from_octets(octets).ok().filter(|message| message.header().qr())?;
    let rcode = message.header().rcode().to_int();
    let explained =
        || message.opt().is_some_and(|opt| opt.opt().iter::<ExtendedError<_>>().flatten().next().is_some());
    Some(Verdict { rcode, truncated: message.header().tc(), unexplained: rcode == SERVFAIL && !explained() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(to: &Question, rcode: u8) -> Vec<u8> {
        let mut octets = to.with_id(7);
        octets[2] |= 0x80;
        octets[3] = rcode;
        octets
    }

    #[test]
    fn an_answer_is_known_by_its_question() {
        let question = Question::new("www.example", Rtype::A).unwrap();
        let reply = answer(&question, 0);
        assert_eq!(id_of(&reply), Some(7));
        assert!(question.is_asked_in(&reply));
        assert!(!Question::new("www.example", Rtype::AAAA).unwrap().is_asked_in(&reply));
        assert!(!Question::new("wwW.example", Rtype::A).unwrap().is_asked_in(&reply));
        assert!(!question.is_asked_in(&reply[..20]));
    }

    #[test]
    fn a_question_is_no_answer() {
        let question = Question::new("www.example", Rtype::A).unwrap();
        assert_eq!(judge(&question.with_id(1)), None);
        assert_eq!(judge(&[1, 2, 3]), None);
    }

    #[test]
    fn servfail_needs_a_reason() {
        let question = Question::new("www.example", Rtype::A).unwrap();
        let bare = answer(&question, 2);
        assert!(judge(&bare).unwrap().unexplained);
        let mut explained = bare;
        let reason = [0, 15, 0, 2, 0, 22];
        let length_at = explained.len() - 2;
        explained[length_at + 1] = reason.len() as u8;
        explained.extend(reason);
        assert_eq!(judge(&explained), Some(Verdict { rcode: 2, truncated: false, unexplained: false }));
    }

    #[test]
    fn a_name_that_is_none_is_refused_with_the_name() {
        assert!(Question::new("a..b", Rtype::A).unwrap_err().contains("a..b"));
    }
}
