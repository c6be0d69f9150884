//! Many TCP clients that take a connection and do nothing useful with it, and a probe that measures how others fare meanwhile.

mod client;
mod probe;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::{Semaphore, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::question::Question;
use client::{Client, Seats};
pub use client::{Kind, SeatCounts};
pub use probe::Fared;
use probe::Probe;

/// Clients of one source address: fewer than the kernel has ports for, with room for other programs on this machine.
const A_SOURCE: usize = 10_000;
/// Connections that are opened at once, so that a run does not only show the service's queue of new connections.
const AT_ONCE: usize = 200;

pub struct SlowClients {
    pub to: SocketAddr,
    pub count: usize,
    pub kind: Kind,
    pub duration: Duration,
    /// clients that are turned away or cut come back
    pub persistent: bool,
    /// what the probe asks for, and deaf clients, too
    pub question: Question,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub to: SocketAddr,
    pub kind: Kind,
    pub clients: usize,
    pub sources: usize,
    pub seats: SeatCounts,
    pub udp: Fared,
    pub tcp: Fared,
}

impl SlowClients {
    pub fn descriptors(&self) -> u64 {
        self.count as u64 + 100
    }

    /// When `stop` turns true, the run ends early. The probe asks from another address than the clients.
    pub async fn run(
        self,
        mut stop: watch::Receiver<bool>,
        on_second: impl Fn(Duration, &Summary),
    ) -> Summary {
        let sources = sources(self.to.ip(), self.count);
        let seats = Arc::new(Seats::default());
        let probe = Probe::start(self.to, self.question.clone());
        let crowd = self.send_in(&sources, &seats);
        let summary = || Summary {
            to: self.to,
            kind: self.kind,
            clients: self.count,
            sources: sources.len(),
            seats: seats.counts(),
            udp: probe.udp(),
            tcp: probe.tcp(),
        };
        let start = Instant::now();
        let mut second = interval(Duration::from_secs(1));
        second.set_missed_tick_behavior(MissedTickBehavior::Skip);
        second.tick().await;
        let over = sleep(self.duration);
        tokio::pin!(over);
        loop {
            tokio::select! {
                _ = second.tick() => on_second(start.elapsed(), &summary()),
                () = &mut over => break,
                _ = stop.wait_for(|stop| *stop) => break,
            }
        }
        let summary = summary();
        crowd.iter().for_each(|client| client.abort());
        summary
    }

    fn send_in(&self, sources: &[Option<IpAddr>], seats: &Arc<Seats>) -> Vec<tokio::task::AbortHandle> {
        let doors = Arc::new(Semaphore::new(AT_ONCE));
        let client = |number: usize| Client {
            to: self.to,
            from: sources[number % sources.len()],
            kind: self.kind,
            persistent: self.persistent,
            question: self.question.clone(),
            seats: seats.clone(),
            doors: doors.clone(),
        };
        (0..self.count).map(|number| tokio::spawn(client(number).sit()).abort_handle()).collect()
    }
}

/// 127.0.0.2 and further for a service on 127.0.0.1; elsewhere only the machine's own address.
fn sources(to: IpAddr, clients: usize) -> Vec<Option<IpAddr>> {
    if !matches!(to, IpAddr::V4(to) if to.is_loopback()) {
        return vec![None];
    }
    (0..clients.div_ceil(A_SOURCE).max(4))
        .map(|number| Some(IpAddr::V4(Ipv4Addr::from(0x7f00_0002 + number as u32))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_come_from_other_addresses_than_the_probe() {
        let loopback = sources("127.0.0.1".parse().unwrap(), 45_000);
        assert_eq!(loopback.len(), 5);
        assert_eq!(loopback[0], Some("127.0.0.2".parse().unwrap()));
        assert_eq!(sources("::1".parse().unwrap(), 45_000), [None]);
    }
}
