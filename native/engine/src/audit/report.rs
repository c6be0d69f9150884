//! What the audit has found, for people.

use std::net::IpAddr;

use serde::Serialize;

use crate::words::words;

words!(
    /// Why a connection is listed: its address was in no response; it was open before responses were known; or the addresses that
    /// responses gave had become too many to remember.
    Standing { Nameless = "nameless", Older = "older", Forgotten = "forgotten" }
);

/// Times are unix milliseconds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// since when responses are known
    pub since: u64,
    /// when connections were looked at last
    pub looked_at: u64,
    /// milliseconds from one look to the next
    pub between_looks: u64,
    /// whatever was given since then is remembered
    pub remembers_since: u64,
    /// how many addresses are remembered
    pub addresses: usize,
    /// at the last look; null: the system tells of no connections
    pub seen: Option<AuditSeen>,
    /// why connections could not be looked at; empty: they could
    pub trouble: String,
    pub programs: Vec<AuditProgram>,
    /// addresses that were listed, and had to make room for others
    pub left_out: u64,
}

/// Connections by what they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditSeen {
    /// to an address that a response gave
    pub named: usize,
    /// to one that is listed
    pub listed: usize,
    /// opened by other computers
    pub accepted: usize,
    /// to this computer or its network
    pub nearby: usize,
    /// of the service itself
    pub own: usize,
    /// false: there were more sockets than are read
    pub is_whole: bool,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditProgram {
    pub program: String,
    pub unit: String,
    pub container: String,
    pub executable: String,
    pub user: String,
    pub addresses: Vec<AuditAddress>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditAddress {
    #[cfg_attr(test, ts(type = "string"))]
    pub address: IpAddr,
    pub port: u16,
    #[cfg_attr(test, ts(type = "'tcp' | 'udp'"))]
    pub protocol: &'static str,
    pub standing: Standing,
    pub first_seen: u64,
    pub last_seen: u64,
    /// how many connections there were
    pub connections: u64,
    /// how many of them were open at the last look
    pub open: usize,
}
