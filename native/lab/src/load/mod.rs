//! Queries at a fixed rate, whatever happens to them. A query that has to wait delays none behind it, and its latency counts from
//! the moment at which it was to be sent, so that a service that stalls can't hide it (no coordinated omission).

mod asked;
mod lane;
mod tally;
mod tcp;
mod udp;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, scope, sleep};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::latency::Percentiles;
use crate::names::Names;
use asked::Asked;
use lane::{GLANCE, Lane};
use tally::Tally;
pub use tally::{Counts, Second};
use tcp::TcpLane;
use udp::UdpLane;
pub use udp::connected;

pub struct Load {
    pub to: SocketAddr,
    /// queries a second
    pub rate: f64,
    pub duration: Duration,
    pub names: Names,
    /// the part of all queries that goes over TCP, 0 to 1
    pub tcp: f64,
    /// a response after this time is late
    pub timeout: Duration,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub to: SocketAddr,
    pub rate: f64,
    pub seconds: f64,
    #[serde(flatten)]
    pub counts: Counts,
    /// without a response
    pub lost: u64,
    /// of all responses, late ones included, from the intended moment of sending
    pub latency_ms: Option<Percentiles>,
    pub tcp_connections: u64,
    /// how late the sender itself was at worst: the machine was busy, not the service
    pub sender_behind_ms: f64,
}

impl Load {
    /// Blocks until the last response, or until `timeout` after the last query. `stop` ends the sending early;
    /// `on_second` is called once a second with the time passed.
    pub fn run(
        mut self,
        stop: &AtomicBool,
        on_second: &(dyn Fn(Duration, &Second) + Sync),
    ) -> io::Result<Summary> {
        let tally = Arc::new(Tally::new(self.timeout));
        let over = Over(Arc::new(AtomicBool::new(false)));
        let ran = scope(|scope| {
            let over = over;
            let lanes = Lanes::open(&self, scope, &tally, &over.0)?;
            let start = Instant::now();
            let (ticking, told) = (over.0.clone(), tally.clone());
            scope.spawn(move || tick(start, &told, &ticking, on_second));
            let behind = self.send(&lanes, start, stop);
            let seconds = start.elapsed();
            self.wait_for_answers(&tally);
            io::Result::Ok(Ran { seconds, behind, tcp_connections: lanes.tcp.connections() })
        })?;
        let (counts, latency_ms) = tally.total();
        Ok(Summary {
            to: self.to,
            rate: self.rate,
            seconds: ran.seconds.as_secs_f64(),
            lost: counts.unanswered(),
            counts,
            latency_ms,
            tcp_connections: ran.tcp_connections,
            sender_behind_ms: ran.behind.as_micros() as f64 / 1000.0,
        })
    }

    /// Returns how far it was behind its own plan at worst.
    fn send(&mut self, lanes: &Lanes, start: Instant, stop: &AtomicBool) -> Duration {
        let mut behind = Duration::ZERO;
        let mut tcp_owed = 0.0;
        for count in 0..(self.rate * self.duration.as_secs_f64()).round() as u64 {
            let intended = start + Duration::from_secs_f64(count as f64 / self.rate);
            if !sleep_until(intended, stop) {
                break;
            }
            behind = behind.max(intended.elapsed());
            let number = self.names.draw();
            tcp_owed += self.tcp;
            if tcp_owed >= 1.0 {
                tcp_owed -= 1.0;
                lanes.tcp.ask(number, intended);
            } else {
                lanes.udp[count as usize % lanes.udp.len()].ask(number, intended);
            }
        }
        behind
    }

    fn wait_for_answers(&self, tally: &Tally) {
        let until = Instant::now() + self.timeout;
        while tally.unanswered() > 0 && Instant::now() < until {
            sleep(SHORT);
        }
        // a second response to the last query would come now
        sleep(GLANCE);
    }
}

/// How often threads that wait look whether they may go on.
const SHORT: Duration = Duration::from_millis(10);

struct Ran {
    seconds: Duration,
    behind: Duration,
    tcp_connections: u64,
}

struct Lanes {
    udp: Vec<UdpLane>,
    tcp: TcpLane,
}

impl Lanes {
    /// As many sockets as the rate needs ids.
    fn open<'scope>(
        load: &Load,
        scope: &'scope Scope<'scope, '_>,
        tally: &Arc<Tally>,
        over: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let lane = || Lane::new(load.to, load.names.questions().clone(), tally.clone());
        let sockets = (load.rate / Asked::most_a_second(load.timeout)).ceil().max(1.0) as usize;
        let udp = (0..sockets).map(|_| UdpLane::open(lane())).collect::<io::Result<Vec<_>>>()?;
        udp.iter().for_each(|udp| udp.receive(scope, over.clone()));
        Ok(Lanes { udp, tcp: TcpLane::open(lane(), scope, over.clone()) })
    }
}

/// Tells the threads that the run is over, however it ends.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn tick(start: Instant, tally: &Tally, over: &AtomicBool, on_second: &dyn Fn(Duration, &Second)) {
    let mut next = start + Duration::from_secs(1);
    while sleep_until(next, over) {
        on_second(start.elapsed(), &tally.second());
        next += Duration::from_secs(1);
    }
}

/// False if it was told to stop meanwhile.
fn sleep_until(moment: Instant, stop: &AtomicBool) -> bool {
    while !stop.load(Ordering::Relaxed) {
        match moment.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => sleep(left.min(GLANCE)),
            _ => return true,
        }
    }
    false
}
