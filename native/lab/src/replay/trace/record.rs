//! One record of a trace, whatever its form.

use crate::replay::query::{Micros, Query};

pub enum Record {
    Query(Query),
    /// a query that is known by its response, which stands where it was sent, at this moment
    Answered(Query, Micros),
    /// it is no query that went to a server
    Other,
    End,
    /// the trace ends within it
    Cut,
}
