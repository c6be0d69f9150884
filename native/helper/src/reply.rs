//! A reply is one line, `{"ok":…}` or `{"failed":…}`.

use std::path::PathBuf;

use serde::Serialize;

use crate::entry::Before;
use crate::failure::Failure;
use crate::fix::Fix;
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
    Fixed {
        fixed: Fixed,
    },
    Undone {
        undone: Vec<Undone>,
    },
    Fixes {
        fixes: Vec<FixNow>,
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

#[derive(Debug, Serialize)]
pub struct Fixed {
    pub fix: Fix,
    /// empty: every file said it already
    pub files: Vec<FileChange>,
}

#[derive(Debug, Serialize)]
pub struct FileChange {
    pub file: PathBuf,
    /// `None`: there was no such file
    pub before: Option<String>,
    pub after: String,
    /// Not every user may read the file: `after` has what Sotto sets in it, and `before` is not told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

#[derive(Debug, Serialize)]
pub struct Undone {
    pub fix: Fix,
    pub files: Vec<UndoneFile>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct UndoneFile {
    pub file: PathBuf,
    pub outcome: FileOutcome,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOutcome {
    Restored,
    /// another program has written the file since, and keeps what it wrote
    KeyTakenOut,
    /// another program has changed what we set; it was left alone
    ChangedSince,
    /// the file no longer exists
    Gone,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FixNow {
    pub fix: Fix,
    /// its program is on this machine
    pub present: bool,
    /// unix milliseconds; `None`: it was not fixed
    pub since: Option<u64>,
    /// whether every file still says it; `None`: it was not fixed
    pub in_place: Option<bool>,
    pub files: Vec<PathBuf>,
    /// why it can't be fixed
    pub refused: Option<Failure>,
}
