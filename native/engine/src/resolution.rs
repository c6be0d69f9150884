//! The result of asking upstreams, for everybody who sent the same query, and what is kept of it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::time::{Instant, timeout_at};

use crate::cache::entry::SaidBy;
use crate::cache::failures::{How, is_failure};
use crate::cache::key::Key;
use crate::change_count::{ChangeCount, KNOWN_WITHIN};
use crate::clock::Clock;
use crate::holding::Holding;
use crate::outcome::Cost;
use crate::policy::conditions::Audience;
use crate::response::Response;
use crate::snapshot::{Lasting, Snapshot};
use crate::upstream::exchange::Exchanged;
use crate::upstream::memory::connections::Connections;
use crate::upstream::outgoing::{DEADLINE, Outgoing};
use crate::upstream::selection::group::{Group, Reach};
use crate::upstream::selection::none_responded::NoneResponded;
use crate::upstream::selection::upstream::Source;
use crate::wire::name::Name;

/// Rounds over all upstreams for one query, however often settings change meanwhile.
const MOST_ROUNDS: usize = 3;
/// So long a dial that is due is left to who makes it, before the query that waits for it looks again.
const A_MOMENT: Duration = Duration::from_millis(20);

pub type Resolution = Result<Answered, NoneResponded>;

pub struct Answered {
    pub response: Response,
    pub source: Source,
    pub cost: Cost,
    pub connect: Duration,
    pub round_trips: u8,
    /// of the connection that carried it; zero where it was open
    pub handshake: Duration,
    /// the query has left under a lease, even if a private path responded later
    pub in_cleartext: bool,
}

/// Asks upstreams, and waits where the settings want it. Notices when settings change meanwhile.
#[derive(Clone)]
pub struct Resolver {
    current: Arc<ArcSwap<Snapshot>>,
    holding: Arc<Holding>,
    connections: Arc<Connections>,
    change_count: Arc<ChangeCount>,
    clock: Arc<Clock>,
}

impl Resolver {
    pub fn new(current: Arc<ArcSwap<Snapshot>>, lasting: &Lasting) -> Self {
        Self {
            current,
            holding: lasting.holding.clone(),
            connections: lasting.connections.clone(),
            change_count: lasting.change_count.clone(),
            clock: lasting.clock.clone(),
        }
    }

    pub async fn resolve(
        &self,
        snapshot: &Arc<Snapshot>,
        key: &Key,
        audience: Audience,
        outgoing: Arc<Outgoing>,
        reach: Reach,
    ) -> Resolution {
        let mut resolution = self.ask(snapshot, key, audience, outgoing.clone(), reach).await;
        match &mut resolution {
            Ok(answered) => answered.in_cleartext = outgoing.has_left_in_cleartext(),
            Err(nobody) => nobody.in_cleartext = outgoing.has_left_in_cleartext(),
        }
        remember(snapshot, &self.clock, key, &resolution);
        resolution
    }

    async fn ask(
        &self,
        snapshot: &Arc<Snapshot>,
        key: &Key,
        audience: Audience,
        outgoing: Arc<Outgoing>,
        reach: Reach,
    ) -> Resolution {
        let deadline = Instant::now() + DEADLINE;
        let name = outgoing.question.name;
        let mut snapshot = snapshot.clone();
        let mut rounds = 0;
        loop {
            let group = snapshot.group(&name, audience);
            let generation = self.connections.network_changes.generation();
            let nobody = match group.exchange(outgoing.clone(), deadline, reach).await {
                Ok((exchanged, source)) => return Ok(Answered::new(exchanged, source)),
                Err(nobody) => nobody,
            };
            rounds += usize::from(!nobody.is_refusal());
            if rounds == MOST_ROUNDS || reach == Reach::PrivateOnly || Instant::now() >= deadline {
                return Err(nobody);
            }
            let current = self.current.load_full();
            snapshot = if current.generation != snapshot.generation {
                // the query came while the machine was on a network that it has left
                current
            } else if reach == Reach::Ladder
                && group.config.hold
                && group.live_ladder().is_none()
                && nobody.is_cut_off()
            {
                match self.wait_for_a_path(&name, audience, deadline).await {
                    Some(next) => next,
                    None => return Err(nobody),
                }
            } else if nobody.is_cut_off()
                && (self.wait_for_the_network(group, generation, deadline).await
                    || (!has_stale(&snapshot, &self.clock, key)
                        && self.wait_for_the_next_dial(group, &nobody, deadline).await))
            {
                self.current.load_full()
            } else {
                return Err(nobody);
            };
        }
    }

    /// The machine has just lost its address, or every route to the upstreams, and may get one again soon. Waits until it has
    /// one, a path is found, or the time for the fallback ladder has come. `generation` counts network changes up to the query.
    /// False: nothing of this kind has happened, or it took too long.
    async fn wait_for_the_network(&self, group: &Group, generation: u64, deadline: Instant) -> bool {
        let (network_changes, now) = (&self.connections.network_changes, Instant::now());
        let back = group.lost_route().map(|lost| lost + KNOWN_WITHIN).filter(|back| now < *back);
        let suspended = group.is_suspended();
        let found = self.change_count.known_by(now).filter(|_| suspended);
        let below = group.descends_at().filter(|_| !suspended && group.live_ladder().is_some());
        let Some(until) = network_changes.unknown_until(now).max(back).max(found).max(below) else {
            return false;
        };
        let mut change = pin!(self.holding.change());
        change.as_mut().enable();
        if network_changes.generation() != generation
            || ((group.is_private() || !suspended) && group.is_connected())
        {
            return true;
        }
        match timeout_at(deadline.min(below.unwrap_or(until)), change).await {
            Ok(()) => true,
            Err(_) => below.is_some_and(|below| below < deadline),
        }
    }

    /// An upstream that worked a moment ago restarts. Waits until it is dialled next, or is back. False: not in time, or there is
    /// none. Where the rungs below decide, somebody else dials, and a refusal says no more at once: the engine has one thread, which
    /// must be left to others.
    async fn wait_for_the_next_dial(&self, group: &Group, nobody: &NoneResponded, deadline: Instant) -> bool {
        let Some(at) = group.back_at().filter(|at| *at < deadline) else { return false };
        let mut change = pin!(self.holding.change());
        change.as_mut().enable();
        if nobody.is_refusal() || !group.is_connected() {
            let _ = timeout_at(at.max(Instant::now() + A_MOMENT), change).await;
        }
        true
    }

    /// Waits until there is a lease, or a private path has come back, and returns the settings in force. `None`: neither came in
    /// time.
    async fn wait_for_a_path(
        &self,
        name: &Name,
        audience: Audience,
        deadline: Instant,
    ) -> Option<Arc<Snapshot>> {
        let held = self.holding.hold();
        let mut just_failed = true;
        loop {
            let mut change = pin!(held.change());
            change.as_mut().enable();
            let snapshot = self.current.load_full();
            let group = snapshot.group(name, audience);
            if group.live_ladder().is_some() || (!just_failed && group.has_path()) {
                return Some(snapshot);
            }
            if !group.config.hold || snapshot.direct.is_some() {
                return None;
            }
            group.recover();
            timeout_at(deadline, change).await.ok()?;
            just_failed = false;
        }
    }
}

impl Answered {
    fn new(exchanged: Exchanged, source: Source) -> Self {
        let Exchanged { response, cost, connect, round_trips, handshake, .. } = exchanged;
        Self { response, source, cost, connect, round_trips, handshake, in_cleartext: false }
    }
}

fn remember(snapshot: &Snapshot, clock: &Clock, key: &Key, resolution: &Resolution) {
    let (cache, now) = (&snapshot.cache, clock.now());
    // with an expired response to serve meanwhile, nothing is urgent
    let stale = || has_stale(snapshot, clock, key);
    match resolution {
        // when a lease has ended, responses that came under it are not kept
        Ok(Answered { source, .. }) if source.lease.as_ref().is_some_and(|lease| lease.ended()) => {}
        Ok(Answered { response, source, .. }) => {
            cache.failures.answered();
            let said_by = SaidBy { upstream: source.upstream, authenticated: source.is_private() };
            if is_failure(response) {
                cache.failures.note(key, How::Said { response: response.clone(), said_by }, stale(), now);
                return;
            }
            cache.failures.forget(key);
            if !response.truncated() {
                cache.insert(key, response, said_by, now);
            }
        }
        Err(nobody) if nobody.is_refusal() => cache.failures.no_path(),
        Err(nobody) => cache.failures.note(key, How::Silent(nobody.extended_error()), stale(), now),
    }
}

/// Whether an expired response can be served.
fn has_stale(snapshot: &Snapshot, clock: &Clock, key: &Key) -> bool {
    snapshot.cache.stale(key, clock.now()).is_some()
}
