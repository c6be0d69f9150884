//! What the server was started with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::log::Log;
use crate::service_manager::ServiceManager;
use crate::settings::Settings;
use crate::settings::inputs::Roots;

pub struct Start {
    /// The command line.
    pub words: Vec<OsString>,
    pub settings: Settings,
    /// Who is believed about the names of servers behind.
    pub roots: Roots,
    pub manager: ServiceManager,
    pub log: Log,
    /// Where the secret of tickets is kept, which a reload may change.
    ticket_secret: Mutex<Option<PathBuf>>,
    /// Tickets may have another secret.
    pub renewed: Notify,
}

impl Start {
    pub fn new(words: Vec<OsString>, settings: Settings, roots: Roots, log: Log) -> Self {
        let ticket_secret = Mutex::new(settings.arguments.ticket_secret.clone());
        let (manager, renewed) = (ServiceManager::from_environment(), Notify::new());
        Start { words, settings, roots, manager, log, ticket_secret, renewed }
    }

    pub fn ticket_secret(&self) -> Option<PathBuf> {
        self.ticket_secret.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// With the other files of a reload, and so only if there was one at the start.
    pub fn keep_tickets_in(&self, file: Option<PathBuf>) {
        let mut kept = self.ticket_secret.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(kept), Some(file)) = (&mut *kept, file) {
            *kept = file;
        }
    }
}
