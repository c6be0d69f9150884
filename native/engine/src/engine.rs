//! The engine as its owner uses it: it is started once, configured as a whole, and stopped when every query has its response.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use crate::audit::report::AuditReport;
use crate::cache::flush::Filter;
use crate::cache::show::Shown;
use crate::config::{ConfigError, EngineConfig};
use crate::counts::Counts;
use crate::events::courier::{Deliver, Events};
use crate::events::event;
use crate::events::event::Event;
use crate::events::names::Names;
use crate::explain::{self, Explanation, SupposedAsker};
use crate::in_force::InForce;
use crate::outcome::ClientProtocol;
use crate::pipeline::{Begun, Pipeline};
pub use crate::portal::Purpose;
use crate::probe::{self, report::ProbeReport};
use crate::query::{Client, NOBODY};
use crate::side_by_side::{self, ResponseOfOne};
use crate::snapshot::{Lasting, Snapshot};
use crate::status::EngineStatus;
use crate::supposition::Supposition;
use crate::upstream::dial::sockets::System;
use crate::upstream::transport::surroundings::Transports;
use crate::wire::name::Name;
use crate::{cryptography, portal};

/// Longer than any query may take.
const DRAIN: Duration = Duration::from_secs(5);

pub struct Engine {
    in_force: Arc<InForce>,
    runtime: Handle,
    quit: Mutex<Option<oneshot::Sender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The result of a query that was sent through the pipeline by the owner.
pub struct Asked {
    pub response: Vec<u8>,
    /// one event record
    pub event: Vec<u8>,
}

impl Asked {
    fn of((response, event): (Vec<u8>, Option<Event>)) -> Self {
        let mut octets = Vec::new();
        if let Some(event) = &event {
            event::append(event, &Names::default(), &mut octets);
        }
        Self { response, event: octets }
    }
}

/// `counts`: the query counts as a client's.
async fn ask(
    pipeline: Arc<Pipeline>,
    protocol: ClientProtocol,
    query: Vec<u8>,
    counts: bool,
) -> (Vec<u8>, Option<Event>) {
    let client = Client::now(protocol, NOBODY, NOBODY);
    let mut response = Vec::new();
    let work = pipeline.working.start();
    let noted = match pipeline.begin(&query, client, &mut response) {
        Begun::Waiting(waiting) => Some(pipeline.finish(waiting, &mut response).await),
        Begun::Replied(noted) => noted,
        Begun::Silence => None,
    };
    let event = noted.as_ref().and_then(|noted| noted.event.as_deref().cloned());
    if counts {
        pipeline.note(noted);
    }
    drop(work);
    (response, event)
}

impl Engine {
    /// Starts the engine's thread. `deliver` takes batches of event records; `on_change` is called when
    /// [`Engine::status`] would read differently. `counts`: where packets sent in cleartext are counted.
    pub fn start(
        deliver: Deliver,
        on_change: Arc<dyn Fn() + Send + Sync>,
        counts: Counts,
    ) -> std::io::Result<Self> {
        cryptography::make_ready();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut engine = Self::within(runtime.handle().clone(), Arc::new(System), deliver, on_change, counts);
        let (quit, quitting) = oneshot::channel();
        let thread = std::thread::Builder::new().name("sotto-engine".into()).spawn(move || {
            // Without this thread no query is answered and no sign of life is sent. The process ends at once, so that the
            // guardian or systemd starts it again.
            let work = AssertUnwindSafe(|| runtime.block_on(quitting));
            if catch_unwind(work).is_err() {
                std::process::abort();
            }
        })?;
        engine.quit = Mutex::new(Some(quit));
        engine.thread = Mutex::new(Some(thread));
        Ok(engine)
    }

    /// Runs on the caller's runtime, and sends packets through these sockets.
    pub fn within(
        runtime: Handle,
        transports: Arc<dyn Transports>,
        deliver: Deliver,
        on_change: Arc<dyn Fn() + Send + Sync>,
        counts: Counts,
    ) -> Self {
        let lasting = Lasting::new(transports, counts, on_change);
        let snapshot = Snapshot::compile(EngineConfig::nothing(), None, &lasting)
            .expect("a configuration of nothing holds no error");
        let pipeline = Pipeline::new(snapshot, Events::start(deliver), &lasting);
        let in_force = Arc::new(InForce::new(pipeline, lasting));
        Self { in_force, runtime, quit: Mutex::default(), thread: Mutex::default() }
    }

    /// Puts a configuration into force, whole or not at all.
    pub async fn apply(&self, config: EngineConfig) -> Result<(), ConfigError> {
        let in_force = self.in_force.clone();
        self.run(async move { in_force.apply(config).await }).await
    }

    pub fn status(&self) -> EngineStatus {
        let listening = self.in_force.listening();
        EngineStatus::of(&self.in_force.pipeline, listening, &self.in_force.lasting)
    }

    /// After waking up, or when a link has come back, open connections may lead nowhere. They are made anew, and queries that
    /// found no path are sent again.
    pub fn reconnect(&self) {
        let _inside = self.runtime.enter();
        let network_change = self.in_force.network_change();
        self.in_force.lasting.connections.network_changes.interrupt(Instant::now());
        let snapshot = self.in_force.pipeline.snapshot.load_full();
        snapshot.forget_hot_names();
        snapshot.upstreams.all.iter().for_each(|upstream| upstream.transport.abandon(network_change));
        snapshot.upstreams.groups.iter().for_each(|group| group.warm_up());
        self.in_force.lasting.holding.changed();
    }

    /// Links, addresses or routes are changing right now. `gone`: the addresses that the machine has lost; `changes`: how often it
    /// may have left its network so far. It is not known yet which network comes next. Still, connections from a lost address lead
    /// nowhere, an upstream that could not be reached may be reachable, and each lease was for the network before.
    pub fn stirred(&self, gone: &[IpAddr], changes: u64) {
        let _inside = self.runtime.enter();
        let is_network_change = self.in_force.lasting.change_count.note(changes, Instant::now());
        let network_change = self.in_force.network_change();
        let snapshot = self.in_force.pipeline.snapshot.load_full();
        if is_network_change {
            snapshot.forget_hot_names();
            self.in_force.lasting.connections.network_changes.interrupt(Instant::now());
            snapshot.ladders().for_each(|ladder| ladder.abandon(network_change));
            let in_cleartext = snapshot.upstreams.all.iter().filter(|upstream| !upstream.is_private());
            in_cleartext.for_each(|upstream| upstream.transport.abandon(network_change));
        }
        for upstream in &snapshot.upstreams.all {
            gone.iter().for_each(|address| upstream.transport.lose(*address, network_change));
            upstream.transport.try_again();
        }
        self.in_force.lasting.holding.changed();
    }

    /// Asks as a client would. The event goes to the log as any other and is also returned.
    pub async fn ask(&self, query: Vec<u8>) -> Asked {
        Asked::of(self.ask_as(ClientProtocol::Control, query).await)
    }

    /// The same, to see whether it works. It is no client's query, so it is neither counted nor kept.
    pub async fn try_out(&self, query: Vec<u8>) -> Asked {
        let pipeline = self.in_force.pipeline.clone();
        Asked::of(self.run(ask(pipeline, ClientProtocol::Control, query, false)).await)
    }

    /// Asks as a client of this protocol would. The response is empty where the engine stays silent.
    pub async fn ask_as(&self, protocol: ClientProtocol, query: Vec<u8>) -> (Vec<u8>, Option<Event>) {
        let pipeline = self.in_force.pipeline.clone();
        self.run(ask(pipeline, protocol, query, true)).await
    }

    /// The ledger has these counts, by entry, on disk.
    pub fn counted(&self, counts: impl IntoIterator<Item = (u64, u64)>) {
        let snapshot = self.in_force.pipeline.snapshot.load();
        for (entry, count) in counts {
            let leases = snapshot.leases.iter().chain(&snapshot.revoked);
            leases.filter(|lease| lease.entry == entry).for_each(|lease| lease.written(count));
        }
    }

    /// Which programs reach addresses that no response gave. `None`: nobody wants to know.
    pub async fn audit(&self) -> Option<AuditReport> {
        self.in_force.pipeline.audit.report().await
    }

    /// Forgets the addresses that responses gave, and what the audit found.
    pub fn forget_audit(&self) {
        self.in_force.pipeline.audit.forget();
    }

    pub fn flush_cache(&self) {
        self.forget(None);
    }

    /// Without a filter, removes everything. Returns how many responses were removed.
    pub fn forget(&self, filter: Option<&Filter>) -> usize {
        let snapshot = self.in_force.pipeline.snapshot.load();
        snapshot.forget_hot_names();
        snapshot.cache.flush(filter)
    }

    /// Makes a name that is answered here, and notes when a query for it arrives, whichever way it comes.
    pub fn expect_probe(&self) -> String {
        self.in_force.pipeline.arrivals.expect()
    }

    /// Whether a query for that name has arrived. The name is forgotten afterwards.
    pub fn probe_arrived(&self, name: &Name) -> bool {
        self.in_force.pipeline.arrivals.has_arrived(name)
    }

    pub fn show_cache(&self, name: &Name) -> Vec<Shown> {
        let pipeline = &self.in_force.pipeline;
        pipeline.snapshot.load().cache.show(name, pipeline.clock.now())
    }

    /// What would happen to a query now. `None`: such a query is never resolved.
    pub fn explain(&self, query: &[u8], asker: &SupposedAsker) -> Option<Explanation> {
        explain::explain(&self.in_force.pipeline, query, asker)
    }

    /// A configuration beside the one in force, to be asked about many queries. Takes as long as it takes to compile both, so it is
    /// called from a thread that no query waits for.
    pub fn suppose(&self, config: EngineConfig) -> Result<Supposition, ConfigError> {
        Supposition::new(config, &self.in_force.pipeline, self.in_force.lasting.transports.clone())
    }

    /// Sends one query to one upstream of its group, over that upstream's own connection. `None`: by policy it must not get it.
    pub async fn ask_upstream(&self, id: &str, query: Vec<u8>) -> Option<ResponseOfOne> {
        let snapshot = self.in_force.pipeline.snapshot.load_full();
        let id = id.to_owned();
        self.run(async move { side_by_side::ask(&snapshot, &id, &query).await }).await
    }

    /// Asks the network's own resolvers and no others: a probe, or a query of a login under its lease. Empty: no response.
    pub async fn ask_network(&self, query: Vec<u8>, purpose: Purpose) -> Vec<u8> {
        let pipeline = self.in_force.pipeline.clone();
        self.run(async move {
            let work = pipeline.working.start();
            let (response, noted) = portal::ask_network(&pipeline, &query, purpose).await.unwrap_or_default();
            pipeline.note(noted);
            drop(work);
            response
        })
        .await
    }

    /// A login has ended. Drops what was learned before, because it may have come from the portal.
    pub fn forget_captivity(&self) {
        portal::forget_captivity(&self.in_force.pipeline.snapshot.load(), &self.in_force.lasting);
    }

    /// A fresh connection to a configured upstream, and one query over it. `None`: there is no such upstream.
    pub async fn test_upstream(&self, id: &str) -> Option<ProbeReport> {
        let snapshot = self.in_force.pipeline.snapshot.load_full();
        let upstream = snapshot.upstreams.all.iter().find(|upstream| upstream.id == id)?.clone();
        let memory = self.in_force.lasting.memory.clone();
        let connections = self.in_force.lasting.connections.clone();
        let (config, lease) = (upstream.config.clone(), upstream.lease.clone());
        for address in &config.addresses {
            memory.forget(*address);
        }
        let report =
            self.run(async move { probe::upstream(&config, memory, connections, lease).await }).await;
        if report.ok {
            upstream.transport.nudge();
        }
        Some(report)
    }

    /// Drops what would let upstreams recognise this machine: tickets of every network, open connections, and cookies. `None`: of
    /// all upstreams. `with_evidence`: also what they have proved, without which no attack on them is seen. Returns how many tickets
    /// there were.
    pub fn forget_us(&self, upstream: Option<&str>, with_evidence: bool) -> usize {
        self.in_force.lasting.connections.forget_paths();
        let _inside = self.runtime.enter();
        let snapshot = self.in_force.pipeline.snapshot.load_full();
        let meant = |id: &str| upstream.is_none_or(|wanted| wanted == id);
        let upstreams: Vec<_> = snapshot.upstreams.all.iter().filter(|one| meant(one.id)).collect();
        upstreams.iter().for_each(|upstream| upstream.transport.retire());
        if with_evidence {
            let noted: Vec<_> = upstreams.iter().flat_map(|one| one.config.noted_as()).collect();
            self.in_force.lasting.memory.downgrade_evidence.forget_known(|known| {
                upstream.is_none() || noted.iter().any(|one| one.is_same_server(known))
            });
        }
        snapshot.ladders().for_each(|ladder| ladder.retire());
        self.in_force.lasting.cookies.forget();
        self.in_force.lasting.ticket_store.forget(upstream)
    }

    /// Runs `beat` on the engine's own thread again and again while the engine lives. A thread that hangs misses a beat.
    pub fn every(&self, pause: Duration, beat: impl Fn() + Send + 'static) {
        self.runtime.spawn(async move {
            loop {
                beat();
                sleep(pause).await;
            }
        });
    }

    /// An empty batch follows the events of all queries that have been responded to. To be called again only after it.
    pub async fn mark_events(&self) {
        let in_force = self.in_force.clone();
        // on the thread that notes an event in the same step in which it responds
        self.run(async move { in_force.pipeline.events.mark() }).await;
    }

    /// Stops listening, responds to what is in flight, delivers the last events.
    pub async fn stop(&self) {
        self.in_force.doors().clear();
        let in_force = self.in_force.clone();
        self.run(async move {
            let _ = timeout(DRAIN, in_force.pipeline.working.finished()).await;
            for upstream in &in_force.pipeline.snapshot.load().upstreams.all {
                upstream.transport.retire();
            }
        })
        .await;
        self.in_force.pipeline.events.finish();
    }

    /// Runs work on the engine's own thread, because the caller may live on another runtime.
    async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.runtime.spawn(work).await.expect("the engine's work does not panic")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let quit = self.quit.get_mut().ok().and_then(Option::take);
        drop(quit);
        if let Some(thread) = self.thread.get_mut().ok().and_then(Option::take) {
            let _ = thread.join();
        }
    }
}
