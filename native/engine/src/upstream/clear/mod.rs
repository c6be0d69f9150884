//! What may leave in cleartext.

pub mod cookies;
pub mod lease;
