//! The settings in force: the pipeline with its listeners, and how a configuration replaces the one before it, whole.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::time::{Instant, sleep_until};

use crate::ahead::ask_ahead;
use crate::config::{ConfigError, EngineConfig};
use crate::listen::door::{Bound, Door, Unbound, all_elsewhere};
use crate::listen::here::is_here;
use crate::outcome::ClearClass;
use crate::pipeline::Pipeline;
use crate::snapshot::{Lasting, Snapshot};
use crate::upstream::clear::lease::Lease;
use crate::zone;

pub(crate) struct InForce {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) lasting: Lasting,
    doors: Mutex<Vec<Door>>,
    /// one configuration is applied at a time
    applying: tokio::sync::Mutex<()>,
}

impl InForce {
    pub(crate) fn new(pipeline: Pipeline, lasting: Lasting) -> Self {
        let pipeline = Arc::new(pipeline);
        Self { pipeline, lasting, doors: Mutex::default(), applying: tokio::sync::Mutex::default() }
    }

    pub(crate) async fn apply(self: Arc<Self>, config: EngineConfig) -> Result<(), ConfigError> {
        let _one_at_a_time = self.applying.lock().await;
        let before = self.pipeline.snapshot.load_full();
        let snapshot = self.compiled(config, before.clone()).await?;
        let wanted = snapshot.config.listen.clone();
        let new = self.bind_new(&wanted)?;

        // nothing fails from here on
        let snapshot = Arc::new(snapshot);
        self.pipeline.events.set_wanted(snapshot.config.events);
        self.pipeline.attributor.set_wanted(snapshot.config.programs);
        self.pipeline.audit.set_wanted(snapshot.config.audit);
        self.lasting.connections.set(snapshot.config.connections);
        self.pipeline.snapshot.store(snapshot.clone());
        self.set_hot(&before, &snapshot);
        if snapshot.config.upstreams != before.config.upstreams {
            snapshot.cache.failures.clear();
        }
        if snapshot.generation != before.generation {
            snapshot.cache.flush_other_generations(snapshot.generation);
            self.lasting.cookies.forget();
            self.pipeline.plain.forget();
        }
        self.pipeline.loops.configured(&before.config, &snapshot.config);
        let opened = new.into_iter().map(|bound| bound.open(&self.pipeline));
        let mut doors = self.doors();
        doors.extend(opened);
        doors.retain(|door| wanted.contains(&door.asked_for));
        drop(doors);
        self.lasting.memory.downgrade_evidence.know(&snapshot.config.known_private);
        self.retire_removed(&before, &snapshot);
        self.renew_leases(&before, &snapshot);
        self.confirm_leases(&before, &snapshot);
        snapshot.upstreams.groups.iter().for_each(|group| group.warm_up());
        self.lasting.holding.changed();
        (self.lasting.on_change)();
        Ok(())
    }

    fn set_hot(&self, before: &Snapshot, snapshot: &Snapshot) {
        let (old, new) = (&before.hot_set, &snapshot.hot_set);
        let goes_on = old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| Arc::ptr_eq(old, new));
        old.iter().for_each(|old| if goes_on { old.look_again() } else { old.clear() });
        if let Some(new) = new.as_ref().filter(|_| !goes_on) {
            tokio::spawn(ask_ahead(Arc::downgrade(&self.pipeline), new.clone()));
        }
    }

    /// On a thread of its own, because a hundred thousand names take longer than a query may wait.
    async fn compiled(
        self: &Arc<Self>,
        config: EngineConfig,
        before: Arc<Snapshot>,
    ) -> Result<Snapshot, ConfigError> {
        let in_force = self.clone();
        let compile = move || Snapshot::compile(config, Some(&before), &in_force.lasting);
        tokio::task::spawn_blocking(compile).await.expect("compiling does not panic")
    }

    pub(crate) fn network_change(&self) -> u64 {
        self.lasting.connections.network_changes.note(Instant::now())
    }

    /// On another network, connections lead nowhere, and queries in flight are sent again. Elsewhere they may end in their own
    /// time.
    fn retire_removed(&self, before: &Snapshot, after: &Snapshot) {
        let ongoing = self.lasting.connections.network_changes.ongoing(Instant::now());
        let network_change = (before.generation != after.generation).then(|| ongoing.unwrap_or(u64::MAX));
        let kept = |old: &Arc<_>| after.upstreams.all.iter().any(|new| Arc::ptr_eq(new, old));
        for upstream in before.upstreams.all.iter().filter(|old| !kept(old)) {
            network_change.into_iter().for_each(|network_change| upstream.transport.abandon(network_change));
            upstream.transport.retire();
        }
        let climbs = |ladder: &Arc<_>| after.ladders().any(|new| Arc::ptr_eq(new, ladder));
        before.ladders().filter(|ladder| !climbs(ladder)).for_each(|ladder| ladder.retire());
    }

    /// An address that is none of this machine now keeps nobody from listening on the others: IPv6 may be switched off. Where all of
    /// them are, nothing was started that could answer.
    fn bind_new(&self, wanted: &[SocketAddr]) -> Result<Vec<Bound>, ConfigError> {
        let open: Vec<_> = self.doors().iter().map(|door| door.asked_for).collect();
        let mut bound = Vec::new();
        for (index, address) in wanted.iter().enumerate().filter(|(_, address)| !open.contains(address)) {
            match Bound::bind(*address, index) {
                Ok(new) => bound.push(new),
                Err(Unbound::Elsewhere) => {}
                Err(Unbound::Refused(error)) => return Err(error),
            }
        }
        let here = wanted.is_empty() || wanted.iter().any(|address| is_here(*address));
        if here { Ok(bound) } else { Err(all_elsewhere(wanted[0], 0)) }
    }

    /// Where queries are answered, and the addresses of the settings that are none of this machine now.
    pub(crate) fn listening(&self) -> (Vec<SocketAddr>, Vec<String>) {
        let open = self.doors().iter().map(|door| (door.asked_for, door.address)).collect::<Vec<_>>();
        let here = open.into_iter().filter(|(asked_for, _)| is_here(*asked_for));
        let wanted = &self.pipeline.snapshot.load().config.listen;
        let elsewhere = wanted.iter().filter(|address| !is_here(**address));
        (here.map(|(_, address)| address).collect(), elsewhere.map(zone::written).collect())
    }

    /// Leases that are gone end. Those whose end was changed last as long as the ledger says now.
    fn renew_leases(&self, before: &Snapshot, snapshot: &Snapshot) {
        for lease in &snapshot.revoked {
            lease.revoke();
            if lease.class == ClearClass::Policy {
                snapshot.cache.forget_unauthenticated();
            }
        }
        for (config, lease) in snapshot.config.leases.iter().zip(&snapshot.leases) {
            let is_new = !before.leases.iter().any(|old| Arc::ptr_eq(old, lease));
            if lease.renew(config.until) || is_new {
                self.watch_lease(lease);
                // a query that failed may succeed now
                snapshot.cache.failures.clear();
            }
        }
    }

    /// This decision of the control plane knew so many network changes. If the one before knew fewer, queries that wait for a
    /// path wait their full time from now on.
    fn confirm_leases(&self, before: &Snapshot, snapshot: &Snapshot) {
        let changes = snapshot.config.network_changes;
        if changes > before.config.network_changes && self.lasting.change_count.knows(changes) {
            self.lasting.connections.network_changes.interrupt(Instant::now());
            snapshot.upstreams.all.iter().for_each(|upstream| upstream.transport.try_again());
        }
        snapshot.leases.iter().for_each(|lease| lease.confirm(changes));
    }

    /// When the lease ends, the status that people see changes, and responses that came under it are dropped. The lease ends by
    /// itself.
    fn watch_lease(&self, lease: &Arc<Lease>) {
        let Some(deadline) = lease.deadline() else { return };
        let (lease, on_change) = (lease.clone(), self.lasting.on_change.clone());
        let pipeline = Arc::downgrade(&self.pipeline);
        tokio::spawn(async move {
            sleep_until(deadline).await;
            let spoken_for = !lease.ended() || lease.class != ClearClass::Policy;
            if let Some(pipeline) = pipeline.upgrade().filter(|_| !spoken_for) {
                pipeline.snapshot.load().cache.forget_unauthenticated();
            }
            on_change();
        });
    }

    pub(crate) fn doors(&self) -> MutexGuard<'_, Vec<Door>> {
        self.doors.lock().expect("nothing panics while holding the doors")
    }
}
