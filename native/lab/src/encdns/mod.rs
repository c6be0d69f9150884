//! What an EncDNS server makes of boxes. They are sealed before the clock starts, so that it is not the sender that is measured.

mod costs;
mod prepared;
mod wanted;
mod window;

use std::io;

use serde::Serialize;

pub use costs::Costs;
use prepared::prepare;
pub use wanted::{BoxedLoad, Kind};
pub use window::Counts;
use window::Window;

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
