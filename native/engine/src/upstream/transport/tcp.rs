//! Plain TCP (RFC 7766). It protects nothing, so it needs a lease, against which each packet is counted. Octets in a SYN may leave
//! twice, so only a query that the ledger does not count goes there.

use std::sync::Arc;

use tokio::time::Instant;

use crate::config::{ConfigError, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::upstream::clear::lease::Lease;
use crate::upstream::connection::link::{Dial, How, Link};
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::open::{leave_nothing_behind, open};
use crate::upstream::dial::protection::Protection;
use crate::upstream::dial::tls::EarlyData;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::running::BoxFuture;
use crate::upstream::stream::framed::Framed;
use crate::upstream::transport::surroundings::Surroundings;

pub struct Tcp {
    lease: Arc<Lease>,
}

pub fn dialer(
    config: &UpstreamConfig,
    path: &str,
    around: &Surroundings,
) -> Result<Box<dyn Dial>, ConfigError> {
    Ok(Box::new(Tcp::new(around.permission(config, path)?)))
}

impl Tcp {
    pub fn new(lease: Arc<Lease>) -> Self {
        Self { lease }
    }
}

impl Dial for Tcp {
    fn dial<'a>(&'a self, to: Endpoint, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let Some(address) = to.address() else {
                return Err(DialReason::Connect("no proxy carries queries in cleartext".into()));
            };
            let started = Instant::now();
            let fast_open = how.fast_open && self.lease.is_unrecorded();
            let (stream, fast_open) = open(address, fast_open, how.watch).await?;
            leave_nothing_behind(&stream);
            let meter = Meter::of(&stream);
            Ok(Link {
                carrier: Box::new(Framed::new(stream)),
                protection: Protection::Clear(self.lease.clone()),
                early: EarlyData::NotSent,
                round_trips: 1,
                fast_open,
                took: started.elapsed(),
                meter,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::ErrorKind;
    use std::net::{Ipv4Addr, SocketAddr};
    use std::pin::Pin;
    use std::task::Poll;

    use tokio::io::{AsyncReadExt, AsyncWrite};
    use tokio::net::TcpListener;

    use super::*;
    use crate::outcome::ClearClass;
    use crate::upstream::dial::hello::Hello;
    use crate::upstream::dial::sockets::{Sockets, Stream, System};
    use crate::upstream::dial::step::Step;

    #[tokio::test]
    async fn what_nobody_has_taken_is_not_sent_after_the_end() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        for stream in [dialled(address).await, System.stream(address).await.unwrap_or_else(|_| panic!())] {
            let (mut server, _) = listener.accept().await.unwrap();
            let written = fill(stream).await;
            let mut heard = Vec::new();
            let end = server.read_to_end(&mut heard).await.map_err(|error| error.kind());
            assert_eq!(end, Err(ErrorKind::ConnectionReset), "{} of {written} octets came", heard.len());
            assert!(heard.len() < written);
        }
    }

    async fn dialled(address: SocketAddr) -> Box<dyn Stream> {
        let tcp = Tcp::new(Arc::new(Lease::unrecorded(ClearClass::Policy, None)));
        let watch = |_: Step<'_>| {};
        let how = How { watch: &watch, fast_open: false, hello: Hello::Usual, early: None, patience: 1 };
        tcp.dial(Endpoint::from(address), &how)
            .await
            .unwrap_or_else(|_| panic!())
            .carrier
            .into_stream()
            .unwrap()
    }

    /// Writes more than the buffers of both sides hold, and returns how much that is.
    async fn fill(mut stream: Box<dyn Stream>) -> usize {
        let octets = vec![0; 1 << 16];
        let mut written = 0;
        poll_fn(|cx| {
            while let Poll::Ready(count) = Pin::new(&mut stream).poll_write(cx, &octets) {
                written += count.unwrap();
            }
            Poll::Ready(written)
        })
        .await
    }
}
