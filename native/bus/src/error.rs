//! Why a call failed, in words for a log.

use std::time::Duration;

use serde_json::Value as Json;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Bus(#[from] zbus::Error),
    #[error("there was no answer within {0:?}")]
    Late(Duration),
    #[error("the message has {0} octets, which is too many to read")]
    TooLarge(usize),
    #[error("{value} is no value of the D-Bus type {wanted}")]
    Value { value: Json, wanted: String },
}
