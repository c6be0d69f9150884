//! How much the connections of an upstream carried, including those that have ended.
//!
//! Where the system counts, these are the octets of TCP, with handshakes and everything around the messages. Elsewhere they are
//! those of the messages with their framing and padding.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Serialize;

use crate::upstream::dial::meter::Meter;
use crate::upstream::outgoing::Traffic;
use crate::words::words;

#[derive(Debug, Default)]
pub struct Carried {
    strays: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    metered: Mutex<Metered>,
}

#[derive(Debug, Default)]
struct Metered {
    serial: u64,
    open: Vec<(u64, Meter)>,
    ended: Traffic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Octets {
    pub sent: u64,
    pub received: u64,
    pub by: Counter,
}

words!(
    /// Which of the two counted, and therefore what.
    Counter {
        /// everything that TCP carried, with the handshakes
        System = "system",
        /// messages with their framing and padding
        Messages = "messages",
    }
);

/// A connection whose octets are counted; to be dropped while its socket is open.
#[derive(Debug)]
pub struct Metering {
    carried: Arc<Carried>,
    serial: Option<u64>,
}

impl Carried {
    /// A message arrived that is a response to no query.
    pub fn stray(&self) {
        self.strays.fetch_add(1, Ordering::Relaxed);
    }

    pub fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    /// A message leaves; `octets` includes its framing.
    pub fn leaves(&self, octets: usize) {
        self.sent.fetch_add(octets as u64, Ordering::Relaxed);
    }

    /// A message arrived; `octets` includes its framing.
    pub fn came(&self, octets: usize) {
        self.received.fetch_add(octets as u64, Ordering::Relaxed);
    }

    pub fn meter(self: &Arc<Self>, meter: Option<Meter>) -> Metering {
        let serial = meter.filter(|meter| meter.traffic().is_some()).map(|meter| {
            let mut metered = self.metered();
            metered.serial += 1;
            let serial = metered.serial;
            metered.open.push((serial, meter));
            serial
        });
        Metering { carried: self.clone(), serial }
    }

    pub fn octets(&self) -> Octets {
        let metered = self.metered();
        if metered.serial == 0 {
            let (sent, received) = (self.sent.load(Ordering::Relaxed), self.received.load(Ordering::Relaxed));
            return Octets { sent, received, by: Counter::Messages };
        }
        let open = metered.open.iter().filter_map(|(_, meter)| meter.traffic());
        let Traffic { sent, received } = open.fold(metered.ended, Traffic::with);
        Octets { sent, received, by: Counter::System }
    }

    fn metered(&self) -> MutexGuard<'_, Metered> {
        self.metered.lock().expect("nothing panics while counting")
    }
}

impl Drop for Metering {
    fn drop(&mut self) {
        let mut metered = self.carried.metered();
        if let Some(at) = metered.open.iter().position(|(serial, _)| Some(*serial) == self.serial) {
            let (_, meter) = metered.open.swap_remove(at);
            metered.ended = metered.ended.with(meter.traffic().unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_meter_messages_are_counted() {
        let carried = Arc::new(Carried::default());
        let metering = carried.meter(None);
        carried.leaves(130);
        carried.came(470);
        drop(metering);
        assert_eq!(carried.octets(), Octets { sent: 130, received: 470, by: Counter::Messages });
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn octets_of_ended_connections_are_kept() {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        use tokio::net::{TcpListener, TcpStream};

        let carried = Arc::new(Carried::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        for connection in 1..=2 {
            let mut ours = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (mut theirs, _) = listener.accept().await.unwrap();
            let metering = carried.meter(Meter::of(&ours));
            ours.write_all(b"query").await.unwrap();
            theirs.read_exact(&mut [0; 5]).await.unwrap();
            theirs.write_all(b"response").await.unwrap();
            ours.read_exact(&mut [0; 8]).await.unwrap();
            let all = Octets { sent: 5 * connection, received: 8 * connection, by: Counter::System };
            assert_eq!(carried.octets(), all, "while it is open");
            drop(metering);
            assert_eq!(carried.octets(), all, "when it is gone");
        }
    }
}
