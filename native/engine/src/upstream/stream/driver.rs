//! Owns a connection's stream. It chooses ids, takes responses in any order, and writes the queries of one moment together.
//!
//! One turn does everything that needs no waiting: it reads and hands out responses, takes queries, writes them, and looks at the
//! clock. Then it sleeps until the stream, a query or the clock wakes it. Reading comes before the clock, so that a process that
//! was held up does not mistake octets that wait in the socket for silence.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::response::{NoResponse, Response};
use crate::upstream::connection::carried::Metering;
use crate::upstream::connection::carrier::{Ask, Duty, End, Fate, Request, Shared};
use crate::upstream::dial::meter::Meter;
use crate::upstream::dial::protection::Protection;
use crate::upstream::dial::sockets::Stream;
use crate::upstream::failure::Failure;
use crate::upstream::stream::alarm::Alarm;
use crate::upstream::stream::framing::{FRAMING, Inbox, Outbox};
use crate::upstream::stream::liveness::{self, Liveness, Verdict};
use crate::upstream::stream::pending::Pending;
use crate::wire::header::Header;

/// Reads in one turn, so that a server that never stops sending leaves the thread to others.
const MOST_READS: usize = 16;
const MOST_REQUESTS: usize = 256;
pub struct Driver {
    stream: Box<dyn Stream>,
    queue: mpsc::UnboundedReceiver<Request>,
    requests: Vec<Request>,
    shared: Arc<Shared>,
    protection: Arc<Protection>,
    pending: Pending,
    meter: Option<Meter>,
    liveness: Liveness,
    tell: Box<dyn Fn(Fate) + Send>,
    /// set if we ended it; otherwise the stream ended
    end: Option<End>,
    inbox: Inbox,
    outbox: Outbox,
    /// the limit that was told last
    idle_limit: Option<Duration>,
    /// the silence after which the owner wants to be told; taken when it was told
    patience: Option<Duration>,
    told_quiet: bool,
    last_used: Instant,
    alarm: Alarm,
}

/// The stream has ended, by either side.
struct Ended;

impl Driver {
    /// Returns the metering beside it, which must be dropped before the stream.
    pub fn new(stream: Box<dyn Stream>, duty: Duty) -> (Self, Metering) {
        let now = Instant::now();
        let driver = Self {
            stream,
            queue: duty.queue,
            requests: Vec::new(),
            shared: duty.shared,
            protection: duty.protection,
            pending: Pending::default(),
            meter: duty.meter,
            liveness: Liveness::new(duty.round_trip),
            tell: duty.tell,
            end: None,
            inbox: Inbox::default(),
            outbox: Outbox::default(),
            idle_limit: None,
            patience: None,
            told_quiet: false,
            last_used: now,
            alarm: Alarm::new(now),
        };
        (driver, duty.metering)
    }

    /// A query that the server has already, with this id; `octets` of its message, with its length.
    pub fn await_early(&mut self, id: u16, octets: usize, ask: Ask) {
        self.shared.carried.leaves(octets);
        self.pending.insert_as(id, ask);
        self.liveness.sent(self.last_used);
        self.shared.set_in_flight(self.pending.waiting());
    }

    /// Ends with the stream; queries that still wait are told.
    pub async fn run(mut self) -> (Box<dyn Stream>, End) {
        poll_fn(|cx| self.turn(cx)).await;
        let end = self.end.unwrap_or(End::Closed);
        if end != End::Closed
            && let Some(meter) = &self.meter
        {
            meter.forget_unacknowledged();
        }
        let silence = self.silence();
        self.shared.close();
        (self.tell)(Fate::Ended { end, silence });
        self.release(end);
        (self.stream, end)
    }

    fn turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let done = self
            .receive(cx)
            .and_then(|()| self.take_requests(cx))
            .and_then(|()| self.send(cx))
            .and_then(|()| self.watch_clock(cx))
            .and_then(|()| self.send(cx));
        self.shared.set_in_flight(self.pending.waiting());
        let drained = self.shared.is_draining() && self.pending.waiting() == 0 && self.queue.is_empty();
        if done.is_err() || drained { Poll::Ready(()) } else { Poll::Pending }
    }

    fn receive(&mut self, cx: &mut Context<'_>) -> Result<(), Ended> {
        for _ in 0..MOST_READS {
            match self.inbox.fill(&mut self.stream, cx) {
                Poll::Pending => {
                    self.hurry();
                    return Ok(());
                }
                Poll::Ready(Ok(octets)) if octets > 0 => self.deliver(),
                Poll::Ready(_) => return Err(Ended),
            }
        }
        cx.waker().wake_by_ref();
        Ok(())
    }

    /// More octets are expected, which a server may hold back until it knows that the earlier ones have arrived.
    fn hurry(&self) {
        if let Some(meter) = self.meter.as_ref().filter(|_| self.pending.waiting() > 0) {
            meter.acknowledge_now();
        }
    }

    /// Hands out every whole message that was read.
    fn deliver(&mut self) {
        let mut at = 0;
        while let Some(message) = self.inbox.message(at) {
            at += 2 + message.len();
            let message = message.to_vec();
            self.settle(message);
        }
        self.inbox.forget(at);
        self.used();
        self.liveness.heard(self.last_used, self.pending.waiting() > 0);
    }

    /// Matches a response by id and question. A message that matches nothing is dropped, and the query that it may belong to
    /// waits on.
    fn settle(&mut self, message: Vec<u8>) {
        self.shared.carried.came(FRAMING + message.len());
        let Ok(header) = Header::read(&message) else {
            return self.shared.stray();
        };
        let Some(asked) = self.pending.query(header.id) else {
            return self.shared.stray();
        };
        asked.is_answered(FRAMING + message.len());
        let (verdict, hop) = match Response::read(message, &asked.question) {
            Ok((response, hop)) if response.truncated() => (Err(NoResponse::Truncated.into()), hop),
            Ok((response, hop)) => (Ok(response), hop),
            Err(NoResponse::OtherQuestion) => return self.shared.stray(),
            Err(error) => (Err(Failure::BadResponse(error)), Default::default()),
        };
        self.pending.settle(header.id, verdict);
        if let Some(tenths) = hop.keepalive {
            self.hear_limit(Duration::from_millis(u64::from(tenths) * 100));
        }
    }

    fn take_requests(&mut self, cx: &mut Context<'_>) -> Result<(), Ended> {
        let mut requests = std::mem::take(&mut self.requests);
        while let Poll::Ready(count) = self.queue.poll_recv_many(cx, &mut requests, MOST_REQUESTS) {
            if count == 0 {
                return Err(Ended);
            }
            self.used();
            for request in requests.drain(..) {
                match request {
                    Request::Ask(ask) => self.take(ask),
                    Request::Drain => self.shared.drain(),
                    Request::Wait(patience) => self.patience = Some(patience),
                    Request::Leave(end) => self.end = Some(end),
                }
            }
            if self.end.is_some() {
                return Err(Ended);
            }
        }
        self.requests = requests;
        Ok(())
    }

    /// Gives the query a free id, and appends it with its length to what is to be written.
    fn take(&mut self, ask: Ask) {
        if ask.response.is_closed() {
            return;
        }
        if !self.shared.is_ready() || self.pending.is_full() {
            let _ = ask.response.send(Err(Failure::Closed));
            return;
        }
        if let Some(lease) = self.protection.lease()
            && let Err(ended) = ask.query.spend(lease)
        {
            let _ = ask.response.send(Err(ended.into()));
            return;
        }
        let query = ask.query.clone();
        let id = self.pending.insert(ask);
        let octets = self.outbox.append(|message| query.write(id, self.protection.hop(), message));
        query.leaves(octets);
        self.shared.carried.leaves(octets);
        self.liveness.sent(self.last_used);
    }

    fn send(&mut self, cx: &mut Context<'_>) -> Result<(), Ended> {
        match self.outbox.flush(&mut self.stream, cx) {
            Poll::Ready(Err(_)) => Err(Ended),
            Poll::Ready(Ok(())) | Poll::Pending => Ok(()),
        }
    }

    /// Gives up what is due, checks whether the other end lives, and tells of a silence that has lasted.
    fn watch_clock(&mut self, cx: &mut Context<'_>) -> Result<(), Ended> {
        while let Some(at) = self.due() {
            if self.alarm.poll(at, cx).is_pending() {
                break;
            }
            let now = Instant::now();
            self.pending.sweep(now);
            if self.pending.waiting() == 0 {
                self.liveness.relax();
            }
            self.look_for_life(now)?;
            if self.quiet_at().is_some_and(|at| at <= now) {
                self.told_quiet = true;
                (self.tell)(Fate::Quiet);
            }
        }
        Ok(())
    }

    fn look_for_life(&mut self, now: Instant) -> Result<(), Ended> {
        if self.liveness.verdict(now) == Verdict::Fine {
            return Ok(());
        }
        let since = self.liveness.since().unwrap_or(now);
        let reading = self.meter.as_ref().and_then(Meter::read);
        if let Some(reading) = reading {
            self.liveness.measured(reading.round_trip);
            // a part of a TLS record on a slow line
            if reading.heard_after(since, now) {
                self.liveness.heard(now - reading.since_data, true);
            }
        }
        match self.liveness.verdict(now) {
            Verdict::Fine => {}
            Verdict::Ask => self.ask_for_life(now),
            Verdict::Dead if reading.is_some_and(|reading| reading.arrived(since, now)) => self.stall(now),
            Verdict::Dead => {
                self.end = Some(End::Died);
                return Err(Ended);
            }
        }
        Ok(())
    }

    fn ask_for_life(&mut self, now: Instant) {
        // without a free id, the queries in flight show whether the connection lives
        if !self.pending.is_full() {
            let query = Arc::new(liveness::query());
            let id = self.pending.insert_own(query.clone(), now);
            let octets = self.outbox.append(|message| query.write(id, self.protection.hop(), message));
            self.shared.carried.leaves(octets);
        }
        self.liveness.asked(now);
    }

    /// There is a path, but no response on this connection. The queries wait on as long as the path is there.
    fn stall(&mut self, now: Instant) {
        self.ask_for_life(now);
        if self.shared.is_ready() {
            (self.tell)(Fate::Stalled);
        }
    }

    fn due(&self) -> Option<Instant> {
        self.pending.next().into_iter().chain(self.liveness.due()).chain(self.quiet_at()).min()
    }

    fn quiet_at(&self) -> Option<Instant> {
        let patience = self.patience.filter(|_| !self.told_quiet && self.pending.waiting() == 0);
        patience.map(|patience| self.last_used + patience)
    }

    /// How long nothing was sent, if that is why the server closed.
    fn silence(&self) -> Option<Duration> {
        let theirs = self.end.is_none() && self.shared.is_ready();
        let idle = self.pending.waiting() == 0 && self.queue.is_empty();
        (theirs && idle).then(|| self.last_used.elapsed())
    }

    fn used(&mut self) {
        self.last_used = Instant::now();
        self.told_quiet = false;
    }

    /// Tells the owner, if it is news. Zero asks for no more queries.
    fn hear_limit(&mut self, limit: Duration) {
        if limit.is_zero() {
            self.shared.drain();
        }
        if self.idle_limit.replace(limit) != Some(limit) {
            (self.tell)(Fate::Told(limit));
        }
    }

    fn release(&mut self, end: End) {
        let failure = if end == End::Died { Failure::Dead } else { Failure::Closed };
        self.shared.set_in_flight(0);
        self.queue.close();
        while let Ok(request) = self.queue.try_recv() {
            if let Request::Ask(ask) = request {
                let _ = ask.response.send(Err(Failure::Closed));
            }
        }
        self.pending.close(&failure);
    }
}
