//! EncDNS (Herrmann, Fuchs, Lindemann, Federrath 2014): a query in a NaCl box is the name of another query, which any resolver carries to
//! the server of a zone. The resolver sees who asks, the server sees what is asked.
//!
//! ```text
//! name  = labels(magic ‖ client's key ‖ client's nonce ‖ box) ‖ zone
//! reply = client's nonce ‖ server's nonce ‖ box, in the character strings of a TXT record
//! ```
//!
//! The magic tells the format: the published one, in which the box has a DNS message, or the [`extended`] one.
#![forbid(unsafe_code)]

pub mod client;
pub mod extended;
pub mod formats;
pub mod keys;
pub mod manners;
pub mod name;
pub mod nonces;
pub mod puzzle;
pub mod reply;

pub use keys::{PublicKey, SecretKey, SharedKey};

/// Half of the nonce of a box: the client's, or the server's.
pub type HalfNonce = [u8; 12];
