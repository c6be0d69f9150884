//! Queries in octets, and what a test reads from a response.

use domain::base::iana::{Class, Rcode};
use domain::base::{Message, MessageBuilder, Name, Rtype};
use domain::rdata::AllRecordData;

/// The dummy query of the draft, and the two responses to it.
pub const STARTTLS: &str = "1a2b0000000100000000000108 5354415254544c5300 0010 0003 00002910000000 40000000";
pub const ACCEPTED: &str = "1a2b80000001000100000001 085354415254544c5300 0010 0003 \
     c00c00100003000000000009 085354415254544c53 0000291000000040000000";
pub const DECLINED: &str = "1a2b80000001000100000001 085354415254544c5300 0010 0003 \
     c00c00100003000000000007 064e4f5f544c53 0000291000000000000000";

pub fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

pub struct Question {
    message: Vec<u8>,
}

impl Question {
    pub fn new(id: u16, name: &str, rtype: Rtype) -> Self {
        let mut builder = MessageBuilder::new_vec().question();
        builder.header_mut().set_id(id);
        builder.header_mut().set_rd(true);
        builder.push((name.parse::<Name<Vec<u8>>>().unwrap(), rtype, Class::IN)).unwrap();
        Question { message: builder.finish() }
    }

    /// With an OPT that holds these options, each a code and a value.
    pub fn edns(mut self, udp_size: u16, flags: u16, options: &[(u16, &[u8])]) -> Self {
        self.message[11] += 1;
        let data: Vec<u8> = options
            .iter()
            .flat_map(|(code, value)| {
                [code.to_be_bytes(), (value.len() as u16).to_be_bytes()]
                    .concat()
                    .into_iter()
                    .chain(value.iter().copied())
            })
            .collect();
        self.message.extend([0, 0, 41]);
        self.message.extend(udp_size.to_be_bytes());
        self.message.extend([0, 0]);
        self.message.extend(flags.to_be_bytes());
        self.message.extend((data.len() as u16).to_be_bytes());
        self.message.extend(data);
        self
    }

    pub fn octets(self) -> Vec<u8> {
        self.message
    }
}

pub fn ask(id: u16, name: &str, rtype: Rtype) -> Vec<u8> {
    Question::new(id, name, rtype).octets()
}

pub fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u16).to_be_bytes(), message].concat()
}

pub struct Reply(pub Message<Vec<u8>>);

impl Reply {
    pub fn new(octets: Vec<u8>) -> Self {
        Reply(Message::from_octets(octets).unwrap())
    }

    pub fn id(&self) -> u16 {
        self.0.header().id()
    }

    pub fn rcode(&self) -> Rcode {
        self.0.header().rcode()
    }

    pub fn truncated(&self) -> bool {
        self.0.header().tc()
    }

    pub fn octets(&self) -> usize {
        self.0.as_slice().len()
    }

    /// `owner TTL type data`, one for each record of the answer section.
    pub fn answers(&self) -> Vec<String> {
        let records = self.0.answer().unwrap().limit_to::<AllRecordData<_, _>>();
        records.map(|record| present(&record.unwrap())).collect()
    }

    pub fn authority(&self) -> Vec<String> {
        let records = self.0.authority().unwrap().limit_to::<AllRecordData<_, _>>();
        records.map(|record| present(&record.unwrap())).collect()
    }

    /// The value of an option in the response's OPT.
    pub fn option(&self, code: u16) -> Option<Vec<u8>> {
        use domain::base::opt::UnknownOptData;
        let opt = self.0.opt()?;
        let options = opt.opt().iter::<UnknownOptData<_>>().map(Result::unwrap);
        options.into_iter().find(|option| option.code().to_int() == code).map(|option| option.data().to_vec())
    }
}

fn present<O: AsRef<[u8]>, N: domain::base::ToName + std::fmt::Display>(
    record: &domain::base::Record<N, AllRecordData<O, N>>,
) -> String
where
    AllRecordData<O, N>: std::fmt::Display + domain::base::RecordData,
{
    format!("{} {} {} {}", record.owner(), record.ttl().as_secs(), record.rtype(), record.data())
}
