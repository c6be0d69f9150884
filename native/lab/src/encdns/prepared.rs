//! Queries as octets, made ahead of time, and what opens their responses.

use std::time::Instant;

use domain::base::iana::Rtype;
use domain::base::rdata::UnknownRecordData;
use domain::base::{Message, Name};
use rand::RngExt;
use sotto_encdns::PublicKey;
use sotto_encdns::client::{Client, KeyUse, Opened, Sealed, Unsealed};
use sotto_encdns::manners::manners;
use sotto_encdns::name::{BoxedQuery, Format, Labels};

use super::wanted::{BoxedLoad, Kind};
use crate::question::{Question, judge};

/// Octets in a box of nobody: those of a usual query and what a box adds.
const GARBAGE: usize = 60;

pub struct Prepared {
    pub question: Question,
    sealed: Option<Sealed>,
}

pub fn prepare(load: &BoxedLoad) -> Result<Vec<Prepared>, String> {
    let key_use = match load.kind {
        Kind::PerQuery => KeyUse::PerQuery,
        Kind::Plain | Kind::Session | Kind::Extended | Kind::Garbage => KeyUse::Session,
    };
    let client = Client::new(load.server, load.zone.clone(), key_use);
    (0..load.different)
        .map(|number| {
            let asked = || Question::new(&format!("n{number}.{}", load.suffix), Rtype::A);
            match load.kind {
                Kind::Plain => Ok(Prepared { question: asked()?, sealed: None }),
                Kind::Garbage => Ok(Prepared { question: garbage(&load.zone)?, sealed: None }),
                Kind::Session | Kind::PerQuery => seal(&client, Format::Published, &asked()?),
                Kind::Extended => seal(&client, Format::Extended, &asked()?),
            }
        })
        .collect()
}

fn seal(client: &Client, format: Format, asked: &Question) -> Result<Prepared, String> {
    let [manner, ..] = manners(Some(Labels::Binary), [format; 3]);
    let sealed = client.seal(&asked.with_id(rand::rng().random()), manner, None, Instant::now());
    let sealed = sealed.map_err(|unsealed| match unsealed {
        Unsealed::TooLong => "--suffix and --zone are too long together for a box".to_owned(),
        Unsealed::NoRandomness | Unsealed::TooHard => "the system gave no random octets".to_owned(),
    })?;
    let [one] = &sealed.boxes[..] else { return Err("--suffix is too long for one box".to_owned()) };
    Ok(Prepared { question: text_query(one.name.clone())?, sealed: Some(sealed) })
}

fn garbage(zone: &[u8]) -> Result<Question, String> {
    let mut random = rand::rng();
    let boxed = (0..GARBAGE).map(|_| random.random()).collect();
    let query = BoxedQuery {
        format: Format::Published,
        client: PublicKey(random.random()),
        nonce: random.random(),
        boxed,
    };
    text_query(query.name(zone, Labels::Binary).map_err(|_| "--zone is too long".to_owned())?)
}

fn text_query(name: Vec<u8>) -> Result<Question, String> {
    let name = Name::from_octets(name).map_err(|error| error.to_string())?;
    Question::of(&name, Rtype::TXT)
}

impl Prepared {
    /// Whether the response is one to what was asked, and there is no error in it or in its box.
    pub fn is_answered_by(&self, response: &[u8]) -> bool {
        match &self.sealed {
            None => has_answer(response),
            Some(sealed) => text_record(response).is_some_and(|data| {
                let opened = sealed.boxes.first().map(|one| sealed.open(one, &data));
                matches!(opened, Some(Ok(Opened::Part { octets, .. })) if has_answer(&octets))
            }),
        }
    }
}

/// The data of the first TXT record of the answer section.
fn text_record(response: &[u8]) -> Option<Vec<u8>> {
    let message = Message::from_octets(response).ok()?;
    let record = message.answer().ok()?.flatten().find(|record| record.rtype() == Rtype::TXT)?;
    let record = record.to_record::<UnknownRecordData<_>>().ok()??;
    Some(record.data().data().to_vec())
}

fn has_answer(response: &[u8]) -> bool {
    let judged = judge(response).is_some_and(|verdict| verdict.rcode == 0 && !verdict.truncated);
    judged && response.get(6..8).is_some_and(|count| count != [0, 0])
}
