//! T-DNS: STARTTLS in-band on the DNS port, then TLS on the same connection (draft-hzhwm-dprive-start-tls-for-dns).
//!
//! Before TLS, this file sends the dummy query and nothing else. The response is judged, and not read any further. If one octet
//! stands behind it, somebody has injected it (the class of CVE-2011-0411), and the connection ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::config::{ConfigError, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::upstream::clear::lease::Lease;
use crate::upstream::connection::link::{Dial, How, Link};
use crate::upstream::dial::open::{is_unreachable, plain_words};
use crate::upstream::dial::proxy_route::ProxyRoute;
use crate::upstream::dial::step::Step;
use crate::upstream::dial::tls::Tls;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::running::BoxFuture;
use crate::upstream::stream::framing::framed;
use crate::upstream::transport::inside_tls::{self, arrived, secured};
use crate::upstream::transport::surroundings::Surroundings;
use crate::wire::starttls::{self, Declined, Signal};

const RESPONSE_TIME: Duration = Duration::from_millis(1500);
/// An acceptance has 58 octets; no response to the dummy query needs more than this.
const LONGEST_RESPONSE: usize = 512;

pub struct Tdns {
    tls: Arc<Tls>,
    signal: Signal,
    memory: Arc<StarttlsMemory>,
    network: Arc<str>,
    proxy_route: ProxyRoute,
}

pub fn dialer(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Dial>, ConfigError> {
    let (tls, network) = (inside_tls::tls(config, path, around)?, inside_tls::vantage(config, around));
    let memory = around.memory.clone();
    Ok(Box::new(Tdns::new(tls, config.starttls, memory, network, inside_tls::proxy_route(config, around))))
}

/// TLS without authentication.
pub fn unauthenticated(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
    lease: Arc<Lease>,
) -> Result<Box<dyn Dial>, ConfigError> {
    let (tls, route) =
        (inside_tls::to_anybody(config, path, lease)?, inside_tls::proxy_route(config, around));
    // what is learned from a server that proved nothing is kept apart
    Ok(Box::new(Tdns::new(tls, config.starttls, Arc::default(), around.network.clone(), route)))
}

impl Tdns {
    pub fn new(
        tls: Arc<Tls>,
        signal: Signal,
        memory: Arc<StarttlsMemory>,
        network: Arc<str>,
        proxy_route: ProxyRoute,
    ) -> Self {
        Self { tls, signal, memory, network, proxy_route }
    }

    async fn upgrade(&self, stream: &mut TcpStream, to: Endpoint) -> Result<(), DialReason> {
        let id = rand::random();
        self.memory.offers.add_one();
        let response = match timeout(
            RESPONSE_TIME * self.proxy_route.patience(),
            exchange(stream, &starttls::query(id)),
        )
        .await
        {
            Ok(Ok(response)) => response,
            Ok(Err(reason)) => return Err(reason),
            Err(_) => return Err(DialReason::Silent("STARTTLS")),
        };
        starttls::judge(&response, id, self.signal).map_err(|declined| {
            if matches!(declined, Declined::Unwilling(_)) {
                self.memory.declined(&self.network, to, &declined.to_string());
            }
            DialReason::Starttls(declined.to_string())
        })
    }
}

impl Dial for Tdns {
    fn dial<'a>(&'a self, to: Endpoint, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            if let Some(words) = self.memory.refusal(&self.network, to) {
                return Err(DialReason::KnownWithoutTls(words));
            }
            self.tls.introduction().possible()?;
            let started = Instant::now();
            let (mut stream, fast_open) = self.proxy_route.open(to, how.fast_open, how.watch).await?;
            self.upgrade(&mut stream, to).await?;
            (how.watch)(Step::Agreed("the server accepted STARTTLS"));
            let link = secured(&self.tls, stream, started, 2, how).await?;
            self.memory.accepted(&self.network, to);
            Ok(arrived(&self.proxy_route, link, fast_open, true))
        })
    }

    fn fast_opens(&self) -> bool {
        self.proxy_route.fast_opens()
    }

    fn patience(&self) -> u32 {
        self.proxy_route.patience()
    }

    fn has_smaller_hello(&self) -> bool {
        self.tls.has_smaller_hello()
    }

    fn first_response(&self) -> &'static str {
        "STARTTLS"
    }
}

/// Sends the dummy query and reads exactly one framed response.
async fn exchange(stream: &mut TcpStream, query: &[u8]) -> Result<Vec<u8>, DialReason> {
    let broken = |error: std::io::Error| {
        if is_unreachable(&error) {
            return DialReason::Connect(plain_words(&error));
        }
        let words = match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                "the server closed the connection instead of responding to STARTTLS".into()
            }
            _ => format!("the connection broke during STARTTLS: {}", plain_words(&error)),
        };
        DialReason::Broken { during: "STARTTLS", words }
    };
    stream.write_all(&framed(query)).await.map_err(broken)?;
    let length = stream.read_u16().await.map_err(broken)? as usize;
    if length > LONGEST_RESPONSE {
        return Err(DialReason::Starttls(format!("a response of {length} octets to STARTTLS")));
    }
    let mut response = vec![0; length];
    stream.read_exact(&mut response).await.map_err(broken)?;
    match stream.try_read(&mut [0; 1]) {
        Ok(0) => Err(DialReason::Broken {
            during: "STARTTLS",
            words: "the server closed the connection after responding to STARTTLS".into(),
        }),
        Ok(_) => Err(DialReason::Starttls("octets were injected behind the response to STARTTLS".into())),
        Err(_) => Ok(response),
    }
}
