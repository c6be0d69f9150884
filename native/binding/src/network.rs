//! The network watch for Node (docs/design/network-watch.md).

use std::sync::{Arc, OnceLock};

use napi::Status;
use napi::bindgen_prelude::{Error, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use sotto_engine::engine;
use sotto_watch::{Event, Watch};

use crate::Engine;

/// Events are few, and none may be lost: the queue has no limit.
type OnEvent = ThreadsafeFunction<String, (), String, Status, false, true>;

/// Which network this machine is on, and when its clock jumps. Does not keep the process alive.
#[napi]
pub struct NetworkWatch {
    inner: Watch,
    engine: Arc<OnceLock<Arc<engine::Engine>>>,
}

#[napi]
impl NetworkWatch {
    /// Throws on a system without a watch.
    #[napi(constructor, ts_args_type = "onEvent: (event: Json<kernel.NetworkEvent>) => void")]
    pub fn new(on_event: Function<String, ()>) -> Result<Self> {
        let on_event: OnEvent = on_event.build_threadsafe_function().weak::<true>().build()?;
        let engine: Arc<OnceLock<Arc<engine::Engine>>> = Arc::default();
        let warned = engine.clone();
        let deliver = move |event: Event| {
            if let Some(engine) = warned.get() {
                warn(engine, &event);
            }
            if !matches!(event, Event::Stirred { .. }) {
                on_event.call(crate::json(&event), ThreadsafeFunctionCallMode::NonBlocking);
            }
        };
        let inner = Watch::start(Box::new(deliver)).map_err(|error| {
            Error::from_reason(format!("this system's network can't be watched: {error}"))
        })?;
        Ok(Self { inner, engine })
    }

    /// From now on the watch tells this engine at once of each event that makes its connections useless, before the change is over.
    #[napi]
    pub fn warn(&self, engine: &Engine) {
        let _ = self.engine.set(engine.inner.clone());
    }

    /// The network at the last look.
    #[napi(ts_return_type = "Json<kernel.KernelSnapshot>")]
    pub fn current(&self) -> String {
        crate::json(&self.inner.current())
    }

    /// Ends the watch's thread. Events from before may still arrive.
    #[napi]
    pub fn close(&mut self) {
        self.inner.close();
    }
}

fn warn(engine: &engine::Engine, event: &Event) {
    match event {
        Event::Stirred { gone, network_changes } => engine.stirred(gone, *network_changes),
        Event::Woke { .. } => engine.reconnect(),
        Event::Changed { .. } | Event::Blind { .. } | Event::ClockSet { .. } => {}
    }
}
