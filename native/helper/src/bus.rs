//! Calls on the system bus. No service is started by a call, and each call has a short time limit.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;
use zbus::connection::Builder;
use zbus::proxy::MethodFlags;
use zbus::zvariant::{DynamicType, Type};
use zbus::{Connection, Error, Proxy};

use crate::failure::{Code, Failure};
use crate::place::Place;

const ANSWER_WITHIN: Duration = Duration::from_millis(1500);

pub struct Bus<'a> {
    place: &'a Place,
    connection: OnceCell<Connection>,
}

#[derive(Clone, Copy)]
pub struct Object<'a> {
    /// as a person knows it
    pub title: &'static str,
    pub service: &'static str,
    pub path: &'a str,
    pub interface: &'static str,
}

/// The error's name, empty where there is none, and its text.
#[derive(Debug)]
pub struct Refusal {
    pub name: String,
    pub text: String,
    title: &'static str,
}

impl<'a> Bus<'a> {
    /// Connects when it is first needed.
    pub fn new(place: &'a Place) -> Self {
        Self { place, connection: OnceCell::new() }
    }

    pub async fn call<B, R>(&self, object: Object<'_>, method: &'static str, body: &B) -> Result<R, Refusal>
    where
        B: Serialize + DynamicType,
        R: DeserializeOwned + Type,
    {
        let refused = |error| Refusal::of(object.title, error);
        let connection = self.connection.get_or_try_init(connect).await.map_err(refused)?;
        let proxy = Proxy::new(connection, object.service, object.path, object.interface);
        let proxy = proxy.await.map_err(refused)?;
        let reply = proxy.call_with_flags(method, MethodFlags::NoAutoStart.into(), body).await;
        self.place.step();
        reply.and_then(|body| body.ok_or(Error::InvalidReply)).map_err(refused)
    }
}

async fn connect() -> Result<Connection, Error> {
    Builder::system()?.method_timeout(ANSWER_WITHIN).build().await
}

impl Refusal {
    fn of(title: &'static str, error: Error) -> Self {
        match error {
            Error::MethodError(name, text, _) => {
                Self { name: name.to_string(), text: text.unwrap_or_default(), title }
            }
            Error::FDO(error) => Self { name: "org.freedesktop.DBus".into(), text: error.to_string(), title },
            other => Self { name: String::new(), text: other.to_string(), title },
        }
    }

    fn nobody_there(&self) -> bool {
        self.name.is_empty()
            || ["NameHasNoOwner", "ServiceUnknown", "NoReply", "Disconnected"]
                .iter()
                .any(|each| self.name == format!("org.freedesktop.DBus.Error.{each}"))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { title, ref text, ref name } = refusal;
        if refusal.nobody_there() {
            return Self::new(
                Code::MechanismMissing,
                format!("{title} can't be reached: {text}"),
                format!("start {title}, or let Sotto use another mechanism"),
            );
        }
        let words = if text.is_empty() { name } else { text };
        Self::new(
            Code::RefusedBySystem,
            format!("{title} refused: {words}"),
            format!("see the log of {title}"),
        )
    }
}
