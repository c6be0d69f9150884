//! Plain TCP (RFC 7766): no protection, so it exists only under a lease. Each packet is counted against that, and what leaves with
//! a SYN may leave twice: only a question that no ledger counts goes there.

use std::sync::Arc;

use tokio::time::Instant;

use super::dial::{BoxFuture, Dial, How, Link, Protection, leave_nothing_behind, open};
use super::early::EarlyData;
use super::failure::DialReason;
use super::meter::Meter;
use super::place::Place;
use crate::clear::Lease;

pub struct Tcp {
    lease: Arc<Lease>,
}

impl Tcp {
    pub fn new(lease: Arc<Lease>) -> Self {
        Self { lease }
    }
}

impl Dial for Tcp {
    fn dial<'a>(&'a self, to: Place, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let Some(address) = to.address() else {
                return Err(DialReason::Connect("no proxy carries questions in clear".into()));
            };
            let started = Instant::now();
            let fast_open = how.fast_open && self.lease.is_unrecorded();
            let (stream, fast_open) = open(address, &How { fast_open, ..*how }).await?;
            leave_nothing_behind(&stream);
            let meter = Meter::of(&stream);
            Ok(Link {
                stream: Box::new(stream),
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

    use super::super::dial::{Step, Stream};
    use super::super::outside::{Outside, System};
    use super::*;
    use crate::outcome::ClearClass;

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
        let how = How { watch: &watch, fast_open: false, early: None, patience: 1 };
        tcp.dial(Place::from(address), &how).await.unwrap_or_else(|_| panic!()).stream
    }

    /// More than the buffers of both sides hold. Returns how much that is.
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
