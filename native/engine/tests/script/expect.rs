//! `expect …`: compares what came with what was expected.

use std::fmt::Debug;

use sotto_engine::describe::{Description, RecordText, describe};
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::wire::edns::Edns;
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::question::Question;

use super::duration;
use super::peer::{Asked, Way};
use super::records::{normal, shown};
use super::stage::{Heard, Stage};
use super::words::{flag_of, kind_of, parse_name};

/// What holds for every response: it can be read, it has the query's question, it fits, and it has an OPT only if the query had
/// one.
pub fn sound(heard: &Heard) -> Result<(), String> {
    let (asked, reply) = (&heard.asked, &heard.reply);
    if reply.is_empty() {
        return Ok(());
    }
    describe(reply).map_err(|error| format!("the reply can't be read: {error}"))?;
    let (question, response) = (Header::read(asked).unwrap(), Header::read(reply).unwrap());
    let (_, end) = Question::read(asked).unwrap();
    same("id", &response.id, &question.id)?;
    same("QR", &response.is_response(), &true)?;
    if response.counts[0] > 0 {
        same("question", &reply.get(header::LENGTH..end), &asked.get(header::LENGTH..end))?;
    }
    let (offered, given) = (Edns::find(asked).unwrap(), Edns::find(reply).unwrap());
    if given.is_some() && offered.is_none() {
        return Err("an OPT stands in the reply to a question without".into());
    }
    let limit = offered.map_or(512, |(edns, _)| usize::from(edns.udp_size).clamp(512, 1232));
    if heard.protocol == ClientProtocol::Udp && reply.len() > limit {
        return Err(format!("the reply has {} octets, the client takes {limit}", reply.len()));
    }
    Ok(())
}

impl Stage {
    pub fn expect(&self, words: &[&str]) -> Result<(), String> {
        match *words {
            [who, "was", ref rest @ ..] | [who, "is", ref rest @ ..] if self.peers.contains_key(who) => {
                self.expect_of_peer(who, rest)
            }
            ["lease", class, "counts", count] => same("count", &self.lease(class)?.0, &number(count)?),
            ["lease", class, "has", "ended"] => same("ended", &self.lease(class)?.1, &true),
            ["status", ref rest @ ..] => self.expect_status(rest),
            ["no", "reply"] => same("octets", &self.heard.as_ref().map(|heard| heard.reply.len()), &Some(0)),
            _ => self.expect_of_reply(words),
        }
    }

    fn expect_of_reply(&self, words: &[&str]) -> Result<(), String> {
        let heard = self.heard.as_ref().ok_or("nobody asked anything")?;
        let said = describe(&heard.reply).map_err(|error| format!("no reply to read: {error}"))?;
        let event = heard.event.as_ref();
        match *words {
            [code] if code.chars().all(|letter| letter.is_ascii_uppercase()) => {
                same("code", &said.rcode.as_str(), &code).map_err(|why| format!("{why}{}", because(&said)))
            }
            ["no", "answer"] => same("answer", &said.answer.len(), &0),
            ["answers", count] => same("answers", &(said.answer.len() as u64), &number(count)?),
            ["no", "authority"] => same("authority", &said.authority.len(), &0),
            ["no", "additional"] => same("additional", &said.additional.len(), &0),
            ["answer", ref record @ ..] => stands(&said.answer, &record.join(" ")),
            ["authority", ref record @ ..] => stands(&said.authority, &record.join(" ")),
            ["additional", ref record @ ..] => stands(&said.additional, &record.join(" ")),
            ["flags", ref flags @ ..] => same("flags", &said.flags.as_slice(), &flags),
            ["flag", flag] => flag_of(flag).and_then(|_| same(flag, &said.flags.contains(&flag), &true)),
            ["no", "flag", flag] => {
                flag_of(flag).and_then(|_| same(flag, &said.flags.contains(&flag), &false))
            }
            ["edns"] => same("edns", &said.edns.is_some(), &true),
            ["no", "edns"] => same("edns", &said.edns.is_some(), &false),
            ["do"] => same("DO", &said.edns.is_some_and(|edns| edns.dnssec_ok), &true),
            ["no", "error"] => {
                let errors = said.edns.map(|edns| edns.extended_errors).unwrap_or_default();
                same("errors", &errors, &vec![])
            }
            ["error", code, ref text @ ..] => error_stands(&said, code, &text.join(" ")),
            ["octets", "at", "most", most] => {
                let length = heard.reply.len() as u64;
                if length <= number(most)? { Ok(()) } else { Err(format!("{length} octets came")) }
            }
            ["outcome", word] => same("outcome", &event.map(|event| event.outcome.word()), &Some(word)),
            ["cost", word] => same("cost", &event.map(|event| event.cost.word()), &Some(word)),
            ["transport", word] => same("transport", &event.map(|event| event.transport.word()), &Some(word)),
            ["clear", word] => same("clear", &event.map(|event| event.clear.word()), &Some(word)),
            ["rule", word] => same("rule", &event.map(|event| event.rule), &Some(word)),
            ["upstream", word] => same("upstream", &event.map(|event| event.upstream), &Some(word)),
            ["after", "at", "most", count, unit] => {
                let most = duration(count, unit)?;
                if heard.took <= most { Ok(()) } else { Err(format!("it took {:?}", heard.took)) }
            }
            ["after", count, unit] => same("time", &heard.took, &duration(count, unit)?),
            _ => Err("this expectation is not understood".into()),
        }
    }

    fn expect_of_peer(&self, who: &str, words: &[&str]) -> Result<(), String> {
        let peer = self.peer(who)?;
        let state = peer.state();
        let asked = |by: &dyn Fn(&Asked) -> bool| state.asked.iter().filter(|one| by(one)).count() as u64;
        let last = || state.asked.last().ok_or_else(|| "it was never asked".to_owned());
        match *words {
            ["asked", count, "times" | "time"] => same("times", &asked(&|_| true), &number(count)?),
            ["asked", "by", "datagram", count, "times" | "time"] => {
                same("times", &asked(&|one| one.by == Way::Datagram), &number(count)?)
            }
            ["asked", "by", "stream", count, "times" | "time"] => {
                same("times", &asked(&|one| one.by == Way::Stream), &number(count)?)
            }
            ["asked", name, kind, count, "times" | "time"] => {
                let (name, kind) = (parse_name(name)?, kind_of(kind)?);
                let fits = |one: &Asked| one.question.name == name && one.question.kind == kind;
                same("times", &asked(&fits), &number(count)?)
            }
            ["asked", "with", what] => {
                let one = last()?;
                let edns = one.edns.as_ref();
                let holds = match what {
                    "do" => edns.is_some_and(|edns| edns.dnssec_ok),
                    "cd" => one.header.has(header::CD),
                    "ad" => one.header.has(header::AD),
                    "rd" => one.header.has(header::RD),
                    "edns" => edns.is_some(),
                    "padding" => edns.is_some_and(|edns| edns.padded) && one.length % 128 == 0,
                    "keepalive" => edns.is_some_and(|edns| edns.keepalive == Some(None)),
                    "cookie" => one.cookie.is_some(),
                    "client-cookie" => one.cookie.as_ref().is_some_and(|cookie| cookie.len() == 8),
                    "server-cookie" => one.cookie.as_ref().is_some_and(|cookie| cookie.len() > 8),
                    _ => return Err(format!("{what:?} is nothing a question is asked with")),
                };
                same(what, &holds, &true)
            }
            ["asked", "without", what] => match self.expect_without(&state.asked, what)? {
                true => Err(format!("it was asked with {what}")),
                false => Ok(()),
            },
            ["asked", "as", name] => {
                let octets = &last()?.octets;
                let text: Vec<u8> = name.split('.').flat_map(|label| label.bytes()).collect();
                let letters = |octet: &u8| octet.is_ascii_alphanumeric() || *octet == b'-';
                let seen: Vec<u8> = octets[..octets.len() - 4].iter().copied().filter(letters).collect();
                same("name", &String::from_utf8_lossy(&seen), &String::from_utf8_lossy(&text))
            }
            ["dialled", count, "times" | "time"] => same("dials", &(state.dials as u64), &number(count)?),
            ["given", "different", "ids"] => {
                let mut ids: Vec<u16> = state.asked.iter().map(|one| one.header.id).collect();
                ids.sort_unstable();
                ids.dedup();
                same("ids", &ids.len(), &state.asked.len())
            }
            ["given", "different", "cookies"] => {
                let mut cookies: Vec<_> = state.asked.iter().filter_map(|one| one.cookie.clone()).collect();
                let all = cookies.len();
                cookies.sort_unstable();
                cookies.dedup();
                same("cookies", &cookies.len(), &all)
            }
            _ => {
                drop(state);
                self.expect_condition(who, words)
            }
        }
    }

    fn expect_without(&self, asked: &[Asked], what: &str) -> Result<bool, String> {
        let one = asked.last().ok_or("it was never asked")?;
        let edns = one.edns.as_ref();
        Ok(match what {
            "do" => edns.is_some_and(|edns| edns.dnssec_ok),
            "cd" => one.header.has(header::CD),
            "edns" => edns.is_some(),
            "padding" => edns.is_some_and(|edns| edns.padded),
            "keepalive" => edns.is_some_and(|edns| edns.keepalive.is_some()),
            "cookie" => one.cookie.is_some(),
            _ => return Err(format!("{what:?} is nothing a question is asked with")),
        })
    }

    /// A field of the upstream's status.
    fn expect_condition(&self, who: &str, words: &[&str]) -> Result<(), String> {
        let status = serde_json::to_value(self.engine.status()).map_err(|error| error.to_string())?;
        let all = status["upstreams"].as_array().cloned().unwrap_or_default();
        let one = all.iter().find(|one| one["id"] == who).ok_or("it is no upstream")?;
        match *words {
            [state] => same("state", &one["state"].as_str(), &Some(state)),
            ["said", "to", "have", field, value] => same(field, &one[field].to_string().as_str(), &value),
            _ => Err("this expectation is not understood".into()),
        }
    }

    /// `PATH VALUE`, as in `cache.hits 1`.
    fn expect_status(&self, words: &[&str]) -> Result<(), String> {
        let [path, value] = *words else {
            return Err("`expect status PATH VALUE`".into());
        };
        let status = serde_json::to_value(self.engine.status()).map_err(|error| error.to_string())?;
        let found =
            status.pointer(&format!("/{}", path.replace('.', "/"))).ok_or("there is no such field")?;
        same(path, &found.to_string().trim_matches('"'), &value)
    }

    /// Of the latest entry of this class: count, and whether it ended.
    fn lease(&self, class: &str) -> Result<(u64, bool), String> {
        let status = self.engine.status();
        let of_class = status.clear.iter().filter(|clear| clear.class.word() == class);
        let latest = of_class.max_by_key(|clear| clear.entry).ok_or("there is no such lease")?;
        Ok((latest.count, latest.ended))
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

fn same<T: Debug + PartialEq>(what: &str, came: &T, expected: &T) -> Result<(), String> {
    if came == expected { Ok(()) } else { Err(format!("{what}: {came:?} came, not {expected:?}")) }
}

fn stands(section: &[RecordText], wanted: &str) -> Result<(), String> {
    let any_ttl = wanted.split_whitespace().nth(1) == Some("*");
    let (wanted, came) = (normal(wanted)?, section.iter().map(|record| shown(record, any_ttl)));
    let came: Vec<String> = came.collect();
    if came.contains(&wanted) { Ok(()) } else { Err(format!("{came:?} came, not {wanted:?}")) }
}

fn error_stands(said: &Description, code: &str, text: &str) -> Result<(), String> {
    let code = number(code)?;
    let errors = said.edns.as_ref().map(|edns| edns.extended_errors.as_slice()).unwrap_or_default();
    let fits = |error: &&_| {
        let error: &sotto_engine::describe::ExtendedErrorText = error;
        u64::from(error.code) == code && error.text.contains(text)
    };
    match errors.iter().find(fits) {
        Some(_) => Ok(()),
        None => Err(format!("{errors:?} came, not {code} {text:?}")),
    }
}

fn because(said: &Description) -> String {
    let errors = said.edns.as_ref().map(|edns| edns.extended_errors.as_slice()).unwrap_or_default();
    errors.iter().map(|error| format!(" ({} {})", error.code, error.text)).collect()
}
