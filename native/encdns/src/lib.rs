//! EncDNS (Herrmann, Fuchs, Lindemann, Federrath 2014), the format as it was published: a query in a NaCl box is the name of another query,
//! which any resolver carries to the server of a zone. The resolver sees who asks, the server sees what is asked.
//!
//! ```text
//! name  = labels(magic ‖ client's key ‖ client's nonce ‖ box) ‖ zone
//! reply = client's nonce ‖ server's nonce ‖ box, in the character strings of a TXT record
//! ```
#![forbid(unsafe_code)]

pub mod client;
pub mod keys;
pub mod manners;
pub mod name;
pub mod nonces;
pub mod reply;

pub use keys::{PublicKey, SecretKey, SharedKey};

/// Half of the nonce of a box: the client's, or the server's.
pub type HalfNonce = [u8; 12];
