//! Whether a client is still there. One that has reset its connection waits for nothing, so that what it asked and nobody else needs
//! does not have to leave any more.

use tokio::sync::watch;

/// Held as long as the connection.
pub struct Present(#[allow(dead_code)] watch::Sender<()>);

#[derive(Debug, Clone)]
pub struct Presence(watch::Receiver<()>);

pub fn presence() -> (Present, Presence) {
    let (present, presence) = watch::channel(());
    (Present(present), Presence(presence))
}

impl Presence {
    /// Returns once the connection is over.
    pub async fn ended(&self) {
        let mut presence = self.0.clone();
        while presence.changed().await.is_ok() {}
    }
}
