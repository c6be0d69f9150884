//! A program on a D-Bus whose behaviour a test makes up: each call that arrives becomes a line of JSON on standard output, and a
//! line on standard input says what to do. Values are written as in `sotto_bus::values`.

use std::collections::HashMap;
use std::future::poll_fn;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use sotto_bus::values::{self, Arguments};
use tokio::sync::mpsc;
use zbus::connection::Builder;
use zbus::export::futures_core::Stream;
use zbus::message::{Message, Type};
use zbus::{Connection, MessageStream};

use crate::output;

/// A test that waits longer has failed already.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// A line on standard input.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Order {
    /// Own this name; `{"is": "owner", "name"}` says that it is done.
    Own {
        name: String,
    },
    /// Respond to the call of this number.
    Return {
        call: u64,
        signature: String,
        body: Vec<Json>,
    },
    Refuse {
        call: u64,
        error: String,
    },
    Signal {
        path: String,
        interface: String,
        member: String,
        signature: String,
        body: Vec<Json>,
    },
    /// `{"is": "returned" or "refused", "id"}` reports the result.
    Call {
        id: u64,
        destination: String,
        path: String,
        interface: String,
        member: String,
        signature: String,
        body: Vec<Json>,
    },
}

struct Peer {
    connection: Connection,
    /// calls that wait for a response, by our number
    waiting: HashMap<u64, Message>,
    calls: u64,
}

/// Runs until standard input ends, or the bus does.
pub async fn run(address: &str) -> Result<(), String> {
    let building = Builder::address(address).map_err(said)?.method_timeout(ANSWER_WITHIN);
    let connection = building.build().await.map_err(said)?;
    let mut messages = MessageStream::from(&connection);
    let mut lines = standard_input();
    let mut peer = Peer { connection, waiting: HashMap::new(), calls: 0 };
    tell(&json!({"is": "joined"}))?;
    loop {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => peer.obey(serde_json::from_str(&line).map_err(said)?).await?,
                None => return Ok(()),
            },
            message = poll_fn(|context| Pin::new(&mut messages).poll_next(context)) => match message {
                Some(Ok(message)) => peer.hear(message)?,
                _ => return Ok(()),
            },
        }
    }
}

/// Reads on a thread of its own, which waits for each line.
fn standard_input() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

impl Peer {
    fn hear(&mut self, message: Message) -> Result<(), String> {
        if message.message_type() != Type::MethodCall {
            return Ok(());
        }
        let header = message.header();
        self.calls += 1;
        tell(&json!({
            "is": "called",
            "call": self.calls,
            "sender": header.sender(),
            "path": header.path(),
            "interface": header.interface(),
            "member": header.member(),
            "body": values::of_body(&message.body()).map_err(said)?,
        }))?;
        drop(header);
        self.waiting.insert(self.calls, message);
        Ok(())
    }

    async fn obey(&mut self, order: Order) -> Result<(), String> {
        match order {
            Order::Own { name } => {
                self.connection.request_name(name.as_str()).await.map_err(said)?;
                tell(&json!({"is": "owner", "name": name}))?;
            }
            Order::Return { call, signature, body } => {
                let message = self.take(call)?;
                let values = arguments(&signature, &body)?;
                self.connection.reply(&message.header(), &values).await.map_err(said)?;
            }
            Order::Refuse { call, error } => {
                let message = self.take(call)?;
                self.connection
                    .reply_error(&message.header(), error, &"refused by a test")
                    .await
                    .map_err(said)?;
            }
            Order::Signal { path, interface, member, signature, body } => {
                let values = arguments(&signature, &body)?;
                let nobody = None::<&str>;
                self.connection.emit_signal(nobody, path, interface, member, &values).await.map_err(said)?;
            }
            Order::Call { id, destination, path, interface, member, signature, body } => {
                let values = arguments(&signature, &body)?;
                let connection = self.connection.clone();
                tokio::spawn(async move {
                    let asked =
                        connection.call_method(Some(destination), path, Some(interface), member, &values);
                    let read = asked
                        .await
                        .map_err(said)
                        .and_then(|reply| values::of_body(&reply.body()).map_err(said));
                    let told = tell(&match read {
                        Ok(body) => json!({"is": "returned", "id": id, "body": body}),
                        Err(why) => json!({"is": "refused", "id": id, "why": why}),
                    });
                    // whoever waits for the line should not wait without a word
                    told.unwrap_or_else(|error| eprintln!("sotto-lab: {error}"));
                });
            }
        }
        Ok(())
    }

    fn take(&mut self, call: u64) -> Result<Message, String> {
        self.waiting.remove(&call).ok_or_else(|| format!("no call {call} waits for an answer"))
    }
}

fn arguments(signature: &str, body: &[Json]) -> Result<Arguments, String> {
    Arguments::new(signature, body).map_err(said)
}

fn tell(line: &Json) -> Result<(), String> {
    output::print(&format!("{line}\n"))
}

fn said(error: impl ToString) -> String {
    error.to_string()
}
