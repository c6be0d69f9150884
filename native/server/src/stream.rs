//! Framed queries and responses on one connection, in cleartext or inside TLS (RFC 7766). Many queries are in flight, and responses
//! leave in the order in which they become known. One task per connection does everything; a zone without delay responds immediately.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use sotto_wire::header;
use tokio::task::{JoinError, JoinSet, yield_now};
use tokio::time::{Instant, Sleep, sleep};

use crate::Service;
use crate::backend::{LaterResponse, Responded};
use crate::delay::Delayed;
use crate::ending::{Ending, NEWCOMER};
use crate::framing::frame;
use crate::outbox::Outbox;
use crate::pipe::{Pipe, Written};
use crate::places::{Place, Urgency};
use crate::transport::Transport;

/// Messages that are no query: a client sends few of them, garbage is full of them.
const MOST_FAULTS: usize = 16;
/// Queries after which other connections have their turn: whoever asks without end makes them wait for so many, not for all of his.
const TURN: usize = 32;
/// Octets that a query without a response takes, on average.
const OF_A_QUERY: usize = 2048;

#[expect(
    clippy::cognitive_complexity,
    reason = "one select! over all that a connection waits for; it counts its expansion"
)]
pub async fn converse(
    pipe: &mut Pipe,
    input: Vec<u8>,
    (transport, client): (Transport, IpAddr),
    service: &Service,
    place: &Place,
) -> Ending {
    let mut conversation = Conversation::new(service, (transport, client), input);
    let mut stop = pin!(place.is_wanted(Urgency::Served));
    let mut alarm = pin!(sleep(service.limits.idle.min(service.limits.stalled)));
    let mut turn = None;
    let ending = loop {
        if let Err(ending) = conversation.take_queries() {
            break ending;
        }
        if conversation.is_over() {
            break Ending::Polite;
        }
        place.holds(conversation.held(pipe));
        if conversation.has_had_its_turn() {
            if poll_fn(|context| conversation.poll_leave_the_turn(pipe, context)).await.is_err() {
                break Ending::Broken;
            }
            yield_now().await;
            drop(turn.take());
            turn = Some(service.turns.for_queries().await);
            continue;
        }
        drop(turn.take());
        conversation.take_place(place);
        conversation.rest();
        tokio::select! {
            biased;
            () = &mut stop => {
                if place.is_lost_at_once() {
                    break Ending::Expelled;
                }
                alarm.as_mut().reset(conversation.stop(place));
                stop.set(place.is_wanted(Urgency::AtOnce));
            }
            () = conversation.delayed.due() => conversation.release(),
            next = poll_fn(|context| conversation.poll_next(pipe, context)) => match next {
                Ok(Next::Response(response)) => conversation.answered(response),
                Ok(Next::Written(written)) => conversation.output.written(written),
                Ok(Next::Read(octets)) => conversation.has_read(octets),
                Err(_) => break Ending::Broken,
            },
            () = &mut alarm => if let Some(ending) = conversation.alarm(alarm.as_mut()) {
                break ending;
            },
        }
    };
    if ending == Ending::Stalled {
        service.responder.stats.slow_reader_cut();
    }
    ending
}

enum Next {
    Response(Result<Vec<u8>, JoinError>),
    /// Octets; they are in the input.
    Read(usize),
    Written(Written),
}

struct Conversation<'a> {
    service: &'a Service,
    transport: Transport,
    client: IpAddr,
    input: Vec<u8>,
    output: Outbox,
    /// Responses that are not known yet, and responses that wait for an artificial delay.
    pending: JoinSet<Vec<u8>>,
    delayed: Delayed<Vec<u8>>,
    /// Queries since others had their turn.
    in_turn: usize,
    /// The client may still send queries.
    reading: bool,
    /// It may, and there is room for them.
    wants_to_read: bool,
    /// It ends, and so long a first query is waited for.
    stops: Option<Instant>,
    faults: usize,
    has_asked: bool,
    /// One of its messages has a response, or will have one.
    has_response: bool,
    last_query: Instant,
}

impl<'a> Conversation<'a> {
    fn new(service: &'a Service, (transport, client): (Transport, IpAddr), input: Vec<u8>) -> Self {
        let now = Instant::now();
        Conversation {
            service,
            transport,
            client,
            input,
            output: Outbox::unflushed(now),
            pending: JoinSet::new(),
            delayed: Delayed::new(),
            in_turn: 0,
            reading: true,
            wants_to_read: true,
            stops: None,
            faults: 0,
            has_asked: false,
            has_response: false,
            last_query: now,
        }
    }

    fn in_flight(&self) -> usize {
        self.pending.len() + self.delayed.len()
    }

    /// Octets of messages that are not through.
    fn held(&self, pipe: &Pipe) -> usize {
        self.input.capacity() + self.output.held() + pipe.held() + self.in_flight() * OF_A_QUERY
    }

    fn has_room(&self) -> bool {
        self.in_flight() < self.service.limits.in_flight && self.output.has_room()
    }

    fn has_had_its_turn(&self) -> bool {
        self.in_turn >= TURN
    }

    /// Sends what can be sent at once, before others have their turn.
    fn poll_leave_the_turn(&mut self, pipe: &mut Pipe, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.in_turn = 0;
        if self.output.wants_to_write()
            && let Poll::Ready(written) = self.output.poll_write(pipe, context)
        {
            self.output.written(written?);
        }
        Poll::Ready(Ok(()))
    }

    /// Takes the queries that were read, until its turn is over or there is no room for more responses.
    /// What is no message of DNS ends the reading; responses to what came before it leave all the same.
    fn take_queries(&mut self) -> Result<(), Ending> {
        let input = std::mem::take(&mut self.input);
        let mut at = 0;
        let mut taken = Ok(());
        while taken.is_ok() && self.has_room() && !self.has_had_its_turn() {
            let Some(message) = frame(&input[at..]) else {
                break;
            };
            at += 2 + message.len();
            self.in_turn += 1;
            taken = self.take(message);
        }
        let has_room = self.has_room();
        self.input = input;
        self.input.drain(..at);
        if at > 0 {
            (self.has_asked, self.last_query) = (true, Instant::now());
        }
        if taken.is_err() && self.has_response {
            self.reading = false;
            self.input.clear();
            taken = Ok(());
        }
        self.wants_to_read = self.reading && has_room;
        taken
    }

    fn take(&mut self, message: &[u8]) -> Result<(), Ending> {
        if message.len() < header::LENGTH {
            return Err(Ending::Broken);
        }
        let Service { responder, delay, .. } = self.service;
        let (transport, client) = (self.transport, self.client);
        let response = self.output.compose(|output| {
            let message_at = output.len();
            let response = responder.respond(message, transport, client, output);
            if matches!(response, Responded::Written | Responded::Fault) && !delay.is_none() {
                self.delayed.push(Instant::now() + delay.choose(), output.split_off(message_at));
                return (false, response);
            }
            (matches!(response, Responded::Written | Responded::Fault), response)
        });
        self.has_response |= !matches!(response, Responded::Silence);
        self.faults += usize::from(matches!(response, Responded::Fault));
        match response {
            Responded::Fault if self.faults > MOST_FAULTS => return Err(Ending::Broken),
            Responded::Written | Responded::Fault => {}
            Responded::Silence => return Err(Ending::Broken),
            Responded::Later(later) => self.wait_for(later),
        }
        Ok(())
    }

    fn wait_for(&mut self, later: LaterResponse) {
        let delay = self.service.delay;
        self.pending.spawn(async move {
            let response = later.await;
            if !delay.is_none() {
                sleep(delay.choose()).await;
            }
            response
        });
    }

    fn answered(&mut self, first: Result<Vec<u8>, JoinError>) {
        self.queue_response(first);
        while let Some(next) = self.pending.try_join_next() {
            self.queue_response(next);
        }
    }

    fn queue_response(&mut self, response: Result<Vec<u8>, JoinError>) {
        if let Ok(response) = response {
            self.output.push(&response);
        }
    }

    fn release(&mut self) {
        let now = Instant::now();
        while let Some(response) = self.delayed.pop_due(now) {
            self.output.push(&response);
        }
    }

    fn poll_next(&mut self, pipe: &mut Pipe, context: &mut Context<'_>) -> Poll<io::Result<Next>> {
        if let Poll::Ready(Some(response)) = self.pending.poll_join_next(context) {
            return Poll::Ready(Ok(Next::Response(response)));
        }
        if self.output.wants_to_write()
            && let Poll::Ready(written) = self.output.poll_write(pipe, context)
        {
            return Poll::Ready(written.map(Next::Written));
        }
        if self.wants_to_read {
            match pipe.poll_receive(context, &mut self.input) {
                Poll::Ready(read) => return Poll::Ready(read.map(Next::Read)),
                Poll::Pending if self.waits_for_no_more() => return Poll::Ready(Ok(Next::Read(0))),
                Poll::Pending => {}
            }
        }
        // whoever waits has let others go first
        self.in_turn = 0;
        Poll::Pending
    }

    /// Of a connection that ends, what has come already is answered.
    fn has_read(&mut self, octets: usize) {
        if octets == 0 || (self.stops.is_some() && self.has_asked) {
            self.reading = false;
        }
    }

    fn waits_for_no_more(&self) -> bool {
        self.stops.is_some_and(|until| self.has_asked || Instant::now() >= until)
    }

    /// Returns until when a first query is waited for.
    fn stop(&mut self, place: &Place) -> Instant {
        let now = Instant::now();
        *self.stops.insert(if place.is_lost() { now } else { self.last_query + NEWCOMER })
    }

    fn is_over(&self) -> bool {
        !self.reading && self.in_flight() == 0 && !self.output.wants_to_write()
    }

    /// It gives up its place to others only while nobody waits for a response.
    fn take_place(&self, place: &Place) {
        match self.is_idle() {
            true => place.idles_since(self.last_query.max(self.output.last_write()), self.has_asked),
            false => place.is_busy(),
        }
    }

    fn is_idle(&self) -> bool {
        self.in_flight() == 0 && !self.output.wants_to_write()
    }

    /// Gives back what only a connection needs that is being used.
    fn rest(&mut self) {
        if self.is_idle() {
            self.output.rest();
            self.delayed = Delayed::new();
            self.input.shrink_to_fit();
        }
    }

    /// The alarm is set once and checked when it rings: mostly something has happened since, and it is set again.
    fn alarm(&self, alarm: Pin<&mut Sleep>) -> Option<Ending> {
        let limits = &self.service.limits;
        let (deadline, ending) = if self.output.wants_to_write() {
            (self.output.last_write() + limits.stalled, Ending::Stalled)
        } else if self.in_flight() > 0 {
            (Instant::now() + limits.idle, Ending::Polite)
        } else {
            (self.last_query.max(self.output.last_write()) + limits.idle, Ending::Polite)
        };
        if deadline <= Instant::now() {
            return Some(ending);
        }
        // a response may start to wait at any time, and from then on its client has `stalled`
        alarm.reset(deadline.min(Instant::now() + limits.stalled.max(Duration::from_millis(1))));
        None
    }
}
