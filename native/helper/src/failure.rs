//! Why a request failed: a code for programs, and two sentences for people.

use serde::Serialize;

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    BadRequest,
    NotLoopback,
    PortNotPossible,
    NoSuchLink,
    MechanismMissing,
    RefusedBySystem,
    ReadOnly,
    NotAFile,
    JournalFailed,
    /// a file of settings is none that root alone writes, or is not as it has to be
    FileRefused,
    /// there is nothing to fix here, or it would undo what somebody else wants
    NotApplicable,
}

#[derive(Debug, Serialize)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub remedy: String,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code, message: message.into(), remedy: remedy.into() }
    }
}
