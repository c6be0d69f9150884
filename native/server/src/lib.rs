//! `sotto-server`: DNS over STARTTLS and TLS in front of a zone or a resolver.
//!
//! ```text
//! listen ─▶ gate ─▶ connection ─▶ starttls ─▶ pipe ─▶ stream ─┐
//!    └────▶ datagram ──────────────────────────────────────────┴▶ responder ─▶ encdns ─▶ zone | behind
//! ```

mod allowances;
mod backend;
mod behind;
mod connection;
mod cookies;
mod datagram;
pub mod delay;
mod descriptors;
mod early;
mod edns;
mod encdns;
mod ending;
mod entry_lines;
mod fast_open;
mod framing;
mod gate;
mod handed_over;
mod handshake_key;
mod identities;
mod identity;
mod limits;
mod listen;
mod memory;
mod network;
mod outbox;
mod pipe;
mod places;
mod proxy;
mod query;
mod received;
mod refused_early_data;
mod responder;
mod response;
mod secure;
mod server;
mod slots;
mod starttls;
mod stats;
mod stop;
mod stream;
mod ticket_secret;
mod tickets;
mod tls;
mod tls_failure;
mod transport;
mod turns;
mod typed;
mod watchers;
mod zone;
mod zone_file;

pub use backend::Backend;
pub use behind::{Forwarder, Identified, ServerAddress, ServerBehind, StubZone, Unusable, Way};
pub use cookies::Unproven;
pub use descriptors::allow_all as allow_descriptors;
pub use encdns::{EncDns, EncDnsLimits};
pub use fast_open::obstacle as fast_open_obstacle;
pub use handed_over::{HandedOver, HandedOverError};
pub use identities::Identities;
pub use identity::{Identity, IdentityError};
pub use limits::Limits;
pub use listen::{Elsewhere, ListenError};
pub use proxy::{Proxies, ProxyPrefix, prefix as proxy_prefix};
pub use server::{Changeable, Config, Renewal, Server, StartError};
/// A socket of the system, as [`HandedOver`] takes it.
pub use socket2::Socket;
pub use starttls::Signal;
pub use stats::{Queries, Snapshot, TlsFailures};
pub use ticket_secret::{TicketSecret, TicketSecretError};
pub use tickets::Tickets;
pub use typed::{of_no_machine, typed_address, typed_name};
pub use zone::Zone;
pub use zone_file::{ZoneError, load as load_zone, read as read_zone};

pub(crate) use server::Service;
