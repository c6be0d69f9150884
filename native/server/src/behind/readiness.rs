//! Whether somebody behind responds now, for whoever wants to know before sending clients here. Each server is asked for a sign of
//! life, at most twice in a second, however many want to know.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::group::Group;

/// For so long the last result holds.
const FRESH: Duration = Duration::from_millis(500);
/// A balancer gives up soon, too.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    /// Whether one of these groups has a server that responds.
    pub async fn of(&self, groups: Vec<&Group>) -> bool {
        let mut last = self.0.lock().await;
        if let Some((at, is_ready)) = *last
            && at.elapsed() < FRESH
        {
            return is_ready;
        }
        let is_ready = responds(&groups).await;
        *last = Some((Instant::now(), is_ready));
        is_ready
    }
}

async fn responds(groups: &[&Group]) -> bool {
    let until = Instant::now() + PATIENCE;
    let mut asking = JoinSet::new();
    for group in groups {
        for server in group.servers() {
            let (server, query) = (Arc::clone(server), group.sign_of_life().clone());
            asking.spawn(async move { server.responds(&query, until).await });
        }
    }
    while let Some(asked) = asking.join_next().await {
        if matches!(asked, Ok(true)) {
            return true;
        }
    }
    false
}
