//! Makes the table, reads it, and names who was counted. Names are looked up every few seconds, because a program's control group may
//! be gone when somebody asks.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use sotto_attribution::ControlGroups;
use sotto_attribution::accounts::Accounts;

use super::element::{self, Key, Sender};
use super::kernel;
use super::table::{self, FORGETS_AFTER};
use crate::failure::{Code, Failure};
use crate::place::Place;

/// Characters of a name that are told: any user can give a control group a name of its own, and a reply has a bound.
const TOLD: usize = 40;

pub struct Counter {
    groups: ControlGroups,
    accounts: Accounts,
    wanted: bool,
}

#[derive(Debug, Serialize)]
pub struct Counted {
    /// which making of the table; a new one begins at 0
    table: u64,
    rows: Vec<Row>,
}

/// Counts are of datagrams and new connections, since the kernel has this row.
#[derive(Debug, Serialize)]
struct Row {
    by: By,
    /// a number of IPPROTO_
    protocol: u8,
    port: u16,
    to: Option<IpAddr>,
    tried: u64,
    /// the others were rejected
    left: u64,
    /// unix milliseconds
    newest: u64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum By {
    /// `group`: as text, because it may be larger than JavaScript's numbers
    Program {
        user: u32,
        account: String,
        group: String,
        program: String,
        container: String,
    },
    Behind {
        interface: String,
        from: Option<IpAddr>,
    },
    Others,
}

#[derive(Default)]
struct Sum {
    tried: u64,
    left: u64,
    newest: u64,
}

impl Counter {
    /// A table that an earlier process made stays.
    pub fn new() -> Self {
        let wanted = table::stands();
        Self { groups: ControlGroups::of_system(), accounts: Accounts::in_file("/etc/passwd"), wanted }
    }

    pub async fn begin(&mut self, place: &Place, user: u32) -> Result<(), Failure> {
        self.wanted = true;
        if table::stands() { Ok(()) } else { table::make(place, user).await }
    }

    pub async fn end(&mut self, place: &Place) -> Result<(), Failure> {
        self.wanted = false;
        if table::stands() { table::remove(place).await } else { Ok(()) }
    }

    /// Makes the table again where somebody removed it, and learns new names. Costs a few messages to the kernel.
    pub async fn look_after(&mut self, place: &Place, user: u32) -> Result<(), Failure> {
        if !self.wanted {
            return Ok(());
        }
        match self.read() {
            Ok(Some(_)) => Ok(()),
            Ok(None) => table::make(place, user).await,
            Err(failure) => Err(failure),
        }
    }

    /// `None`: nothing is counted now.
    pub fn read(&mut self) -> Result<Option<Counted>, Failure> {
        let read = || -> io::Result<_> {
            let Some(number) = kernel::table_number(table::NAME)? else { return Ok(None) };
            sums().map(|sums| Some((number, sums)))
        };
        let read = read().map_err(|error| unreadable(&error))?;
        Ok(read.map(|(table, sums)| Counted {
            table,
            rows: sums.into_iter().map(|(key, sum)| self.row(key, &sum)).collect(),
        }))
    }

    fn row(&mut self, Key { sender, protocol, port, to }: Key, sum: &Sum) -> Row {
        let now = Instant::now();
        let by = match sender {
            Sender::Behind { interface, from } => By::Behind { interface, from },
            Sender::Others => By::Others,
            Sender::Program { user, group } => {
                let program = self.groups.program(group, now).unwrap_or_default();
                By::Program {
                    user,
                    account: self.accounts.name(user, now).to_string(),
                    group: group.to_string(),
                    program: cut(&program.name),
                    container: cut(&program.container),
                }
            }
        };
        // The two stages are read one after the other, so that a packet may be in the second alone.
        Row { by, protocol, port, to, tried: sum.tried.max(sum.left), left: sum.left, newest: sum.newest }
    }
}

fn cut(name: &str) -> String {
    name.chars().take(TOLD).collect()
}

/// Each set is read once. What was forwarded was rejected by nobody of ours.
fn sums() -> io::Result<HashMap<Key, Sum>> {
    let mut sums: HashMap<Key, Sum> = HashMap::new();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    for set in table::sets() {
        for found in kernel::elements(table::NAME, &set.name)?.unwrap_or_default() {
            let Some(key) = element::read(set.kind, &found.key) else { continue };
            let sum = sums.entry(key).or_default();
            *(if set.tried { &mut sum.tried } else { &mut sum.left }) += found.packets;
            sum.newest = sum.newest.max(now.saturating_sub(FORGETS_AFTER.saturating_sub(found.left)));
        }
    }
    Ok(sums)
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::new(
        Code::RefusedBySystem,
        format!("what goes past Sotto can't be read from the kernel: {error}"),
        "see whether the kernel has nf_tables: nft list tables",
    )
}
