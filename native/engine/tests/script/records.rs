//! Records as people write them, to wire form and back.

use domain::base::iana::Class;
use domain::base::name::{Name as DomainName, ToName};
use domain::base::rdata::ComposeRecordData;
use domain::dep::octseq::OctetsInto;
use domain::zonefile::inplace::{Entry, Zonefile};
use sotto_engine::describe::{Description, RecordText, describe};
use sotto_engine::wire::header::{self, Header};

/// `name ttl [class=N] type data`, uncompressed. `ttl` may be `*`, which stands for any and is written as 0.
pub fn wire(text: &str) -> Result<Vec<u8>, String> {
    let (text, class) = class_of(text)?;
    let text = text.as_str();
    let mut parts = text.splitn(4, char::is_whitespace);
    let mut part = || parts.next().ok_or_else(|| format!("{text:?} is not `name ttl type data`"));
    let (name, ttl, kind, data) = (part()?, part()?, part()?, part()?);
    let ttl = if ttl == "*" { "0" } else { ttl };
    let line = format!("{name} {ttl} IN {kind} {data}\n");
    let mut scanner = Zonefile::from(line.as_bytes());
    let root: DomainName<Vec<u8>> = DomainName::root();
    scanner.set_origin(root.octets_into());
    scanner.set_default_class(Class::IN);
    let entry = scanner.next_entry().map_err(|error| format!("{text:?}: {error}"))?;
    let Some(Entry::Record(record)) = entry else {
        return Err(format!("{text:?} is no record"));
    };
    let mut octets = Vec::new();
    record.owner().compose(&mut octets).map_err(|error| format!("{error:?}"))?;
    octets.extend(record.data().rtype_octets());
    octets.extend(class.to_be_bytes());
    octets.extend(record.ttl().as_secs().to_be_bytes());
    record.data().compose_len_rdata(&mut octets).map_err(|error| format!("{error:?}"))?;
    Ok(octets)
}

/// The text without the class; IN where it names none.
fn class_of(text: &str) -> Result<(String, u16), String> {
    let said = text.split_whitespace().find_map(|word| word.strip_prefix("class="));
    let Some(number) = said else { return Ok((text.to_owned(), Class::IN.to_int())) };
    let class = number.parse().map_err(|_| format!("{number:?} is no class"))?;
    Ok((text.replacen(&format!("class={number} "), "", 1), class))
}

trait TypeOctets {
    fn rtype_octets(&self) -> [u8; 2];
}

impl<T: domain::base::RecordData> TypeOctets for T {
    fn rtype_octets(&self) -> [u8; 2] {
        self.rtype().to_int().to_be_bytes()
    }
}

/// The record in the form of a description, so that both sides of a comparison look alike.
pub fn normal(text: &str) -> Result<String, String> {
    let mut message = vec![0; header::LENGTH];
    Header { id: 0, flags: header::QR, counts: [0, 1, 0, 0] }.write(&mut message);
    message.extend(wire(text)?);
    let described: Description = describe(&message).map_err(|error| error.to_string())?;
    let any_ttl = text.split_whitespace().nth(1) == Some("*");
    Ok(shown(&described.answer[0], any_ttl))
}

pub fn shown(record: &RecordText, any_ttl: bool) -> String {
    let ttl = if any_ttl { "*".to_owned() } else { record.ttl.to_string() };
    format!("{} {ttl} {} {}", record.name, record.r#type, record.data)
}
