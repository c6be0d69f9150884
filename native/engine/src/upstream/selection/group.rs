//! Upstreams for the same names. Their private paths come first, in the strategy's order; below them, under a lease of the group,
//! its fallback ladder. On every new network, and after each interruption, private paths get their time first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::change_count::KNOWN_WITHIN;
use crate::config::{GroupConfig, Strategy};
use crate::upstream::clear::lease::LeaseError;
use crate::upstream::exchange::{Exchanged, Gone};
use crate::upstream::failure::Failure;
use crate::upstream::memory::connections::Connections;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::selection::attempts::{Answered, Attempts};
use crate::upstream::selection::ladder::Ladder;
use crate::upstream::selection::none_responded::NoneResponded;
use crate::upstream::selection::spread::Spread;
use crate::upstream::selection::upstream::{Source, Upstream};
use crate::wire::name::Name;

/// How long private paths may take to connect if there is a ladder below them; the rest of the time is the ladder's.
const CONNECTING: Duration = Duration::from_millis(2000);
/// For how long an upstream that was reached, and whose connection was lost, is expected back. Queries wait for its next dial.
const RETURN: Duration = Duration::from_secs(60);
/// The pause between looks at whether a rest is over.
const RETRY: Duration = Duration::from_millis(250);
const RACING: usize = 2;

pub struct Group {
    pub config: GroupConfig,
    /// in order of preference; cleartext ones only if none is private
    upstreams: Vec<Arc<Upstream>>,
    spread: Option<Spread>,
    pub ladder: Option<Arc<Ladder>>,
    connections: Arc<Connections>,
    recovering: AtomicBool,
}

/// How far a query may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// no client waits for it
    PrivateOnly,
    /// its asker's queries never leave in cleartext
    Private,
    Ladder,
}

impl Group {
    /// `upstreams` are all that name the group, in order of preference.
    pub fn new(
        config: GroupConfig,
        upstreams: &[Arc<Upstream>],
        ladder: Option<Arc<Ladder>>,
        connections: Arc<Connections>,
    ) -> Self {
        let any_private = upstreams.iter().any(|upstream| upstream.is_private());
        let usable = upstreams.iter().filter(|upstream| upstream.is_private() || !any_private);
        let upstreams: Vec<_> = usable.cloned().collect();
        let spread = (config.strategy == Strategy::Spread).then(|| Spread::over(&upstreams));
        Self { config, upstreams, spread, ladder, connections, recovering: AtomicBool::new(false) }
    }

    pub async fn exchange(
        self: &Arc<Self>,
        query: Arc<Outgoing>,
        deadline: Instant,
        reach: Reach,
    ) -> Result<(Exchanged, Source), NoneResponded> {
        if reach != Reach::Ladder && !self.is_private() {
            return Err(self.closed());
        }
        let order = self.order(&query.question.name);
        let mut nobody = if self.has_something_below() && self.is_cut_off() && self.descends_at().is_none() {
            self.resting()
        } else {
            match self.ask_upstreams(order.clone(), &query, deadline).await {
                Ok((exchanged, upstream)) => {
                    let source = upstream.source(exchanged.transport);
                    return Ok((exchanged, source));
                }
                Err(nobody) => nobody,
            }
        };
        if nobody.is_cut_off() && self.has_something_below() {
            self.recover();
            let ladder = self.live_ladder().filter(|_| reach == Reach::Ladder);
            if let Some(ladder) = ladder.filter(|_| self.descends_at().is_none()) {
                match ladder.exchange(query, deadline, &order).await {
                    Ok(answered) => return Ok(answered),
                    Err(failures) => nobody.failures.extend(failures),
                }
            }
        }
        Err(nobody.or_unasked(&self.upstreams))
    }

    async fn ask_upstreams<'a>(
        &'a self,
        order: Vec<&'a Arc<Upstream>>,
        query: &Arc<Outgoing>,
        deadline: Instant,
    ) -> Result<Answered<'a>, NoneResponded> {
        let candidates = self.failing_last(order);
        let looping = candidates.is_empty() && !self.upstreams.is_empty();
        if candidates.is_empty() {
            return Err(NoneResponded { looping, ..NoneResponded::default() });
        }
        let at_once = match self.config.strategy {
            Strategy::Race => RACING,
            _ => 1,
        };
        let first = candidates[0];
        let asked = Instant::now();
        if self.config.strategy == Strategy::Fastest {
            first.pace.explore(asked);
        }
        let connected_by = self.has_something_below().then(|| asked + CONNECTING);
        let result = Attempts::new(candidates, query.clone(), deadline).run(at_once, connected_by).await;
        if self.config.strategy == Strategy::Fastest {
            note_pace(first, asked, &result);
        }
        result
    }

    /// The upstreams for this name, the best first.
    pub fn order(&self, name: &Name) -> Vec<&Arc<Upstream>> {
        let sound = |upstream: &&Arc<Upstream>| !upstream.looping.load(Ordering::Relaxed);
        let mut order: Vec<_> = self.upstreams.iter().filter(sound).collect();
        match (self.config.strategy, &self.spread) {
            (Strategy::Fastest, _) => {
                let now = Instant::now();
                order.sort_by(|one, other| one.pace.expected(now).total_cmp(&other.pace.expected(now)));
            }
            (Strategy::Spread, Some(spread)) => spread.sort(name, &mut order),
            _ => {}
        }
        order
    }

    /// Puts those that failed last time behind the others, and tries them again in the background.
    fn failing_last<'a>(&self, order: Vec<&'a Arc<Upstream>>) -> Vec<&'a Arc<Upstream>> {
        if !order.iter().any(|upstream| upstream.transport.is_failing()) {
            return order;
        }
        let (mut sound, failing): (Vec<_>, Vec<_>) =
            order.into_iter().partition(|upstream| !upstream.transport.is_failing());
        if !sound.is_empty() {
            failing.iter().for_each(|upstream| upstream.transport.nudge());
        }
        sound.extend(failing);
        sound
    }

    /// Where a lease allows it, now or after a consent.
    pub fn may_leave_in_cleartext(&self) -> bool {
        !self.is_private() || !self.config.rungs.is_empty() || self.config.hold
    }

    /// Whether queries to its upstreams are private.
    pub fn is_private(&self) -> bool {
        self.upstreams.iter().all(|upstream| upstream.is_private())
    }

    /// Whether one of them may be asked in cleartext.
    pub fn is_permitted(&self) -> bool {
        self.upstreams.iter().any(|upstream| upstream.lease.as_ref().is_some_and(|lease| !lease.ended()))
    }

    /// Whether each path to each upstream failed last time.
    pub fn is_cut_off(&self) -> bool {
        !self.upstreams.is_empty() && self.upstreams.iter().all(|upstream| upstream.transport.is_cut_off())
    }

    /// The machine has no route to any of them since a network change. The latest of the times at which these were reported.
    pub fn lost_route(&self) -> Option<Instant> {
        let lost: Option<Vec<_>> =
            self.upstreams.iter().map(|upstream| upstream.transport.lost_route()).collect();
        lost?.into_iter().max()
    }

    /// When a lease may be used at the earliest, if not now: until then private paths have their time on the present network.
    pub fn descends_at(&self) -> Option<Instant> {
        let now = Instant::now();
        let interruption = self.connections.network_changes.interruption();
        let tried = |upstream: &Arc<Upstream>| upstream.transport.failed_since(interruption.number);
        let theirs = interruption.at.filter(|_| !self.upstreams.iter().all(tried));
        // A dial for which no packet left has not tried the upstream.
        let route = self.lost_route().map(|lost| lost + KNOWN_WITHIN);
        let restart = self.gone().map(|gone| gone.since + CONNECTING).max();
        theirs.map(|at| at + CONNECTING).max(route).max(restart).filter(|at| now < *at)
    }

    /// When an upstream is dialled next that was reached a moment ago, and restarts.
    pub fn back_at(&self) -> Option<Instant> {
        let now = Instant::now();
        self.gone().filter(|gone| now < gone.since + RETURN).map(|gone| gone.next_dial).min()
    }

    fn gone(&self) -> impl Iterator<Item = Gone> {
        self.upstreams.iter().filter_map(|upstream| upstream.transport.gone())
    }

    /// Whether its lease is not confirmed for the present network.
    pub fn is_suspended(&self) -> bool {
        let of_ladder = self.ladder.as_ref().is_some_and(|ladder| ladder.lease.is_suspended());
        let suspended =
            |upstream: &Arc<Upstream>| upstream.lease.as_ref().is_some_and(|lease| lease.is_suspended());
        of_ladder || self.upstreams.iter().any(|upstream| !upstream.is_private() && suspended(upstream))
    }

    /// Whether one of them did not fail last time.
    pub fn has_path(&self) -> bool {
        self.upstreams.iter().any(|upstream| !upstream.transport.is_failing())
    }

    /// Whether one of them would take a query at once.
    pub fn is_connected(&self) -> bool {
        self.upstreams.iter().any(|upstream| upstream.transport.is_connected())
    }

    pub fn live_ladder(&self) -> Option<&Arc<Ladder>> {
        self.ladder.as_ref().filter(|ladder| !ladder.lease.ended())
    }

    fn has_something_below(&self) -> bool {
        self.config.hold || self.live_ladder().is_some()
    }

    /// Connects to the preferred upstream before a query comes; to all of them, where a strategy uses several.
    pub fn warm_up(&self) {
        let wanted = match self.config.strategy {
            Strategy::Ordered => 1,
            Strategy::Race => RACING,
            Strategy::Fastest | Strategy::Spread => self.upstreams.len(),
        };
        self.upstreams.iter().take(wanted).for_each(|upstream| upstream.transport.nudge());
    }

    /// Tries the private paths again, each as soon as its rest is over, while queries go elsewhere or wait.
    pub fn recover(self: &Arc<Self>) {
        if !self.recovering.swap(true, Ordering::Relaxed) {
            tokio::spawn(keep_trying(Arc::downgrade(self)));
        }
    }

    /// The result for queries that must not leave in cleartext, where no upstream is private.
    fn closed(&self) -> NoneResponded {
        let failures =
            self.upstreams.iter().map(|upstream| (upstream.id, Failure::NotPermitted(LeaseError::Withheld)));
        NoneResponded { failures: failures.collect(), ..NoneResponded::default() }
    }

    /// The result for queries that do not wait for the end of the rest.
    fn resting(&self) -> NoneResponded {
        let failure = |upstream: &Arc<Upstream>| {
            let condition = upstream.transport.condition();
            let left = Duration::from_millis(condition.resting_ms);
            Failure::resting(left, condition.last_error.as_ref())
        };
        let failures = self.upstreams.iter().map(|upstream| (upstream.id, failure(upstream))).collect();
        NoneResponded { failures, ..NoneResponded::default() }
    }
}

async fn keep_trying(group: Weak<Group>) {
    while let Some(group) = group.upgrade() {
        if !group.is_cut_off() || !group.has_something_below() {
            group.recovering.store(false, Ordering::Relaxed);
            return;
        }
        group.upstreams.iter().for_each(|upstream| upstream.transport.nudge());
        drop(group);
        sleep(RETRY).await;
    }
}

/// `first` is the upstream that was expected to be the fastest.
fn note_pace(first: &Arc<Upstream>, asked: Instant, result: &Result<Answered<'_>, NoneResponded>) {
    let now = Instant::now();
    let winner = result.as_ref().ok();
    if let Some((exchanged, upstream)) = winner {
        upstream.pace.note(exchanged.wait, now);
    }
    if winner.is_none_or(|(_, upstream)| !Arc::ptr_eq(upstream, first)) {
        first.pace.note(now - asked, now);
    }
}
