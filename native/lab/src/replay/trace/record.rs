//! One record of a trace, whatever its form.

use crate::replay::query::Query;

pub enum Record {
    Query(Query),
    /// it is no query that went to a server
    Other,
    End,
}
