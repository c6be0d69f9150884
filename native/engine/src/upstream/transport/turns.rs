//! Turns for queries in cleartext. Each takes a socket and room for the largest datagram, so others wait for their turn, within their
//! deadline. A client of another machine or a container waits for those of its own first: it can't take all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const MOST: usize = 256;
/// Of one address, except on loopback: that is everybody on this machine.
const MOST_OF_ONE: usize = MOST / 4;

pub struct Turns {
    all: Arc<Semaphore>,
    of_one: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

/// Held while a query is under way.
#[derive(Debug)]
pub struct Turn {
    _of_one: Option<OwnedSemaphorePermit>,
    _of_all: OwnedSemaphorePermit,
}

impl Default for Turns {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MOST)), of_one: Mutex::default() }
    }
}

impl Turns {
    /// `asker`: absent where no client asks.
    pub async fn take(&self, asker: Option<IpAddr>) -> Turn {
        let of_one = match asker.filter(|asker| !asker.is_loopback()) {
            Some(asker) => Some(permit(&self.of(asker)).await),
            None => None,
        };
        Turn { _of_one: of_one, _of_all: permit(&self.all).await }
    }

    fn of(&self, asker: IpAddr) -> Arc<Semaphore> {
        let mut of_one = self.of_one.lock().expect("nothing panics while holding the turns");
        of_one.retain(|_, turns| Arc::strong_count(turns) > 1);
        of_one.entry(asker).or_insert_with(|| Arc::new(Semaphore::new(MOST_OF_ONE))).clone()
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

    async fn takes(turns: &Turns, asker: IpAddr) -> Option<Turn> {
        timeout(Duration::from_secs(1), turns.take(Some(asker))).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn no_container_takes_the_turns_of_others() {
        let turns = Turns::default();
        let mut taken = Vec::new();
        while let Some(turn) = takes(&turns, CONTAINER).await {
            taken.push(turn);
        }
        assert_eq!(taken.len(), MOST_OF_ONE);
        assert!(takes(&turns, NEIGHBOUR).await.is_some());
        while let Some(turn) = takes(&turns, LOOPBACK).await {
            taken.push(turn);
        }
        assert_eq!(taken.len(), MOST, "and all together no more than before");
        taken.clear();
        assert!(takes(&turns, CONTAINER).await.is_some());
    }
}
