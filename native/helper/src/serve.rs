//! The helper's requests, one at a time.

use std::path::PathBuf;
use std::rc::Rc;

use serde_json::json;
use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use tokio::task::{LocalSet, spawn_local};

use crate::conversation::{Answers, accept};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::holders::Hold;
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::Done;
use crate::request::{self, Request};
use crate::{fixes, give_back, link_settings, look_after, orphaned, sockets, status, take};

/// Runs until SIGTERM or SIGINT, which change nothing that was taken over.
pub async fn serve(place: Place, user: String, policy: PathBuf) -> Result<(), String> {
    let system = System::at(&place);
    let finished = give_back::finish_begun(&system).await.map(drop);
    for failure in [finished, fixes::finish_begun(&system).await].into_iter().filter_map(Result::err) {
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
    // A change that has begun is finished first.
    let done = desk.turn.lock();
    conversations.run_until(async { drop(done.await) }).await;
    Ok(())
}

async fn receive(listener: UnixListener, desk: Rc<Desk>) {
    spawn_local(look_after::look_after(desk.clone()));
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
        Request::GiveBack { only } => give_back::give_back(&system, only.as_ref()).await,
        Request::Flush {} => {
            link_settings::flush_caches(&system.bus).await.map(|()| Done::Flushed { flushed: true })
        }
        Request::Status {} => status::status(&system).await,
        Request::ForgetOrphaned { until } => {
            orphaned::forget(&desk.place, until).map(|()| Done::Forgotten { forgotten: true })
        }
        Request::Hold {} => Ok(Done::Holding { holding: true }),
        change => carry_out_change(&system, change).await,
    }
}

async fn carry_out_change(system: &System<'_>, change: Request) -> Result<Done, Failure> {
    match change {
        Request::TakeLink { link, servers, search } => take::link(system, link, servers, search).await,
        Request::TakeNetworkManager { servers, search } => {
            take::network_manager(system, servers, search).await
        }
        Request::TakeResolvconf { servers } => take::resolvconf(system, servers).await,
        Request::TakeFile { servers } => take::file(system, servers).await,
        Request::Fix { fix, dry } => fixes::apply(system, fix, dry).await,
        Request::UndoFix { fix } => fixes::undo(system, fix).await,
        _ => fixes::status(system.place),
    }
}
