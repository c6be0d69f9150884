//! Node-API exports of the engine, and nothing else. `Json<T>` is a text that holds a `T` (`app/service/engine/boundary.ts`).

pub mod bus;
pub mod inherited;
mod network;
pub mod peer;
pub mod sockets;

use std::path::Path;
use std::sync::{Arc, Mutex};

use napi::Status;
use napi::bindgen_prelude::{Buffer, Error, Function, Result, spawn_blocking};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use sotto_engine::cache::flush::Filter;
use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::describe;
use sotto_engine::engine::{self, Purpose};
use sotto_engine::explain::SupposedAsker;
use sotto_engine::probe::report::Step;
use sotto_engine::probe::{self, ProbeRequest};
use sotto_engine::supposition;
use sotto_engine::wire::header;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;

/// Forwarding a query makes and frees a dozen small objects; with the system's allocator, that would be a quarter of its cost.
/// mimalloc is used without huge pages, for the whole process: the first octets of each of two threads would take 4 MB.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// When Node is this many batches behind, further ones are dropped and counted.
const BATCHES_BEHIND: usize = 128;

type OnEvents = ThreadsafeFunction<Buffer, (), Buffer, Status, false, true, BATCHES_BEHIND>;
type OnChange = ThreadsafeFunction<(), (), (), Status, false, true, 16>;
type OnStep = ThreadsafeFunction<String, (), String, Status, false, true>;

/// The data plane. A process needs one.
#[napi]
pub struct Engine {
    inner: Arc<engine::Engine>,
}

#[napi(object)]
pub struct EngineOptions {
    /// Path of the file in which packets sent in cleartext are counted (docs/design/policy.md). It is begun afresh: what it held
    /// must have been read before. If it can't be created, configurations with a lease are refused.
    pub counts: Option<String>,
}

/// The count of an entry that the ledger has on disk.
#[napi(object)]
pub struct Counted {
    pub entry: i64,
    pub count: i64,
}

#[napi(object)]
pub struct Asked {
    pub response: Buffer,
    /// one event record; empty where the query could not be read
    pub event: Buffer,
}

#[napi]
impl Engine {
    /// Starts the engine's thread; nothing listens before `apply`. `onChange` says that `status` would return something else now.
    #[napi(constructor)]
    pub fn new(
        on_events: Function<Buffer, ()>,
        on_change: Function<(), ()>,
        options: Option<EngineOptions>,
    ) -> Result<Self> {
        let on_events: OnEvents = on_events
            .build_threadsafe_function()
            .weak::<true>()
            .max_queue_size::<BATCHES_BEHIND>()
            .build()?;
        let on_change: OnChange =
            on_change.build_threadsafe_function().weak::<true>().max_queue_size::<16>().build()?;
        let deliver = move |batch: Vec<u8>| {
            on_events.call(batch.into(), ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
        };
        let changed = move || {
            on_change.call((), ThreadsafeFunctionCallMode::NonBlocking);
        };
        let file = options.and_then(|options| options.counts);
        let counts = file.map_or(Counts::InMemory, |file| Counts::in_file(Path::new(&file)));
        let inner = engine::Engine::start(Box::new(deliver), Arc::new(changed), counts)
            .map_err(|error| Error::from_reason(format!("the engine can't start: {error}")))?;
        inherited::take_over(&inner);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Puts a configuration into force, whole or not at all. Rejects with a message that is JSON `ConfigError`.
    #[napi(ts_args_type = "config: Json<engine.EngineConfig>")]
    pub async fn apply(&self, config: String) -> Result<()> {
        let applied = match EngineConfig::parse(&config) {
            Ok(config) => self.inner.apply(config).await,
            Err(error) => Err(error),
        };
        applied.map_err(|error| Error::from_reason(json(&error)))
    }

    /// What the engine is doing now.
    #[napi(ts_return_type = "Json<engine.EngineStatus>")]
    pub fn status(&self) -> String {
        json(&self.inner.status())
    }

    /// The ledger has these counts on disk. The count of a lease that has ended may be dropped then.
    #[napi]
    pub fn counted(&self, counts: Vec<Counted>) {
        self.inner.counted(counts.iter().map(|one| (one.entry.cast_unsigned(), one.count.cast_unsigned())));
    }

    /// Sends a query through the pipeline, as a client would.
    #[napi]
    pub async fn ask(&self, query: Buffer) -> Asked {
        let asked = self.inner.ask(query.to_vec()).await;
        Asked { response: asked.response.into(), event: asked.event.into() }
    }

    /// The same, to see whether it works: it is neither counted nor cached.
    #[napi]
    pub async fn try_out(&self, query: Buffer) -> Asked {
        let asked = self.inner.try_out(query.to_vec()).await;
        Asked { response: asked.response.into(), event: asked.event.into() }
    }

    /// Which programs reach addresses that no response gave. Null: the configuration wants no audit.
    #[napi(ts_return_type = "Promise<Json<engine.AuditReport> | null>")]
    pub async fn audit(&self) -> Option<String> {
        self.inner.audit().await.map(|report| json(&report))
    }

    /// Begins the audit anew, without the addresses that responses gave and without what it found.
    #[napi]
    pub fn forget_audit(&self) {
        self.inner.forget_audit();
    }

    /// Without a filter everything is removed. Returns how many responses were; throws if the filter's name is no name.
    #[napi(ts_args_type = "filter?: Json<engine.CacheFilter>")]
    pub fn flush_cache(&self, filter: Option<String>) -> Result<u32> {
        let filter = filter.map(|filter| Filter::parse(&filter)).transpose();
        let filter = filter.map_err(|error| Error::from_reason(error.message))?;
        Ok(self.inner.forget(filter.as_ref()) as u32)
    }

    /// What the cache holds of one name. Throws if it is no name.
    #[napi(ts_return_type = "Json<engine.CacheEntry[]>")]
    pub fn show_cache(&self, name: String) -> Result<String> {
        let parsed = Name::parse(&name).map_err(|malformed| {
            Error::from_reason(format!("{name:?} is no domain name: {}", malformed.0))
        })?;
        Ok(json(&self.inner.show_cache(&parsed)))
    }

    /// Makes a name of our own, with its last dot. It is answered on this machine, and the engine notes when a query for it
    /// arrives.
    #[napi]
    pub fn expect_probe(&self) -> String {
        self.inner.expect_probe()
    }

    /// Whether a query for a name of `expectProbe` has arrived. The name is forgotten afterwards.
    #[napi]
    pub fn probe_arrived(&self, name: String) -> bool {
        Name::parse(&name).is_ok_and(|name| self.inner.probe_arrived(&name))
    }

    /// What would happen to this query now, if it came from this asker. Null: such a query is never resolved.
    #[napi(
        ts_args_type = "query: Buffer, asker: Json<engine.SupposedAsker>",
        ts_return_type = "Json<engine.Explanation> | null"
    )]
    pub fn explain(&self, query: Buffer, asker: String) -> Result<Option<String>> {
        let asker: SupposedAsker =
            serde_json::from_str(&asker).map_err(|error| Error::from_reason(error.to_string()))?;
        Ok(self.inner.explain(&query, &asker).map(|explanation| json(&explanation)))
    }

    /// A configuration beside the one in force, to be asked about many queries. Rejects with a message that is JSON
    /// `ConfigError`. No query waits for it.
    #[napi(ts_args_type = "config: Json<engine.EngineConfig>", ts_return_type = "Promise<Supposition>")]
    pub async fn suppose(&self, config: String) -> Result<Supposition> {
        let engine = self.inner.clone();
        let supposed = aside(move || {
            EngineConfig::parse(&config)
                .and_then(|config| engine.suppose(config))
                .map_err(|error| json(&error))
        });
        let supposed = supposed.await?.map_err(Error::from_reason)?;
        Ok(Supposition { inner: Mutex::new(Some(Arc::new(supposed))) })
    }

    /// Sends one query to one upstream of its group, over that upstream's own connection. Null: by policy this upstream must not
    /// get it.
    #[napi(ts_return_type = "Promise<Json<engine.ResponseOfOne> | null>")]
    pub async fn ask_upstream(&self, id: String, query: Buffer) -> Option<String> {
        let response = self.inner.ask_upstream(&id, query.to_vec()).await;
        response.map(|response| json(&response))
    }

    /// Asks the network's own resolvers and no others: a probe, or a query of a login under its lease. Empty: no response.
    #[napi]
    pub async fn ask_network(&self, query: Buffer, of_login: bool) -> Buffer {
        let purpose = if of_login { Purpose::Login } else { Purpose::Probe };
        self.inner.ask_network(query.to_vec(), purpose).await.into()
    }

    /// A login has ended. Drops what was learned before, because it may have come from the portal.
    #[napi]
    pub fn forget_captivity(&self) {
        self.inner.forget_captivity();
    }

    /// Opens a fresh connection, authenticates it, and sends one query. Rejects an unknown id.
    #[napi(ts_return_type = "Promise<Json<engine.ProbeReport>>")]
    pub async fn test_upstream(&self, id: String) -> Result<String> {
        match self.inner.test_upstream(&id).await {
            Some(report) => Ok(json(&report)),
            None => Err(Error::from_reason(format!("there is no upstream {id:?}"))),
        }
    }

    /// Drops everything by which an upstream could recognise this machine; without an id, for all upstreams. With
    /// evidence: also what they have proved, without which no attack on them is seen. Returns how many tickets there were.
    #[napi]
    pub fn forget_upstream(&self, id: Option<String>, with_evidence: bool) -> u32 {
        self.inner.forget_us(id.as_deref(), with_evidence) as u32
    }

    /// After waking up, or when a link has come back: opens connections anew, and queries that wait are sent again.
    #[napi]
    pub fn reconnect(&self) {
        self.inner.reconnect();
    }

    /// `onEvents` gets an empty batch behind the events of all queries that have been responded to. To be called again only after it.
    #[napi]
    pub async fn mark_events(&self) {
        self.inner.mark_events().await;
    }

    /// Stops listening, responds to what is in flight, delivers the last events.
    #[napi]
    pub async fn stop(&self) {
        self.inner.stop().await;
    }
}

/// A configuration beside the one in force, and what is known so far of the queries that were added.
#[napi]
pub struct Supposition {
    /// none after `end`
    inner: Mutex<Option<Arc<supposition::Supposition>>>,
}

#[napi]
impl Supposition {
    /// Decides about these queries, too. Rejects after `end`.
    #[napi(ts_args_type = "queries: Json<engine.SupposedQueries>")]
    pub async fn add(&self, queries: String) -> Result<()> {
        let supposed = self.given()?;
        let added = aside(move || {
            let queries = serde_json::from_str(&queries).map_err(|error| error.to_string())?;
            supposed.add(&queries);
            Ok(())
        });
        added.await?.map_err(|why: String| Error::from_reason(why))
    }

    /// Of all queries that were added. Throws after `end`.
    #[napi(ts_return_type = "Json<engine.Simulated>")]
    pub fn result(&self) -> Result<String> {
        Ok(json(&self.given()?.result()))
    }

    /// Lets go of both configurations.
    #[napi]
    pub fn end(&self) {
        if let Ok(mut inner) = self.inner.lock() {
            *inner = None;
        }
    }

    fn given(&self) -> Result<Arc<supposition::Supposition>> {
        let given = self.inner.lock().ok().and_then(|inner| inner.clone());
        given.ok_or_else(|| Error::from_reason("this supposition has ended"))
    }
}

/// Runs work that takes long on a thread of its own, neither the engine's nor Node's.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|error| Error::from_reason(error.to_string()))
}

/// One query to one server, without a service. Steps are reported as they happen.
#[napi(
    ts_args_type = "request: Json<engine.ProbeRequest>, onStep: (step: Json<engine.ProbeStep>) => void",
    ts_return_type = "Promise<Json<engine.ProbeReport>>"
)]
pub async fn probe(request: String, on_step: OnStep) -> Result<String> {
    let request: ProbeRequest =
        serde_json::from_str(&request).map_err(|error| Error::from_reason(error.to_string()))?;
    let told = move |step: &Step| {
        on_step.call(json(step), ThreadsafeFunctionCallMode::Blocking);
    };
    match probe::run(request, &told).await {
        Ok(report) => Ok(json(&report)),
        Err(error) => Err(Error::from_reason(error.message)),
    }
}

/// A query with RD, for the name in presentation form and the type as a mnemonic or TYPE65280.
#[napi]
pub fn encode_query(name: String, r#type: String) -> Result<Buffer> {
    let wrong =
        |what: &str, text: &str, why: &str| Error::from_reason(format!("{text:?} is no {what}: {why}"));
    let parsed = Name::parse(&name).map_err(|malformed| wrong("domain name", &name, malformed.0))?;
    let kind = describe::parse_type(&r#type)
        .ok_or_else(|| wrong("record type", &r#type, "use a mnemonic such as AAAA, or TYPE65280"))?;
    Ok(Question { name: parsed, kind, class: types::IN }.query(0, header::RD).into())
}

/// Header, question, sections in presentation form, EDNS.
#[napi(ts_return_type = "Json<engine.Description>")]
pub fn describe(message: Buffer) -> Result<String> {
    match describe::describe(&message) {
        Ok(description) => Ok(json(&description)),
        Err(malformed) => Err(Error::from_reason(malformed.to_string())),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("these values have no maps with odd keys")
}
