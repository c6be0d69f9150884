//! The upstream: a resolver that many ask. What others ask for, it has in its cache all the time, so that its TTLs are what is left.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use tokio::time::Instant;

use super::plan::{Plan, Record};
use crate::script::records;
use crate::script::reply::Says;

pub struct Resolver {
    start: Instant,
    records: HashMap<Name, Record>,
    /// when the response of a name that nobody else asks for expires
    expires: Mutex<HashMap<(Name, u16), u64>>,
}

impl Resolver {
    pub fn of(plan: &Plan, start: Instant) -> Self {
        Self { start, records: plan.records.clone(), expires: Mutex::default() }
    }

    pub fn says(&self, question: &Question) -> Option<Says> {
        let record = self.records.get(&question.name)?;
        let ttl = self.ttl(question, record);
        let says = |section: usize, text: String| {
            let mut says = Says::default();
            says.sections[section].push(records::wire(&text).expect("it is well written"));
            says
        };
        Some(match question.kind {
            types::A => says(0, format!("{} {ttl} A 198.51.100.2", question.name)),
            types::AAAA if record.has_aaaa => says(0, format!("{} {ttl} AAAA 2001:db8::2", question.name)),
            _ => says(1, format!("example {ttl} SOA ns.example host.example 1 2 3 4 {ttl}")),
        })
    }

    /// Whole seconds, counted as unbound counts them: from the second in which a response came to the one in which it is asked for.
    fn ttl(&self, question: &Question, record: &Record) -> u64 {
        let now = (self.start.elapsed() + Duration::from_secs(record.phase)).as_secs();
        let left = record.ttl - now % record.ttl;
        if record.is_shared {
            return left;
        }
        let mut expires = self.expires.lock().unwrap();
        let until = expires.entry((question.name, question.kind)).or_insert(now + record.ttl);
        if *until <= now {
            *until = now + record.ttl;
        }
        *until - now
    }
}
