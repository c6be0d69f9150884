//! What the connections of one helper share. Who holds `turn` may change something; the others wait.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use sotto_guardian_policy::GuardianPolicy;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::holders::Holders;
use crate::place::Place;
use crate::sockets;

const READ_WITHIN: Duration = Duration::from_secs(1);

pub struct Desk {
    pub place: Place,
    pub user: String,
    /// the path of guardian.json, in which the service says what may be given back while it is down
    pub policy: PathBuf,
    pub turn: Mutex<()>,
    pub holders: Rc<Holders>,
}

impl Desk {
    /// What the service wrote last, if its file can be trusted. The folder belongs to the service's user and may lie on a file
    /// system where reading hangs (FUSE, a network): hence the time limit.
    pub async fn left(&self) -> Option<GuardianPolicy> {
        let (policy, owners) = (self.policy.clone(), self.owners());
        let reading = spawn_blocking(move || GuardianPolicy::read(&policy, &owners));
        let why = match timeout(READ_WITHIN, reading).await {
            Ok(Ok(Ok(left))) => return Some(left),
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "reading it took too long".into(),
        };
        eprintln!(
            "{}",
            json!({ "msg": "the service's policy is not believed", "file": self.policy, "why": why })
        );
        None
    }

    fn owners(&self) -> Vec<u32> {
        [0].into_iter().chain(sockets::user_id(&self.user)).collect()
    }
}
