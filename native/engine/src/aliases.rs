//! Where the aliases in a response lead, and how one response is composed of several (docs/design/split-horizon.md). Pure.

use crate::response::{Body, Response, believed};
use crate::wire::header::{self, Header};
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Record, Records, Section};
use crate::wire::{Malformed, expand, types};

/// No zone needs longer chains.
pub const MOST_ALIASES: usize = 16;

/// How far the aliases of a response lead while they stay among the names for which its sender may speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// owners of the aliases that were followed, in their order
    pub passed: Vec<Name>,
    pub end: Name,
    /// the last name is none of the sender's
    pub left: bool,
    /// the response has records of the last name, or denies it
    pub told: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Astray {
    #[error("the aliases go round in circles")]
    Circle,
    #[error("there are more than {MOST_ALIASES} aliases")]
    TooMany,
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// `is_its_own` says for which names the sender may speak.
pub fn walk(
    message: &[u8],
    question: &Question,
    mut is_its_own: impl FnMut(&Name) -> bool,
) -> Result<Walk, Astray> {
    let records: Vec<Record> = Records::of(message)?.collect::<Result<_, _>>()?;
    let answers = || records.iter().filter(|record| record.section == Section::Answer);
    let mut walk = Walk { passed: vec![], end: question.name, left: false, told: false };
    if matches!(question.kind, types::CNAME | types::ANY) {
        return Ok(Walk { told: true, ..walk });
    }
    while !walk.left
        && let Some(target) = alias_of(message, &walk.end, answers())?
    {
        if walk.passed.contains(&target) || target == walk.end {
            return Err(Astray::Circle);
        }
        if walk.passed.len() == MOST_ALIASES {
            return Err(Astray::TooMany);
        }
        walk.passed.push(walk.end);
        walk.left = !is_its_own(&target);
        walk.end = target;
    }
    let denied =
        records.iter().any(|record| record.section == Section::Authority && record.kind == types::SOA);
    let told = answers().any(|record| {
        record.kind == question.kind
            && Name::read(message, record.start).is_ok_and(|(owner, _)| owner == walk.end)
    });
    Ok(Walk { told: told || denied, ..walk })
}

/// The alias is a CNAME, or comes from a DNAME above (RFC 6672 section 3.1).
fn alias_of<'a>(
    message: &[u8],
    name: &Name,
    answers: impl Iterator<Item = &'a Record>,
) -> Result<Option<Name>, Malformed> {
    let mut through_dname = None;
    for record in answers.filter(|record| record.class == types::IN) {
        let (owner, _) = Name::read(message, record.start)?;
        match record.kind {
            types::CNAME if owner == *name => {
                return Ok(Some(Name::read(message, record.data.start)?.0));
            }
            types::DNAME if owner != *name && name.ends_with(&owner) => {
                through_dname = Some(substitute(name, &owner, &Name::read(message, record.data.start)?.0)?);
            }
            _ => {}
        }
    }
    Ok(through_dname)
}

/// `name`, below `owner`, moved below `target`.
fn substitute(name: &Name, owner: &Name, target: &Name) -> Result<Name, Malformed> {
    let kept = name.as_wire().len() - owner.as_wire().len();
    let moved = [&name.as_wire()[..kept], target.as_wire()].concat();
    Name::read(&moved, 0).map(|(name, _)| name)
}

/// A response that is being composed: the aliases of several, then the last one's records.
pub struct Composing {
    question: Question,
    message: Vec<u8>,
    counts: [u16; 3],
}

impl Composing {
    pub fn of(question: Question) -> Self {
        Self { question, message: question.query(0, 0), counts: [0; 3] }
    }

    /// Appends the aliases that `walk` passed, with their signatures.
    pub fn aliases(&mut self, message: &[u8], walk: &Walk) -> Result<(), Malformed> {
        for record in Records::of(message)? {
            let record = record?;
            if record.section != Section::Answer || record.class != types::IN {
                continue;
            }
            let owner = Name::read(message, record.start)?.0;
            let led = match record.kind {
                types::DNAME => walk.passed.iter().any(|name| *name != owner && name.ends_with(&owner)),
                types::CNAME => walk.passed.contains(&owner),
                types::RRSIG => covers_alias(message, &record) && is_on_the_way(walk, &owner),
                _ => false,
            };
            if led {
                self.take(message, &record, 0)?;
            }
        }
        self.aliases_of_dnames(message, walk)
    }

    /// A resolver need not send the CNAME that follows from a DNAME, but clients need it.
    fn aliases_of_dnames(&mut self, message: &[u8], walk: &Walk) -> Result<(), Malformed> {
        let (mut sent, mut dnames) = (vec![], vec![]);
        for record in Records::of(message)? {
            let record = record?;
            match record.kind {
                types::CNAME | types::DNAME
                    if record.section == Section::Answer && record.class == types::IN =>
                {
                    let (owner, _) = Name::read(message, record.start)?;
                    if record.kind == types::CNAME {
                        sent.push(owner)
                    } else {
                        dnames.push((owner, record.ttl))
                    }
                }
                _ => {}
            }
        }
        let targets = walk.passed.iter().skip(1).chain([&walk.end]);
        for (owner, target) in walk.passed.iter().zip(targets).filter(|(owner, _)| !sent.contains(owner)) {
            let led = dnames.iter().find(|(above, _)| *owner != *above && owner.ends_with(above));
            if let Some((_, ttl)) = led {
                expand::append_alias(owner, target, believed(*ttl), &mut self.message);
                self.counts[0] += 1;
            }
        }
        Ok(())
    }

    /// Appends answer and authority of the last response; `age` is the number of seconds it was kept.
    pub fn finish(mut self, last: Body<'_>, age: u32) -> Result<Response, Malformed> {
        for record in Records::of(last.message)? {
            let record = record?;
            if record.section != Section::Additional {
                self.take(last.message, &record, age)?;
            }
        }
        let [answers, authorities, _] = self.counts;
        let counts = [1, answers, authorities, 0];
        Header { id: 0, flags: header::QR | last.rcode(), counts }.write(&mut self.message);
        Response::read(self.message, &self.question)
            .map(|(response, _)| response)
            .map_err(|_| Malformed("it can't be composed"))
    }

    fn take(&mut self, message: &[u8], record: &Record, age: u32) -> Result<(), Malformed> {
        let ttl = believed(record.ttl).saturating_sub(age);
        expand::append(message, record, ttl, &self.question.name, &mut self.message)?;
        self.counts[record.section as usize] += 1;
        // written in full, compressed names may take a hundred times their octets
        if self.message.len() > usize::from(u16::MAX) {
            return Err(Malformed("longer than 65535 octets"));
        }
        Ok(())
    }
}

fn is_on_the_way(walk: &Walk, owner: &Name) -> bool {
    walk.passed.iter().any(|name| name == owner || name.ends_with(owner))
}

fn covers_alias(message: &[u8], signature: &Record) -> bool {
    let covered = message.get(signature.data.start..signature.data.start + 2);
    matches!(covered, Some([0, kind]) if matches!(u16::from(*kind), types::CNAME | types::DNAME))
}
