//! Reads the words of a line.

use sotto_engine::describe::parse_type;
use sotto_engine::wire::edns::{ExtendedError, OptWriter};
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;

use super::records;
use super::reply::{Says, Wrong};

/// Text in quotation marks is one word.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        match index % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

pub fn parse_name(text: &str) -> Result<Name, String> {
    Name::parse(text).map_err(|error| format!("{text:?}: {error}"))
}

pub fn kind_of(text: &str) -> Result<u16, String> {
    parse_type(text).ok_or_else(|| format!("{text:?} is no type"))
}

pub fn rcode_of(text: &str) -> Result<u16, String> {
    let names = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
    match names.iter().position(|name| *name == text) {
        Some(code) => Ok(code as u16),
        None => Err(format!("{text:?} is no response code")),
    }
}

pub fn flag_of(text: &str) -> Result<u16, String> {
    Ok(match text {
        "qr" => header::QR,
        "aa" => header::AA,
        "tc" => header::TC,
        "rd" => header::RD,
        "ra" => header::RA,
        "ad" => header::AD,
        "cd" => header::CD,
        _ => return Err(format!("{text:?} is no flag")),
    })
}

/// The name keeps the case in which it is written.
pub fn question(
    name: &str,
    kind: &str,
    class: u16,
    flags: u16,
    edns: Option<u16>,
    dnssec_ok: bool,
) -> Result<Vec<u8>, String> {
    parse_name(name)?;
    let mut message = vec![0; header::LENGTH];
    Header { id: rand::random(), flags, counts: [1, 0, 0, 0] }.write(&mut message);
    for label in name.split('.').filter(|label| !label.is_empty()) {
        message.push(label.len() as u8);
        message.extend_from_slice(label.as_bytes());
    }
    message.push(0);
    message.extend_from_slice(&kind_of(kind)?.to_be_bytes());
    message.extend_from_slice(&class.to_be_bytes());
    if let Some(size) = edns {
        let opt = message.len();
        OptWriter::start(&mut message, dnssec_ok, 0).finish();
        message[opt + 3..opt + 5].copy_from_slice(&size.to_be_bytes());
    }
    Ok(message)
}

/// `RCODE [flags …]`, and under it `answer|authority|additional RECORD`, `error CODE TEXT`, `keepalive TENTHS`.
pub fn says(words: &[&str], under: &[(usize, String)]) -> Result<Says, String> {
    let mut says = Says::default();
    for word in words {
        match flag_of(word) {
            Ok(flag) => says.flags |= flag,
            Err(_) => says.rcode = rcode_of(word)?,
        }
    }
    for (number, line) in under {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let no_number = || format!("line {number}: {rest:?} is no number");
        let section = match what {
            "answer" => Some(0),
            "authority" => Some(1),
            "additional" => Some(2),
            _ => None,
        };
        match (what, section) {
            (_, Some(section)) => says.sections[section].push(records::wire(rest)?),
            ("answers", _) => {
                let (count, record) = rest.split_once(" of ").ok_or("`answers N of RECORD`")?;
                let count: usize = count.parse().map_err(|_| no_number())?;
                says.sections[0].extend(std::iter::repeat_n(records::wire(record)?, count));
            }
            ("error", _) => {
                let (code, text) = rest.split_once(' ').unwrap_or((rest, ""));
                says.errors.push(ExtendedError::new(code.parse().map_err(|_| no_number())?, text));
            }
            ("keepalive", _) => says.keepalive = Some(rest.parse().map_err(|_| no_number())?),
            ("trailing", _) => says.trailing = rest.parse().map_err(|_| no_number())?,
            _ => return Err(format!("line {number}: {line:?} is not understood")),
        }
    }
    Ok(says)
}

pub fn wrong(words: &[&str]) -> Result<Wrong, String> {
    Ok(match words {
        ["a", "wrong", "id"] => Wrong::Id,
        ["another", "question"] => Wrong::Question,
        ["garbage"] => Wrong::Garbage,
        ["a", "query"] => Wrong::NoResponse,
        ["from", "another", "port"] => Wrong::Port,
        ["a", "forged", "cookie"] => Wrong::Cookie,
        ["no", "cookie"] => Wrong::NoCookie,
        ["the", "answer", "again"] => Wrong::Again,
        ["a", "cut", "message"] => Wrong::Cut,
        ["an", "address", "of", "a", "wrong", "length"] => Wrong::Data,
        ["another", "opcode"] => Wrong::Opcode,
        ["the", "question", "in", "capitals"] => Wrong::Case,
        _ => return Err(format!("{words:?} is nothing wrong that can be sent")),
    })
}
