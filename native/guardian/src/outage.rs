//! The time in which the service does not start: the guardian responds in its place and, where policy allows it, gives DNS back.

use std::io;
use std::time::Duration;

use serde_json::json;
use sotto_guardian_policy::GuardianPolicy;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::arguments::Arguments;
use crate::hold::Held;
use crate::journal::{Entry, owners};
use crate::stand_in::StandIn;
use crate::{child, say};

const GIVE_BACK_WITHIN: Duration = Duration::from_secs(30);

pub struct Outage {
    _stand_in: StandIn,
    entry: Option<Entry>,
    giving_back: Option<JoinHandle<()>>,
}

impl Outage {
    pub fn begin(arguments: &Arguments, held: &Held, reason: &str) -> io::Result<Self> {
        let why = format!("Sotto's service does not start ({reason}); see {}", arguments.log());
        let stand_in = StandIn::start(held, &why)?;
        say::warn(
            "the service does not start, its queries are answered with SERVFAIL",
            json!({ "reason": reason }),
        );
        let entry = give_back_entry(arguments, reason);
        let giving_back = match (&entry, &arguments.give_back) {
            (Some(_), Some(line)) => Some(tokio::spawn(give_back(line.clone()))),
            _ => None,
        };
        Ok(Self { _stand_in: stand_in, entry, giving_back })
    }

    /// Ends the outage when the service is ready. What the service takes over now must not be given back.
    pub fn end(self) {
        if let Some(giving_back) = self.giving_back {
            giving_back.abort();
        }
        if let Some(entry) = self.entry
            && let Err(error) = entry.close(say::now_ms())
        {
            say::warn("the journal was not completed", json!({ "error": error.to_string() }));
        }
    }
}

/// Writes the line to the disk before anything is given back; writes none where nothing was taken over.
fn give_back_entry(arguments: &Arguments, reason: &str) -> Option<Entry> {
    arguments.give_back.as_ref()?;
    let left = GuardianPolicy::read(&arguments.policy_file(), &owners());
    if let Err(error) = &left {
        say::warn("the policy can not be read, which allows nothing", json!({ "error": error.to_string() }));
    }
    let left = left.ok();
    if left.is_some_and(|left| !left.taken) {
        say::info("nothing was taken, so dns is not given back", json!({}));
        return None;
    }
    if !left.is_some_and(|left| left.allows_giving_back()) {
        say::info("policy keeps the address, dns is not given back", json!({}));
        return None;
    }
    match Entry::open(&arguments.state, say::now_ms(), reason.into()) {
        Ok(entry) => Some(entry),
        Err(error) => {
            say::warn(
                "the journal can not be written, so dns is not given back",
                json!({ "error": error.to_string() }),
            );
            None
        }
    }
}

/// Gives back because a person asked for it, which needs neither the policy nor a line in the journal.
pub async fn give_back_taken(arguments: &Arguments) {
    let taken = GuardianPolicy::read(&arguments.policy_file(), &owners()).map_or(true, |left| left.taken);
    if let Some(line) = &arguments.give_back
        && taken
    {
        give_back(line.clone()).await;
    }
}

async fn give_back(line: String) {
    let outcome = match child::start_other(&line) {
        Err(error) => error.to_string(),
        Ok(mut running) => match timeout(GIVE_BACK_WITHIN, running.wait()).await {
            Err(_) => "took too long and was killed".into(),
            Ok(Err(error)) => error.to_string(),
            Ok(Ok(status)) if status.success() => return say::info("dns is given back", json!({})),
            Ok(Ok(status)) => child::describe(status),
        },
    };
    say::warn("dns could not be given back", json!({ "outcome": outcome }));
}
