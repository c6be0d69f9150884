//! Which program a query came from, as far as the kernel still knows when it is asked (docs/decisions/0044-which-program-asked.md).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sotto_attribution::{Holder, Kernel, Peer, Protocol};

use crate::outcome::ClientProtocol;
use crate::pace::Pace;
use crate::query::Client;
use crate::words::words;

words!(
    /// Whether it is known which program sent a query.
    Attribution {
        NotLookedUp = "not-looked-up",
        /// its socket was gone already
        Unknown = "unknown",
        Known = "known",
        /// over UDP: it has the socket at the address that the datagram names, which proves nothing
        Seems = "seems",
    }
);

/// Who held the socket that a query came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Asker {
    #[default]
    NotLookedUp,
    Unknown,
    Known(Holder),
    /// Another program of this computer may have written the address into its datagram (IP_PKTINFO, or a raw socket).
    Seems(Holder),
}

/// A household's busiest second is far below it. One look-up costs some five microseconds.
const PER_SECOND: f64 = 2_000.0;

/// Where more sockets than this part of all ports were opened since a query came, its port may have become another program's.
const MOST_OPENED_MEANWHILE: f64 = 1.0 / 100_000.0;

pub struct Attributor {
    wanted: AtomicBool,
    lists_are_read: Arc<AtomicBool>,
    /// opened with the first query
    asking: Mutex<Option<Asking>>,
}

struct Asking {
    kernel: Kernel,
    pace: Pace,
    recent: Recent,
    /// nobody is looked up before
    not_before: Instant,
}

/// A look-up that takes longer has waited for another process that reads the kernel's list of sockets. Then there is none for so many
/// times as long.
const LONGEST: Duration = Duration::from_micros(500);
const PAUSE: u32 = 20;

/// Datagrams in this second and in the one before: as many sockets may have been opened.
struct Recent {
    since: Instant,
    counts: [u32; 2],
}

impl Asker {
    pub fn attribution(self) -> Attribution {
        match self {
            Self::NotLookedUp => Attribution::NotLookedUp,
            Self::Unknown => Attribution::Unknown,
            Self::Known(_) => Attribution::Known,
            Self::Seems(_) => Attribution::Seems,
        }
    }

    /// Whoever it is, or seems to be.
    pub fn holder(self) -> Option<Holder> {
        match self {
            Self::Known(holder) | Self::Seems(holder) => Some(holder),
            Self::NotLookedUp | Self::Unknown => None,
        }
    }

    /// For whatever is looser: who only seems to ask is not known.
    pub fn proven(self) -> Self {
        if matches!(self, Self::Seems(_)) { Self::Unknown } else { self }
    }
}

impl Default for Attributor {
    fn default() -> Self {
        Self { wanted: AtomicBool::new(true), lists_are_read: Arc::default(), asking: Mutex::default() }
    }
}

impl Attributor {
    /// Whether events say who asked. Conditions look askers up in either case.
    pub fn set_wanted(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// True while another thread of ours reads the kernel's lists of sockets. A look-up would wait for that, so there is none.
    pub fn lists_are_read(&self) -> Arc<AtomicBool> {
        self.lists_are_read.clone()
    }

    /// So many datagrams have come, whatever they hold.
    pub fn count(&self, datagrams: usize) {
        if let Ok(mut asking) = self.asking.lock()
            && let Some(Asking { recent, .. }) = asking.as_mut()
        {
            recent.count(datagrams as u32, tokio::time::Instant::now().into_std());
        }
    }

    /// For the log. To be called once for each query, and soon: its socket may be closed at any time, and then its port is free for
    /// others. Nobody waits long for it: while the kernel's lists are read, and after a look-up that was slow, there is none.
    pub fn asker(&self, client: &Client) -> Asker {
        if self.lists_are_read.load(Ordering::Relaxed) {
            Asker::NotLookedUp
        } else {
            self.find(client, false)
        }
    }

    /// For conditions, which may have to wait: whoever is not known gets the stricter, and a name inside would not be found.
    pub fn asker_in_any_case(&self, client: &Client) -> Asker {
        self.find(client, true)
    }

    fn find(&self, client: &Client, waits: bool) -> Asker {
        let protocol = match client.protocol {
            ClientProtocol::Udp => Protocol::Udp,
            ClientProtocol::Tcp => Protocol::Tcp,
            ClientProtocol::Control => return Asker::NotLookedUp,
        };
        if !is_of_this_computer(client) {
            return Asker::NotLookedUp;
        }
        let now = client.arrived.into_std();
        let Ok(mut asking) = self.asking.lock() else { return Asker::NotLookedUp };
        if asking.is_none() {
            let pace = Pace::new(PER_SECOND, PER_SECOND, now);
            let recent = Recent { since: now, counts: [0; 2] };
            *asking = Kernel::open().ok().map(|kernel| Asking { kernel, pace, recent, not_before: now });
        }
        let Some(asking) = asking.as_mut() else { return Asker::NotLookedUp };
        if (!waits && now < asking.not_before) || asking.pace.grant(1, now) == 0 {
            return Asker::NotLookedUp;
        }
        let passed = client.unread.saturating_add(client.arrived.elapsed());
        let most = asking.kernel.given_ports() as f64 * MOST_OPENED_MEANWHILE;
        if protocol == Protocol::Udp && asking.recent.opened_within(passed) > most {
            return Asker::Unknown;
        }
        let begun = Instant::now();
        let found = asking.kernel.holder(&Peer { protocol, address: client.address, to: facing(client) });
        let took = begun.elapsed();
        if took > LONGEST {
            asking.not_before = begun + took * PAUSE;
        }
        match found {
            Ok(Some(holder)) if protocol == Protocol::Udp => Asker::Seems(holder),
            Ok(Some(holder)) => Asker::Known(holder),
            Ok(None) => Asker::Unknown,
            Err(_) => Asker::NotLookedUp,
        }
    }
}

impl Recent {
    fn count(&mut self, more: u32, now: Instant) {
        let passed = now.saturating_duration_since(self.since).as_secs();
        if passed > 0 {
            self.counts = [if passed == 1 { self.counts[1] } else { 0 }, 0];
            self.since = now;
        }
        self.counts[1] = self.counts[1].saturating_add(more);
    }

    /// How many sockets may have been opened in such a time.
    fn opened_within(&self, time: Duration) -> f64 {
        time.as_secs_f64() * f64::from(self.counts[0].max(self.counts[1]).max(1))
    }
}

/// What comes from elsewhere may have the port of a socket of ours. A program that sends to one of this computer's addresses has, as a
/// rule, that address itself.
fn is_of_this_computer(client: &Client) -> bool {
    let address = client.address.ip().to_canonical();
    address.is_loopback() || address == client.to.ip().to_canonical()
}

/// Our end of the client's socket. A program of this machine reaches a socket that listens on all addresses at the address that the
/// program has itself, as a rule.
fn facing(client: &Client) -> SocketAddr {
    match client.to.ip().is_unspecified() {
        true => SocketAddr::new(client.address.ip(), client.to.port()),
        false => client.to,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    fn client(address: &str, to: &str) -> Client {
        Client::now(ClientProtocol::Udp, address.parse().unwrap(), to.parse().unwrap())
    }

    #[test]
    fn a_computer_elsewhere_is_not_taken_for_a_socket_of_ours_on_its_port() {
        let ours = UdpSocket::bind("0.0.0.0:0").unwrap();
        let port = ours.local_addr().unwrap().port();
        let asker = |address: &str| {
            Attributor::default().asker(&client(&format!("{address}:{port}"), "192.0.2.1:53"))
        };
        assert_eq!(asker("192.0.2.7"), Asker::NotLookedUp);
        assert!(matches!(asker("192.0.2.1"), Asker::Seems(_)));
    }

    /// The clock stands still: a machine that does so while this test runs would be one on which all lay unread.
    #[tokio::test(start_paused = true)]
    async fn a_query_that_lay_unread_while_many_sockets_may_have_been_opened_stays_unknown() {
        let ours = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = ours.local_addr().unwrap().to_string();
        let read_at_once = || client(&address, "127.0.0.1:53");
        let read_late = Client { unread: Duration::from_millis(20), ..read_at_once() };
        let nobody_knows_when = Client { unread: Duration::MAX, ..read_at_once() };
        let attributor = Attributor::default();
        let asker = |client: &Client| attributor.asker_in_any_case(client);
        assert!(matches!(asker(&read_late), Asker::Seems(_)), "nobody else asks");
        assert_eq!(asker(&nobody_knows_when), Asker::Unknown);
        attributor.count(20);
        assert!(matches!(asker(&read_at_once()), Asker::Seems(_)));
        assert_eq!(asker(&read_late), Asker::Unknown);
    }

    #[test]
    fn beyond_so_many_a_second_nobody_is_looked_up() {
        let client = client("127.0.0.1:1", "127.0.0.1:53");
        let attributor = Attributor::default();
        let many = 2 * PER_SECOND as usize;
        let skipped = (0..many).filter(|_| attributor.asker(&client) == Asker::NotLookedUp).count();
        assert!(skipped > 0 && skipped < many, "{skipped} of {many}");
    }

    #[test]
    fn while_the_lists_are_read_nobody_is_looked_up() {
        let ours = UdpSocket::bind("127.0.0.1:0").unwrap();
        let client = client(&ours.local_addr().unwrap().to_string(), "127.0.0.1:53");
        let attributor = Attributor::default();
        attributor.lists_are_read().store(true, Ordering::Relaxed);
        assert_eq!(attributor.asker(&client), Asker::NotLookedUp);
        attributor.lists_are_read().store(false, Ordering::Relaxed);
        assert!(matches!(attributor.asker(&client), Asker::Seems(_)));
    }
}
