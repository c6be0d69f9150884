//! Many queries on one stream of octets, each with its length before it (RFC 7766): shared by `tdns`, `dot` and `tcp`.

pub mod alarm;
pub mod driver;
pub mod framed;
pub mod framing;
pub mod liveness;
pub mod pending;
