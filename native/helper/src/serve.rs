//! Connections, each with its lines; one request at a time is carried out.

use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;

use crate::holders::{Hold, Holders};
use crate::mechanism::System;
use crate::place::Place;
use crate::reply::{Code, Done, Failure, Reply};
use crate::request::{self, LONGEST, Request};
use crate::{give_back, link_settings, orphaned, sockets, status, take};

const CONNECTIONS: usize = 16;
/// Out of descriptors: wait for some to come free.
const PAUSE: Duration = Duration::from_millis(100);

pub struct Desk {
    pub place: Place,
    pub user: String,
    /// the service's word on what may be given back while it is down: guardian.json
    pub policy: PathBuf,
    pub turn: Mutex<()>,
    pub holders: Rc<Holders>,
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
        () = conversations.run_until(accept(listener, desk.clone())) => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    // What is being changed is not left half done.
    let done = desk.turn.lock();
    conversations.run_until(async { drop(done.await) }).await;
    Ok(())
}

async fn accept(listener: UnixListener, desk: Rc<Desk>) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS));
    spawn_local(orphaned::look_after(desk.clone()));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        if !sockets::is_heard(&stream, &desk.user) {
            continue;
        }
        if let Ok(seat) = seats.clone().try_acquire_owned() {
            let desk = desk.clone();
            spawn_local(async move {
                let _ = converse(stream, &desk).await;
                drop(seat);
            });
        }
    }
}

async fn converse(stream: UnixStream, desk: &Desk) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut hold = None;
    loop {
        let mut line = vec![];
        if (&mut read).take(LONGEST as u64).read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let whole = line.pop_if(|last| *last == b'\n').is_some();
        let done = if whole { answer(desk, &line, &mut hold).await } else { Err(cut_off()) };
        let mut reply = json!(done.map_or_else(Reply::Failed, Reply::Ok)).to_string();
        reply.push('\n');
        write.write_all(reply.as_bytes()).await?;
        if !whole {
            return Ok(());
        }
    }
}

async fn answer(desk: &Desk, line: &[u8], hold: &mut Option<Hold>) -> Result<Done, Failure> {
    let request = request::read(line)?;
    if request == (Request::Hold {}) {
        hold.get_or_insert_with(|| desk.holders.add());
        return Ok(Done::Holding { holding: true });
    }
    let _turn = desk.turn.lock().await;
    let system = System::at(&desk.place);
    match request {
        Request::TakeLink { link, servers } => take::link(&system, link, servers).await,
        Request::TakeNetworkManager { link, servers } => take::network_manager(&system, link, servers).await,
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

/// Longer than any request, or ended in the middle of one.
fn cut_off() -> Failure {
    Failure::new(
        Code::BadRequest,
        format!("a request is one line of at most {LONGEST} octets"),
        "send it whole, with a line feed at its end",
    )
}
