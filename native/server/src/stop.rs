//! Tells every task to stop. Dropping the server does so, too.

use tokio::sync::watch;

#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Stop(receiver))
    }

    pub async fn asked(&self) {
        // an error means that the sender is gone
        let _ = self.0.clone().wait_for(|stop| *stop).await;
    }
}
