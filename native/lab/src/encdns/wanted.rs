//! Which load is wanted, and for whom.

use std::net::SocketAddr;

use clap::ValueEnum;
use serde::Serialize;
use sotto_encdns::PublicKey;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Not in boxes
    Plain,
    /// In boxes of one client key
    Session,
    /// In boxes of one client key, of the extended format
    Extended,
    /// Each in a box of a new client key
    PerQuery,
    /// What looks like a box of a new client key, and opens with none
    Garbage,
}

pub struct BoxedLoad {
    pub to: SocketAddr,
    /// in wire form, with the root label at its end
    pub zone: Vec<u8>,
    pub server: PublicKey,
    pub kind: Kind,
    pub queries: usize,
    /// different ones; if there are more queries, they are sent again in turn
    pub different: usize,
    pub outstanding: u16,
    /// of the names that are asked for
    pub suffix: String,
}
