//! Authenticates the server on an open stream.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use crate::upstream::dial::open::{is_break, is_unreachable, plain_words};
use crate::upstream::dial::protection::TlsFacts;
use crate::upstream::dial::step::{Step, Watch};
use crate::upstream::dial::tls::{self, Buffered, EarlyData, Handshaken, Tls};
use crate::upstream::dial::trust;
use crate::upstream::failure::dial_error::DialReason;

const HANDSHAKE: Duration = Duration::from_secs(3);

/// A stream inside TLS, with a server that the [`Tls`] accepts.
pub struct Secured {
    pub stream: TlsStream<Buffered>,
    pub facts: TlsFacts,
    pub early: EarlyData,
    /// of the handshake
    pub round_trips: u8,
}

/// `early` may leave with the hello. `patience` is how many times longer than on a direct path everything may take.
pub async fn secure(
    tls: &Tls,
    stream: TcpStream,
    early: Option<&[u8]>,
    patience: u32,
    watch: &Watch<'_>,
) -> Result<Secured, DialReason> {
    let Handshaken { stream, early } = match timeout(HANDSHAKE * patience, tls.handshake(stream, early)).await
    {
        Ok(Ok(handshaken)) => handshaken,
        Ok(Err(error)) => {
            return Err(match trust::trust_error(&error) {
                Some(error) => DialReason::Trust(error),
                None if is_unreachable(&error) => DialReason::Connect(plain_words(&error)),
                None if is_break(&error) => DialReason::Broken {
                    during: "TLS",
                    words: format!("TLS failed ({})", plain_words(&error)),
                },
                None => DialReason::Tls(plain_words(&error)),
            });
        }
        Err(_) => return Err(DialReason::Silent("the TLS hello")),
    };
    let facts = tls.facts(&stream);
    watch(Step::Secured(&facts, tls::chain(&stream)));
    let round_trips = if facts.version == "1.2" && !facts.resumed { 2 } else { 1 };
    Ok(Secured { stream, facts, early, round_trips })
}
