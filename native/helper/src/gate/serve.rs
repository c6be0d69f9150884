//! The gate's requests. While it is closed or counts, it looks every few seconds whether its rules exist, because a firewall that is
//! loaded again may flush them.

use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;

use super::coverage::{Counted, Counter};
use super::record::{self, Record, Why};
use super::rules;
use crate::conversation::{Answers, accept};
use crate::durable;
use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::sockets;

const LOOK_EVERY: Duration = Duration::from_secs(5);

struct Desk {
    place: Place,
    /// the number of the service's user, who may ask and whose packets pass
    user: u32,
    /// one request at a time
    turn: Mutex<Counter>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Close { why: Why },
    Open {},
    Status {},
    Count {},
    Uncount {},
    Counted {},
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Done {
    Closed(Option<Record>),
    Counts(bool),
    Counted(Option<Counted>),
}

/// Runs until SIGTERM or SIGINT, which change no rule.
pub async fn serve(place: Place, user: String) -> Result<(), String> {
    let number = sockets::user_id(&user).ok_or_else(|| format!("there is no user {user}"))?;
    durable::make_folder_for_all(&place.gate_folder()).map_err(|error| error.to_string())?;
    let path = place.gate_socket();
    let listener = sockets::listen(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let desk = Rc::new(Desk { place, user: number, turn: Mutex::new(Counter::new()) });
    let conversations = LocalSet::new();
    let begin = desk.clone();
    let serving = async {
        spawn_local(keep(desk.clone()));
        accept(listener, &user, Rc::new(move || Conversation(begin.clone()))).await;
    };
    tokio::select! {
        () = conversations.run_until(serving) => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    let _done = desk.turn.lock().await;
    Ok(())
}

struct Conversation(Rc<Desk>);

impl Answers for Conversation {
    type Done = Done;

    async fn answer(&mut self, line: &[u8]) -> Result<Done, Failure> {
        let request = serde_json::from_slice(line).map_err(|error| {
            Failure::new(
                Code::BadRequest,
                format!("that is no request: {error}"),
                "see docs/design/the-gate.md for what can be requested",
            )
        })?;
        let Desk { place, user, turn } = &*self.0;
        let mut counter = turn.lock().await;
        match request {
            Request::Close { why } => close(place, *user, why).await,
            Request::Open {} => {
                rules::open(place).await?;
                record::remove(place).map_err(|error| unrecorded(place, &error))?;
                Ok(Done::Closed(None))
            }
            Request::Status {} => {
                let closed = record::read(place).map_err(|error| unrecorded(place, &error))?;
                Ok(Done::Closed(if rules::stand(place).await { closed } else { None }))
            }
            Request::Count {} => counter.begin(place, *user).await.map(|()| Done::Counts(true)),
            Request::Uncount {} => counter.end(place).await.map(|()| Done::Counts(false)),
            Request::Counted {} => counter.read().map(Done::Counted),
        }
    }
}

/// If the gate is closed already, it keeps its first moment.
async fn close(place: &Place, user: u32, why: Why) -> Result<Done, Failure> {
    let known = record::read(place).map_err(|error| unrecorded(place, &error))?;
    let since = known.map_or_else(now, |known| known.since);
    let record = Record { since, why };
    if known != Some(record) {
        record::write(place, record).map_err(|error| unrecorded(place, &error))?;
    }
    if let Err(failure) = rules::close(place, user).await {
        if known.is_none() {
            let _ = record::remove(place);
        }
        return Err(failure);
    }
    Ok(Done::Closed(Some(record)))
}

async fn keep(desk: Rc<Desk>) {
    loop {
        sleep(LOOK_EVERY).await;
        let mut counter = desk.turn.lock().await;
        if let Err(failure) = counter.look_after(&desk.place, desk.user).await {
            eprintln!("{}", json!({ "msg": "what goes past can't be counted", "failed": failure }));
        }
        if matches!(record::read(&desk.place), Ok(Some(_)))
            && !rules::stand(&desk.place).await
            && let Err(failure) = rules::close(&desk.place, desk.user).await
        {
            eprintln!(
                "{}",
                json!({ "msg": "the rules are gone and can't be made again", "failed": failure })
            );
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

fn unrecorded(place: &Place, error: &std::io::Error) -> Failure {
    Failure::new(
        Code::JournalFailed,
        format!("what is closed can't be noted in {}: {error}", place.gate_folder().display()),
        "make that folder writable for root",
    )
}
