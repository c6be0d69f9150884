//! Since when the gate is closed, and why. Written before the rules are made, and removed after them. It is in /run: a reboot
//! removes both the rules and the record.

use std::io;

use serde::{Deserialize, Serialize};

use crate::durable;
use crate::place::Place;

const FILE: &str = "closed.json";

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// another program or the network changed the system's DNS
    Contested,
    /// the setting says so
    Always,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// unix milliseconds
    pub since: u64,
    pub why: Why,
}

/// `None`: the gate is open. A record that can't be read still says that it is closed.
pub fn read(place: &Place) -> io::Result<Option<Record>> {
    let text = durable::read(&place.gate_folder(), FILE)?;
    Ok(text.map(|text| serde_json::from_slice(&text).unwrap_or(Record { since: 0, why: Why::Contested })))
}

pub fn write(place: &Place, record: Record) -> io::Result<()> {
    durable::write(&place.gate_folder(), FILE, &serde_json::to_vec(&record)?)
}

pub fn remove(place: &Place) -> io::Result<()> {
    durable::remove(&place.gate_folder(), FILE)
}
