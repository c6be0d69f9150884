//! What an EncDNS server makes of boxes. They are sealed before the clock starts, so that it is not the sender that is measured.

mod costs;
mod prepared;
mod window;

use std::io;
use std::net::SocketAddr;

use clap::ValueEnum;
use serde::Serialize;
use sotto_encdns::PublicKey;

pub use costs::Costs;
use prepared::prepare;
pub use window::Counts;
use window::Window;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Not in boxes
    Plain,
    /// In boxes of one client key
    Session,
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

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub kind: Kind,
    #[serde(flatten)]
    pub counts: Counts,
    /// from the first query to the last response
    pub seconds: f64,
    pub costs: Costs,
}

impl BoxedLoad {
    pub fn run(&self) -> Result<Summary, String> {
        let costs = Costs::measure().map_err(|error| format!("no randomness: {error}"))?;
        let prepared = prepare(self)?;
        let unreachable = |error: io::Error| format!("can't send to {}: {error}", self.to);
        let mut window = Window::open(self.to, &prepared, self.outstanding).map_err(unreachable)?;
        let seconds = window.send(self.queries).map_err(unreachable)?.as_secs_f64();
        Ok(Summary { kind: self.kind, counts: window.counts(), seconds, costs })
    }
}
