//! Starts a listener again that ended by itself, because of an unexpected error of the system or a defect: after a longer pause each
//! time, and the status reports it. It keeps its socket: one that the guardian or systemd bound can't be bound again, and another
//! program might take the address meanwhile.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::outcome::ClientProtocol;

const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(5);
/// A listener that has served for so long counts as repaired.
const WELL: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listener {
    pub address: SocketAddr,
    pub protocol: ClientProtocol,
}

/// Listeners that ended by themselves and do not count as repaired yet.
pub struct Broken {
    reasons: Mutex<BTreeMap<Listener, String>>,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BrokenListener {
    #[serde(flatten)]
    pub listener: Listener,
    pub why: String,
}

impl Broken {
    pub fn new(on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { reasons: Mutex::default(), on_change }
    }

    pub fn list(&self) -> Vec<BrokenListener> {
        let told =
            |(listener, why): (&Listener, &String)| BrokenListener { listener: *listener, why: why.clone() };
        self.reasons().iter().map(told).collect()
    }

    fn note(&self, listener: Listener, why: String) {
        self.reasons().insert(listener, why);
        (self.on_change)();
    }

    fn is_well(&self, listener: Listener) {
        if self.reasons().remove(&listener).is_some() {
            (self.on_change)();
        }
    }

    fn reasons(&self) -> MutexGuard<'_, BTreeMap<Listener, String>> {
        self.reasons.lock().expect("nothing panics while noting a reason")
    }
}

/// Until it is closed. `serve` ends with an error, or well once it is closed.
pub async fn keep_serving<Serving>(
    listener: Listener,
    broken: &Broken,
    mut closed: watch::Receiver<()>,
    serve: impl Fn() -> Serving,
) where
    Serving: Future<Output = io::Result<()>> + Send + 'static,
{
    let mut rest = FIRST_REST;
    loop {
        // a task of its own, so that a defect ends no more than that
        let mut serving = tokio::spawn(serve());
        let ended = match timeout(WELL, &mut serving).await {
            Ok(ended) => ended,
            Err(_) => {
                broken.is_well(listener);
                rest = FIRST_REST;
                serving.await
            }
        };
        let why = match ended {
            Ok(Ok(())) => return broken.is_well(listener),
            Ok(Err(error)) => error.to_string(),
            Err(panicked) => panicked.to_string(),
        };
        broken.note(listener, why);
        tokio::select! {
            () = sleep(rest) => {}
            _ = closed.changed() => return broken.is_well(listener),
        }
        rest = (rest * 2).min(LONGEST_REST);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::Instant;

    use super::*;

    const LISTENER: Listener = Listener {
        address: SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 53),
        protocol: ClientProtocol::Udp,
    };

    struct Told(Arc<AtomicUsize>, Arc<Broken>);

    fn told() -> Told {
        let times = Arc::<AtomicUsize>::default();
        let counted = times.clone();
        let on_change = Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        Told(times, Arc::new(Broken::new(on_change)))
    }

    /// Breaks down so often, and serves from then on until it is closed.
    async fn serve_after(
        failures: usize,
        fail: fn() -> io::Result<()>,
        begun: Arc<AtomicUsize>,
        mut closed: watch::Receiver<()>,
    ) -> io::Result<()> {
        if begun.fetch_add(1, Ordering::Relaxed) < failures {
            return fail();
        }
        let _ = closed.changed().await;
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn it_begins_again_until_it_serves_and_is_told_meanwhile() {
        type Fail = fn() -> io::Result<()>;
        let failures: [(Fail, &str); 2] = [
            (|| Err(io::ErrorKind::OutOfMemory.into()), "out of memory"),
            (|| panic!("a defect"), "panicked"),
        ];
        for (fail, why) in failures {
            let Told(times, broken) = told();
            let (open, closed) = watch::channel(());
            let begun = Arc::<AtomicUsize>::default();
            let keeping = {
                let (broken, begun) = (broken.clone(), begun.clone());
                tokio::spawn(async move {
                    let serve = || serve_after(3, fail, begun.clone(), closed.clone());
                    keep_serving(LISTENER, &broken, closed.clone(), serve).await;
                })
            };
            let start = Instant::now();
            while begun.load(Ordering::Relaxed) < 4 {
                sleep(FIRST_REST / 10).await;
            }
            assert_eq!(start.elapsed().as_millis() / 100, 1 + 2 + 4, "a rest that doubles");
            let standing = broken.list();
            assert_eq!((standing.len(), standing[0].listener), (1, LISTENER));
            assert!(standing[0].why.contains(why), "{}", standing[0].why);
            sleep(WELL + FIRST_REST / 10).await;
            assert_eq!((broken.list(), times.load(Ordering::Relaxed)), (vec![], 4));
            drop(open);
            keeping.await.unwrap();
            assert_eq!(begun.load(Ordering::Relaxed), 4);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_closed_while_it_rests_stays_closed() {
        let Told(_, broken) = told();
        let (open, closed) = watch::channel(());
        let begun = Arc::<AtomicUsize>::default();
        let fail: fn() -> io::Result<()> = || Err(io::ErrorKind::OutOfMemory.into());
        let keeping = async {
            let serve = || serve_after(9, fail, begun.clone(), closed.clone());
            keep_serving(LISTENER, &broken, closed.clone(), serve).await;
        };
        let closing = async {
            sleep(FIRST_REST / 2).await;
            drop(open);
        };
        tokio::join!(keeping, closing);
        assert_eq!((begun.load(Ordering::Relaxed), broken.list()), (1, vec![]));
    }
}
