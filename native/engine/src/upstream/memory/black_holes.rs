//! Paths that swallow something, by network and server: what Fast Open sends, or hellos that are longer than a segment. Each has cost
//! one connection its time, and the same is not sent there again until it is time to try.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::endpoint::Endpoint;

const FIRST: Duration = Duration::from_secs(3600);
const LONGEST: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug, Default)]
pub struct BlackHoles {
    known: Mutex<HashMap<(Arc<str>, Endpoint), Hole>>,
}

#[derive(Debug)]
struct Hole {
    until: Instant,
    rest: Duration,
}

impl BlackHoles {
    pub fn is_known(&self, network: &Arc<str>, server: Endpoint) -> bool {
        let (now, mut known) = (Instant::now(), self.known());
        // one that was not met again for as long as it was avoided is dropped
        known.retain(|_, hole| now < hole.until + hole.rest);
        known.get(&(network.clone(), server)).is_some_and(|hole| now < hole.until)
    }

    /// It swallowed again, and is avoided for twice as long.
    pub fn swallowed(&self, network: &Arc<str>, server: Endpoint) {
        let (now, mut known) = (Instant::now(), self.known());
        let rest = match known.get(&(network.clone(), server)) {
            // the same connection has reported it already
            Some(hole) if now < hole.until => return,
            Some(hole) => (hole.rest * 2).min(LONGEST),
            None => FIRST,
        };
        known.insert((network.clone(), server), Hole { until: now + rest, rest });
    }

    /// It let something through.
    pub fn passed(&self, network: &Arc<str>, server: Endpoint) {
        self.known().remove(&(network.clone(), server));
    }

    pub fn forget(&self) {
        self.known().clear();
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Arc<str>, Endpoint), Hole>> {
        self.known.lock().expect("nothing panics while holding the black holes")
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SERVER: &str = "192.0.2.1:853";

    #[tokio::test(start_paused = true)]
    async fn a_path_is_avoided_for_an_hour_on_its_network_then_for_longer() {
        let (holes, server) = (BlackHoles::default(), SERVER.parse().unwrap());
        let (home, cafe): (Arc<str>, Arc<str>) = ("home".into(), "cafe".into());
        holes.swallowed(&cafe, server);
        holes.swallowed(&cafe, server);
        assert!(holes.is_known(&cafe, server) && !holes.is_known(&home, server));
        advance(FIRST).await;
        assert!(!holes.is_known(&cafe, server), "time to look again");
        holes.swallowed(&cafe, server);
        advance(FIRST).await;
        assert!(holes.is_known(&cafe, server), "it was met again");
        advance(FIRST).await;
        assert!(!holes.is_known(&cafe, server));
    }

    #[tokio::test(start_paused = true)]
    async fn what_let_something_through_or_was_long_ago_starts_anew() {
        let (holes, server) = (BlackHoles::default(), SERVER.parse().unwrap());
        let home: Arc<str> = "home".into();
        for clear in ["passed", "age", "forget"] {
            holes.swallowed(&home, server);
            match clear {
                "passed" => holes.passed(&home, server),
                "forget" => holes.forget(),
                _ => advance(FIRST * 2).await,
            }
            assert!(!holes.is_known(&home, server), "{clear}");
            holes.swallowed(&home, server);
            advance(FIRST).await;
            assert!(!holes.is_known(&home, server), "{clear}: an hour, not two");
            holes.forget();
        }
    }
}
