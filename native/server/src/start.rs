//! What the server was started with.

use std::ffi::OsString;

use crate::log::Log;
use crate::service_manager::ServiceManager;
use crate::settings::Settings;

pub struct Start {
    /// The command line.
    pub words: Vec<OsString>,
    pub settings: Settings,
    pub manager: ServiceManager,
    pub log: Log,
}
