//! A D-Bus connection for Node. How values are written: native/bus.

use std::time::Duration;

use napi::Status;
use napi::bindgen_prelude::{Error, Result, spawn};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::Value as Json;
use sotto_bus::values::Arguments;
use sotto_bus::{Bus, Call, Signal, Signals};

/// When Node is this many signals behind, further ones are dropped: it reads the state after those that it gets, which holds the
/// rest.
const SIGNALS_BEHIND: usize = 64;

/// The pause before Node is told again that the bus is gone, if its queue was full.
const AGAIN: Duration = Duration::from_millis(50);

type OnSignal = ThreadsafeFunction<String, (), String, Status, false, true, SIGNALS_BEHIND>;

/// Lasts until `close`, or until the bus ends. Does not keep the process alive.
#[napi]
pub struct BusConnection {
    inner: Bus,
}

#[napi(object)]
pub struct BusCall {
    pub destination: String,
    pub path: String,
    pub interface: String,
    pub member: String,
    /// of the arguments; absent: there are none
    pub signature: Option<String>,
    /// JSON: a list of the arguments, a variant among them as `["its signature", value]`
    pub body: Option<String>,
    /// whether the bus may start a service of this name; absent: no
    pub may_start: Option<bool>,
    pub within_ms: u32,
}

/// Joins the bus at this D-Bus address and subscribes to the signals of these match rules. `onSignal` gets JSON `BusSignal`, and
/// `null` at the end: the bus is gone. Rejects where there is no bus, or it does not respond in time.
#[napi(
    ts_args_type = "address: string, rules: string[], withinMs: number, onSignal: (signal: string) => void"
)]
pub async fn join_bus(
    address: String,
    rules: Vec<String>,
    within_ms: u32,
    on_signal: OnSignal,
) -> Result<BusConnection> {
    let joined = Bus::join(&address, &rules, milliseconds(within_ms)).await;
    let (inner, signals) = joined.map_err(failure)?;
    spawn(tell(signals, on_signal));
    Ok(BusConnection { inner })
}

#[napi]
impl BusConnection {
    /// JSON: a list of what the method returns. Rejects if there is no response in time, or it is an error or too large.
    #[napi]
    pub async fn call(&self, call: BusCall) -> Result<String> {
        let body: Vec<Json> = match &call.body {
            Some(body) => {
                serde_json::from_str(body).map_err(|error| Error::from_reason(error.to_string()))?
            }
            None => Vec::new(),
        };
        let arguments = Arguments::new(call.signature.as_deref().unwrap_or_default(), &body);
        let method = Call {
            destination: &call.destination,
            path: &call.path,
            interface: &call.interface,
            member: &call.member,
            arguments: arguments.map_err(failure)?,
            may_start: call.may_start.unwrap_or(false),
        };
        let returned = self.inner.call(method, milliseconds(call.within_ms)).await;
        returned.map(|values| crate::json(&values)).map_err(failure)
    }

    /// Calls under way are rejected; `onSignal` still gets its `null`.
    #[napi]
    pub async fn close(&self) {
        self.inner.close().await;
    }
}

async fn tell(mut signals: Signals, on_signal: OnSignal) {
    let say = |signal: Option<&Signal>| {
        on_signal.call(crate::json(&signal), ThreadsafeFunctionCallMode::NonBlocking)
    };
    while let Some(signal) = signals.next().await {
        say(Some(&signal));
    }
    while say(None) == Status::QueueFull {
        tokio::time::sleep(AGAIN).await;
    }
}

fn milliseconds(count: u32) -> Duration {
    Duration::from_millis(count.into())
}

fn failure(error: sotto_bus::Error) -> Error {
    Error::from_reason(error.to_string())
}
