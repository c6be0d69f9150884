//! Turns for queries in cleartext. Each takes a socket and room for the largest datagram, so others wait for their turn, within their
//! deadline. A client of another machine or a container waits for those of its own first, and then queries to one resolver for others to
//! it: neither a client nor a resolver that never responds can take all of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const MOST: usize = 256;
/// Of one network, except on loopback: that is everybody on this machine. As many towards the same resolvers.
const MOST_OF_ONE: usize = MOST / 4;

pub struct Turns {
    all: Arc<Semaphore>,
    of_askers: Shares<IpAddr>,
    of_resolvers: Shares<Box<[SocketAddr]>>,
}

/// Held while a query is under way.
#[derive(Debug)]
pub struct Turn {
    _of_asker: Option<OwnedSemaphorePermit>,
    _of_resolvers: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Default for Turns {
    fn default() -> Self {
        let (of_askers, of_resolvers) = (Shares::default(), Shares::default());
        Self { all: Arc::new(Semaphore::new(MOST)), of_askers, of_resolvers }
    }
}

impl Turns {
    /// `asker`: absent where no client asks. Whoever waits for a turn of its own holds none of those that others wait for.
    pub async fn take(&self, asker: Option<IpAddr>, resolvers: &[SocketAddr]) -> Turn {
        let of_asker = match asker.filter(|asker| !asker.is_loopback()) {
            Some(asker) => Some(permit(&self.of_askers.of(asker)).await),
            None => None,
        };
        let of_resolvers = permit(&self.of_resolvers.of(resolvers.into())).await;
        Turn { _of_asker: of_asker, _of_resolvers: of_resolvers, _of_all: permit(&self.all).await }
    }
}

/// What each may take; nothing is kept of one that takes nothing.
struct Shares<K>(Mutex<HashMap<K, Arc<Semaphore>>>);

impl<K> Default for Shares<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Shares<K> {
    fn of(&self, one: K) -> Arc<Semaphore> {
        let mut shares = self.0.lock().expect("nothing panics while holding the turns");
        shares.retain(|_, turns| Arc::strong_count(turns) > 1);
        shares.entry(one).or_insert_with(|| Arc::new(Semaphore::new(MOST_OF_ONE))).clone()
    }
}

async fn permit(of: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    of.clone().acquire_owned().await.expect("the turns are never closed")
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const CONTAINER: IpAddr = IpAddr::V4(Ipv4Addr::new(172, 17, 0, 2));
    const NEIGHBOUR: IpAddr = IpAddr::V4(Ipv4Addr::new(172, 17, 0, 3));
    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    const RESOLVERS: [SocketAddr; 5] = [at(1), at(2), at(3), at(4), at(5)];

    const fn at(port: u16) -> SocketAddr {
        SocketAddr::new(LOOPBACK, port)
    }

    /// Of a clock that nobody waits for.
    const SECOND: Duration = Duration::from_secs(1);

    async fn takes(turns: &Turns, asker: IpAddr, resolver: usize) -> Option<Turn> {
        timeout(SECOND, turns.take(Some(asker), &RESOLVERS[resolver..=resolver])).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn no_container_takes_the_turns_of_others() {
        let turns = Turns::default();
        let mut taken = Vec::new();
        for resolver in [0, 1] {
            while let Some(turn) = takes(&turns, CONTAINER, resolver).await {
                taken.push(turn);
            }
        }
        assert_eq!(taken.len(), MOST_OF_ONE);
        assert!(takes(&turns, NEIGHBOUR, 1).await.is_some());
        for resolver in 0..RESOLVERS.len() {
            while let Some(turn) = takes(&turns, LOOPBACK, resolver).await {
                taken.push(turn);
            }
        }
        assert_eq!(taken.len(), MOST, "and all together no more than before");
        taken.clear();
        assert!(takes(&turns, CONTAINER, 0).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn no_silent_resolver_takes_the_turns_of_others() {
        let turns = Turns::default();
        let mut taken = Vec::new();
        while let Some(turn) = takes(&turns, LOOPBACK, 0).await {
            taken.push(turn);
        }
        assert_eq!(taken.len(), MOST_OF_ONE);
        assert!(takes(&turns, LOOPBACK, 1).await.is_some());
    }
}
