//! `sotto-lab wire`: a cable between two network interfaces that delays, loses, and tampers with what it carries.
//!
//! ```text
//! end A ─▶ middlebox (rules, flows) ─▶ line A to B (loss, queue, rate, delay) ─▶ heap by time ─▶ end B
//! end B ─▶ middlebox               ─▶ line B to A                            ─▶              ─▶ end A
//!              ▲                         ▲
//!              └──── control (lines of JSON on standard input or a socket) ──────── relay: the loop around it
//! ```
//!
//! `middlebox` and `line` open no socket and read no clock; with the same seed, the same packets at the same times meet the same
//! fate.

mod checksum;
pub mod control;
mod dns;
pub mod end;
mod flow;
mod forge;
pub mod line;
mod middlebox;
mod namespace;
mod offload;
mod packet;
pub mod relay;
pub mod rule;
mod stats;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    AToB,
    BToA,
}

impl Direction {
    pub const BOTH: [Direction; 2] = [Direction::AToB, Direction::BToA];

    pub fn back(self) -> Self {
        match self {
            Direction::AToB => Direction::BToA,
            Direction::BToA => Direction::AToB,
        }
    }

    /// Also the index of the end that sends in this direction.
    pub fn index(self) -> usize {
        self as usize
    }
}
