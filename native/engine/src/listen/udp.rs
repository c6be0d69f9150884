//! Datagrams. What needs no network is answered in the batch in which it was read. Each other query waits on a task of its own, and
//! responses that become ready together leave in one batch.

use std::io::{Error, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::{mpsc, watch};

use super::batch::{BATCH, Datagram, Inbox, Outbox, tell_times};
use super::slots::Slot;
use crate::events::event::Noted;
use crate::outcome::ClientProtocol;
use crate::pipeline::{Begun, Pipeline, Waiting};
use crate::query::Client;
use crate::working::Work;

/// Serves until the door is closed; queries that wait then are still answered. Fails if the system does not let it receive.
pub async fn serve(
    socket: Arc<UdpSocket>,
    pipeline: Arc<Pipeline>,
    mut closed: watch::Receiver<()>,
) -> Result<()> {
    // The queue has no bound of its own: each late response holds one of the slots, which are bounded.
    let (late, queue) = mpsc::unbounded_channel();
    let mut sending = tokio::spawn(send_late(socket.clone(), pipeline.clone(), queue));
    let (mut inbox, mut outbox) = (Inbox::new(), Outbox::new());
    let mut notes = Vec::with_capacity(BATCH);
    let to = socket.local_addr()?;
    tell_times(&socket);
    loop {
        tokio::select! {
            received = inbox.receive(&socket) => received?,
            _ = closed.changed() => return Ok(()),
            // The task ends only when all senders are gone, and this function holds one: so it has failed.
            _ = &mut sending => return Err(Error::other("sending responses broke off; this is a defect")),
        }
        respond(&late, &pipeline, to, &inbox, &mut outbox, &mut notes);
        outbox.send(&socket).await;
        pipeline.note_all(notes.drain(..));
        if inbox.is_full() {
            // there may be more; connections get their turn first
            tokio::task::yield_now().await;
        }
    }
}

fn respond(
    late: &mpsc::UnboundedSender<Late>,
    pipeline: &Arc<Pipeline>,
    to: SocketAddr,
    inbox: &Inbox,
    outbox: &mut Outbox,
    notes: &mut Vec<Noted>,
) {
    pipeline.attributor.count(inbox.datagrams().count());
    let now = Client::now(ClientProtocol::Udp, ([0, 0, 0, 0], 0).into(), to);
    for (message, Datagram { from, received, .. }) in inbox.datagrams() {
        // where nobody knows, or the clock was set back, it may have been long
        let unread = received.and_then(|at| now.arrived_at.duration_since(at).ok()).unwrap_or(Duration::MAX);
        match pipeline.begin(message, Client { address: from, unread, ..now }, outbox.next()) {
            Begun::Silence => {}
            Begun::Replied(noted) => {
                outbox.push(from);
                notes.extend(noted);
            }
            Begun::Waiting(waiting) => match pipeline.slots.take(ClientProtocol::Udp, from.ip()) {
                Some(slot) => wait(late.clone(), pipeline.clone(), slot, from, waiting),
                None => {
                    notes.push(pipeline.turn_away(waiting, outbox.next()));
                    outbox.push(from);
                }
            },
        }
    }
}

fn wait(
    late: mpsc::UnboundedSender<Late>,
    pipeline: Arc<Pipeline>,
    slot: Slot,
    to: SocketAddr,
    mut waiting: Box<Waiting>,
) {
    waiting.draft.slot = Some(slot.clone());
    let work = pipeline.working.start();
    tokio::spawn(async move {
        let mut response = Vec::new();
        let noted = pipeline.finish(waiting, &mut response).await;
        let _ = late.send(Late { response, to, noted, _work: work, _slot: slot });
    });
}

/// A response that had to wait for the network; the work ends when it has left.
struct Late {
    response: Vec<u8>,
    to: SocketAddr,
    noted: Noted,
    _work: Work,
    _slot: Slot,
}

/// Sends responses that were not ready at once; those that become ready together leave together. It ends when no query is left that
/// could send one.
async fn send_late(
    socket: Arc<UdpSocket>,
    pipeline: Arc<Pipeline>,
    mut queue: mpsc::UnboundedReceiver<Late>,
) {
    let (mut late, mut outbox) = (Vec::with_capacity(BATCH), Outbox::new());
    while queue.recv_many(&mut late, BATCH).await > 0 {
        for Late { response, to, .. } in &mut late {
            std::mem::swap(outbox.next(), response);
            outbox.push(*to);
        }
        outbox.send(&socket).await;
        pipeline.note_all(late.drain(..).map(|late| late.noted));
    }
}
