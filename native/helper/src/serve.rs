//! The helper's requests, one at a time, from whoever is heard.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use sotto_guardian_policy::GuardianPolicy;
use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use tokio::task::{LocalSet, spawn_blocking, spawn_local};
use tokio::time::timeout;

use crate::conversation::{Answers, accept};
use crate::holders::{Hold, Holders};
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::{Done, Failure};
use crate::request::{self, Request};
use crate::{give_back, link_settings, orphaned, sockets, status, take};

const READ_WITHIN: Duration = Duration::from_secs(1);

pub struct Desk {
    pub place: Place,
    pub user: String,
    /// the service's word on what may be given back while it is down: guardian.json
    pub policy: PathBuf,
    pub turn: Mutex<()>,
    pub holders: Rc<Holders>,
}

impl Desk {
    /// What the service left, if that is to be believed. Its folder is its user's, and may lie where reading hangs: on a file system
    /// of that user's own, or a network's.
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

/// Until SIGTERM or SIGINT, which change nothing of what was taken.
pub async fn serve(place: Place, user: String, policy: PathBuf) -> Result<(), String> {
    let finished = give_back::finish_begun(&System::at(&place)).await;
    if let Err(failure) = finished {
        eprintln!("{}", json!({ "msg": "what was begun could not be finished", "failed": failure }));
    }
    let path = place.socket();
    let listener = sockets::listen(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let desk = Rc::new(Desk { place, user, policy, turn: Mutex::new(()), holders: Rc::default() });
    let conversations = LocalSet::new();
    tokio::select! {
        () = conversations.run_until(receive(listener, desk.clone())) => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    // What is being changed is not left half done.
    let done = desk.turn.lock();
    conversations.run_until(async { drop(done.await) }).await;
    Ok(())
}

async fn receive(listener: UnixListener, desk: Rc<Desk>) {
    spawn_local(orphaned::look_after(desk.clone()));
    let begin = desk.clone();
    let begin = Rc::new(move || Conversation { desk: begin.clone(), hold: None });
    accept(listener, &desk.user, begin).await;
}

struct Conversation {
    desk: Rc<Desk>,
    hold: Option<Hold>,
}

impl Answers for Conversation {
    type Done = Done;

    async fn answer(&mut self, line: &[u8]) -> Result<Done, Failure> {
        let request = request::read(line)?;
        if request == (Request::Hold {}) {
            self.hold.get_or_insert_with(|| self.desk.holders.add());
            return Ok(Done::Holding { holding: true });
        }
        carry_out(&self.desk, request).await
    }
}

async fn carry_out(desk: &Desk, request: Request) -> Result<Done, Failure> {
    let _turn = desk.turn.lock().await;
    let system = System::at(&desk.place);
    match request {
        Request::TakeLink { link, servers, search } => take::link(&system, link, servers, search).await,
        Request::TakeNetworkManager { servers, search } => {
            take::network_manager(&system, servers, search).await
        }
        Request::TakeResolvconf { servers } => take::resolvconf(&system, servers).await,
        Request::TakeFile { servers } => take::file(&system, servers).await,
        Request::GiveBack { only } => give_back::give_back(&system, only.as_ref()).await,
        Request::Flush {} => {
            link_settings::flush_caches(&system.bus).await.map(|()| Done::Flushed { flushed: true })
        }
        Request::Status {} => status::status(&system).await,
        Request::ForgetOrphaned { until } => orphaned::forget(&desk.place, until),
        Request::Hold {} => Ok(Done::Holding { holding: true }),
    }
}
