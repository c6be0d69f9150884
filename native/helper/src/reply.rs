//! A reply is one line, `{"ok":…}` or `{"failed":…}`.

use serde::Serialize;

use crate::entry::Before;
use crate::failure::Failure;
use crate::orphaned::Orphaned;
use crate::servers::{Search, Servers};
use crate::target::{Link, Mechanism};

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply<D> {
    Ok(D),
    Failed(Failure),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Done {
    Taken {
        taken: Taken,
    },
    GivenBack {
        given: Vec<Given>,
        kept: Vec<Kept>,
    },
    KeptOverBoot {
        #[serde(rename = "keptOverBoot")]
        kept: Vec<Mechanism>,
    },
    /// whether a give-back restores it from now on
    DhcpSaid {
        #[serde(rename = "keptForGiveBack")]
        kept: bool,
    },
    Flushed {
        flushed: bool,
    },
    Holding {
        holding: bool,
    },
    Forgotten {
        forgotten: bool,
    },
    Status {
        held: Vec<Held>,
        #[serde(rename = "overBoot", skip_serializing_if = "Vec::is_empty")]
        over_boot: Vec<Wished>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        orphaned: Vec<Orphaned>,
    },
}

#[derive(Debug, Serialize)]
pub struct Taken {
    pub mechanism: Mechanism,
    pub link: Option<Link>,
}

#[derive(Debug, Serialize)]
pub struct Given {
    pub mechanism: Mechanism,
    pub link: Option<Link>,
    pub outcome: Outcome,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Restored,
    /// another program has changed it; it was left alone
    ChangedSince,
    /// the link no longer exists, or our settings of it
    Gone,
}

/// What could not be given back yet, and stays in the journal.
#[derive(Debug, Serialize)]
pub struct Kept {
    pub mechanism: Mechanism,
    pub link: Option<Link>,
    pub failed: Failure,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    pub mechanism: Mechanism,
    pub link: Option<Link>,
    pub servers: Servers,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// unix milliseconds
    pub since: u64,
    /// `None`: the program that knows did not answer
    pub in_place: Option<bool>,
    pub giving_back: bool,
    pub before: Before,
}

/// Holds from the start of the next boot on; `in force`: in this boot, too.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Wished {
    pub mechanism: Mechanism,
    pub servers: Servers,
    /// unix milliseconds
    pub since: u64,
    pub in_force: bool,
}
