//! One connection to a D-Bus daemon: it calls methods and follows signals. Values cross as JSON (`values`), and each wait has a
//! limit. Everything runs on the tokio runtime of whoever joins; there is no thread of this crate's own.
//!
//! Programs on a bus are not trusted: a message that is too large is refused before it is read. If a value has another type than
//! expected, the caller has to notice.

mod error;
pub mod values;

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;
use tokio::time::timeout;
use zbus::connection::Builder;
use zbus::export::futures_core::Stream;
use zbus::message::{Message, Type};
use zbus::{Connection, MessageStream};

pub use error::Error;
use values::{Arguments, read_body};

const DAEMON: &str = "org.freedesktop.DBus";
const DAEMON_PATH: &str = "/org/freedesktop/DBus";

pub struct Bus {
    connection: Connection,
}

/// A call of a method of a program on the bus.
pub struct Call<'a> {
    pub destination: &'a str,
    pub path: &'a str,
    pub interface: &'a str,
    pub member: &'a str,
    pub arguments: Arguments,
    /// whether the daemon may start the service where nobody has that name
    pub may_start: bool,
}

#[derive(Serialize)]
pub struct Signal {
    pub interface: String,
    pub member: String,
    pub body: Vec<Json>,
}

/// The signals of the match rules. They must be polled or dropped: the connection stops reading while many wait here.
pub struct Signals(MessageStream);

impl Bus {
    /// Joins the bus at this D-Bus address, and asks for the signals that these match rules describe.
    pub async fn join(address: &str, rules: &[String], within: Duration) -> Result<(Self, Signals), Error> {
        in_time(within, async {
            let connection = connect(address).await?;
            let signals = Signals(MessageStream::from(&connection));
            for rule in rules {
                connection.call_method(Some(DAEMON), DAEMON_PATH, Some(DAEMON), "AddMatch", rule).await?;
            }
            Ok((Self { connection }, signals))
        })
        .await
    }

    /// What the method returns, a value for each of its results.
    pub async fn call(&self, call: Call<'_>, within: Duration) -> Result<Vec<Json>, Error> {
        let Call { destination, path, interface, member, arguments, may_start } = call;
        in_time(within, async {
            // If a unique name is called, the daemon starts no service for it.
            let owner = match may_start {
                true => destination.to_owned(),
                false => self.owner(destination).await?,
            };
            let reply = self
                .connection
                .call_method(Some(owner.as_str()), path, Some(interface), member, &arguments)
                .await?;
            read_body(&reply)
        })
        .await
    }

    async fn owner(&self, name: &str) -> Result<String, Error> {
        let reply = self
            .connection
            .call_method(Some(DAEMON), DAEMON_PATH, Some(DAEMON), "GetNameOwner", &name)
            .await?;
        Ok(reply.body().deserialize()?)
    }

    /// Ends the connection: calls under way fail, and there are no more signals.
    pub async fn close(&self) {
        let _ = self.connection.clone().close().await;
    }
}

impl Signals {
    /// Null: the connection to the bus has ended.
    pub async fn next(&mut self) -> Option<Signal> {
        loop {
            let message = poll_fn(|context| Pin::new(&mut self.0).poll_next(context)).await?.ok()?;
            if message.message_type() == Type::Signal {
                return Some(Signal::of(&message));
            }
        }
    }
}

impl Signal {
    /// The body is absent if it can't be read: the news is that the signal was sent.
    fn of(message: &Message) -> Self {
        let header = message.header();
        Self {
            interface: header.interface().map(ToString::to_string).unwrap_or_default(),
            member: header.member().map(ToString::to_string).unwrap_or_default(),
            body: read_body(message).unwrap_or_default(),
        }
    }
}

/// Connects to the first address that answers; addresses are separated by semicolons.
async fn connect(addresses: &str) -> Result<Connection, Error> {
    let mut last = zbus::Error::Address("no address".to_owned());
    for address in addresses.split(';').filter(|address| !address.is_empty()) {
        let connecting = async { Builder::address(address)?.build().await };
        match connecting.await {
            Ok(connection) => return Ok(connection),
            Err(error) => last = error,
        }
    }
    Err(last.into())
}

async fn in_time<T>(within: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(within, work).await.unwrap_or(Err(Error::Late(within)))
}
