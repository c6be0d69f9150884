//! Carries queries on a stream of octets.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use crate::upstream::connection::carrier::{Carrier, Duty, End};
use crate::upstream::connection::early::Early;
use crate::upstream::dial::sockets::Stream;
use crate::upstream::outgoing::Hop;
use crate::upstream::running::BoxFuture;
use crate::upstream::stream::driver::Driver;
use crate::upstream::stream::framing::framed;
use crate::upstream::stream::pending::MOST_IN_FLIGHT;

/// How long the server may take to accept our goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

pub struct Framed {
    stream: Box<dyn Stream>,
    /// was offered with the hello
    early: Option<EarlyMessage>,
}

/// A query that may leave with the hello of this stream.
pub struct EarlyMessage {
    id: u16,
    pub octets: Vec<u8>,
}

impl EarlyMessage {
    pub fn of(early: &Early) -> Self {
        let id = rand::random();
        Self { id, octets: framed(&early.query.message(id, Hop::Tls)) }
    }
}

impl Framed {
    pub fn new(stream: impl Stream + 'static) -> Self {
        Self { stream: Box::new(stream), early: None }
    }

    pub fn with(stream: impl Stream + 'static, early: Option<EarlyMessage>) -> Self {
        Self { stream: Box::new(stream), early }
    }
}

impl Carrier for Framed {
    fn carry(self: Box<Self>, mut duty: Duty) -> BoxFuture<'static, ()> {
        let early = self.early.zip(duty.early.take());
        let (mut driver, metering) = Driver::new(self.stream, duty);
        if let Some((EarlyMessage { id, octets }, ask)) = early {
            driver.await_early(id, octets.len(), ask);
        }
        Box::pin(async move {
            let (mut stream, end) = driver.run().await;
            if end == End::Closed {
                say_goodbye(&mut *stream).await;
            }
            drop(metering);
        })
    }

    fn most_in_flight(&self) -> usize {
        MOST_IN_FLIGHT
    }

    fn into_stream(self: Box<Self>) -> Option<Box<dyn Stream>> {
        Some(self.stream)
    }
}

/// Sends close_notify, if the server still reads.
async fn say_goodbye(stream: &mut dyn Stream) {
    let _ = timeout(GOODBYE, stream.shutdown()).await;
}
