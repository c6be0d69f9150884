//! The wish to stop, known to every task; a server that is dropped wishes it too.

use tokio::sync::watch;

#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Stop(receiver))
    }

    pub async fn asked(&self) {
        // an error says that the sender is gone
        let _ = self.0.clone().wait_for(|stop| *stop).await;
    }
}
