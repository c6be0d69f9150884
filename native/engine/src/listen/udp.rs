//! Datagrams: a batch is read, what needs no network is answered in a batch, the rest waits on tasks of its own.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::UdpSocket;
use tokio::sync::watch;

use super::batch::{BATCH, Inbox, Outbox};
use crate::events::event::Noted;
use crate::outcome::ClientProtocol;
use crate::pipeline::{Begun, Pipeline, Waiting};
use crate::query::Client;

pub async fn serve(socket: UdpSocket, pipeline: Arc<Pipeline>, mut closed: watch::Receiver<()>) {
    let socket = Arc::new(socket);
    let (mut inbox, mut outbox) = (Inbox::new(), Outbox::new());
    let mut notes = Vec::with_capacity(BATCH);
    loop {
        tokio::select! {
            received = inbox.receive(&socket) => if received.is_err() { return },
            _ = closed.changed() => return,
        }
        answer(&socket, &pipeline, &inbox, &mut outbox, &mut notes);
        outbox.send(&socket).await;
        notes.drain(..).for_each(|noted| pipeline.note(Some(noted)));
        if inbox.is_full() {
            // there may be more; connections get their turn first
            tokio::task::yield_now().await;
        }
    }
}

fn answer(
    socket: &Arc<UdpSocket>,
    pipeline: &Arc<Pipeline>,
    inbox: &Inbox,
    outbox: &mut Outbox,
    notes: &mut Vec<Noted>,
) {
    let now = Client::now(ClientProtocol::Udp, ([0, 0, 0, 0], 0).into());
    for (message, from) in inbox.datagrams() {
        match pipeline.begin(message, Client { address: from, ..now }, outbox.next()) {
            Begun::Silence => {}
            Begun::Replied(noted) => {
                outbox.push(from);
                notes.extend(noted);
            }
            Begun::Waiting(waiting) => wait(socket.clone(), pipeline.clone(), from, waiting),
        }
    }
}

fn wait(socket: Arc<UdpSocket>, pipeline: Arc<Pipeline>, from: SocketAddr, waiting: Box<Waiting>) {
    let work = pipeline.working.start();
    tokio::spawn(async move {
        let mut reply = Vec::new();
        let noted = pipeline.finish(waiting, &mut reply).await;
        let _ = socket.send_to(&reply, from).await;
        pipeline.note(Some(noted));
        drop(work);
    });
}
