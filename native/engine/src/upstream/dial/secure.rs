//! Authenticates the server on an open stream.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::client::TlsStream;

use crate::upstream::dial::hello::Hello;
use crate::upstream::dial::open::{is_break, is_unreachable, plain_words};
use crate::upstream::dial::protection::TlsFacts;
use crate::upstream::dial::step::{Step, Watch};
use crate::upstream::dial::tls::{self, Buffered, EarlyData, Handshaken, Tls};
use crate::upstream::dial::trust;
use crate::upstream::failure::dial_error::{DialReason, TLS_HELLO};

const HANDSHAKE: Duration = Duration::from_secs(3);
/// Beyond the handshake's own time, for a server that judges who we are.
const ADMISSION: Duration = Duration::from_millis(100);

/// A stream inside TLS, with a server that the [`Tls`] accepts.
pub struct Secured {
    pub stream: TlsStream<Buffered>,
    pub facts: TlsFacts,
    pub early: EarlyData,
    /// of the handshake
    pub round_trips: u8,
}

/// `early` may leave with the `hello`. `patience` is how many times longer than on a direct path everything may take.
pub async fn secure(
    tls: &Tls,
    stream: TcpStream,
    hello: Hello,
    early: Option<&[u8]>,
    patience: u32,
    watch: &Watch<'_>,
) -> Result<Secured, DialReason> {
    let began = Instant::now();
    let Handshaken { mut stream, early } =
        match timeout(HANDSHAKE * patience, tls.handshake(stream, hello, early)).await {
            Ok(Ok(handshaken)) => handshaken,
            Ok(Err(error)) => return Err(why_failed(tls, &error)),
            Err(_) => return Err(DialReason::Silent(TLS_HELLO)),
        };
    let introduction = tls.introduction();
    if introduction.is_wanted() {
        introduction.withheld().map_or(Ok(()), Err)?;
        let patience = began.elapsed() + ADMISSION * patience;
        tls::admitted(&mut stream, patience).await.map_err(|error| why_failed(tls, &error))?;
    }
    let facts = tls.facts(&stream);
    watch(Step::Secured(&facts, tls::chain(&stream)));
    let round_trips = if facts.version == "1.2" && !facts.resumed { 2 } else { 1 };
    Ok(Secured { stream, facts, early, round_trips })
}

fn why_failed(tls: &Tls, error: &std::io::Error) -> DialReason {
    if let Some(error) = trust::trust_error(error) {
        return DialReason::Trust(error);
    }
    if let Some(error) = tls.introduction().refusal(error) {
        return DialReason::Identity(error);
    }
    if is_unreachable(error) {
        return DialReason::Connect(plain_words(error));
    }
    if is_break(error) {
        return DialReason::Broken { during: "TLS", words: format!("TLS failed ({})", plain_words(error)) };
    }
    DialReason::Tls(plain_words(error))
}
