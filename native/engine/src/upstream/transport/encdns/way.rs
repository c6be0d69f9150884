//! The way of a query in one manner, through the first hop to the server: its boxes leave together, a puzzle is solved if the server
//! wants that, and the parts of the response are put together.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sotto_encdns::client::{Client, Opened, Sealed, SealedBox, Unsealed};
use sotto_encdns::manners::Manner;
use sotto_encdns::name::Format;
use sotto_encdns::puzzle::{Effort, Puzzle};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::describe::rcode_name;
use crate::outcome::TransportKind;
use crate::response::Response;
use crate::upstream::exchange::{Exchange, Exchanged};
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::{Hop, Outgoing};
use crate::upstream::running::Running;
use crate::wire::header;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::record::{Records, Section};
use crate::wire::types;

/// Further parts of a response that are asked for at once.
const WISHES: usize = 16;

/// What one query may cost in hashes; it ends with the query.
#[derive(Default)]
struct Work(Arc<Effort>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// What came for a box, and how it travelled.
type Brought = (Opened, Exchanged);

pub struct Way {
    client: Arc<Client>,
    pub first_hop: Box<dyn Exchange>,
    /// for errors, and as what its labels are remembered
    pub first_hop_place: String,
    /// one puzzle is solved at a time
    solving: Arc<Semaphore>,
    /// responses that were not to what was asked
    strays: AtomicU64,
}

impl Way {
    pub fn new(client: Client, first_hop: Box<dyn Exchange>, first_hop_place: String) -> Self {
        let solving = Arc::new(Semaphore::new(1));
        Self { client: Arc::new(client), first_hop, first_hop_place, solving, strays: AtomicU64::new(0) }
    }

    pub fn strays(&self) -> u64 {
        self.strays.load(Ordering::Relaxed)
    }

    /// Nobody at the server connects what was before with what comes after.
    pub fn forget_pair(&self) {
        self.client.forget_pair();
    }

    /// With an OPT where there is room for one; without, unless the client wants DNSSEC data or there have to be several boxes anyway.
    fn message(&self, query: &Outgoing, manner: Manner) -> Vec<u8> {
        let (id, room) = (rand::random(), self.client.room(manner));
        let message = query.message(id, Hop::Box);
        if message.len() <= room || query.wants_dnssec() {
            return message;
        }
        let bare = query.bare(id);
        if manner.format == Format::Published || bare.len() <= room { bare } else { message }
    }

    pub async fn carry(
        &self,
        query: &Arc<Outgoing>,
        manner: Manner,
        deadline: Instant,
    ) -> Result<Exchanged, Failure> {
        let (start, message) = (Instant::now(), self.message(query, manner));
        let work = Work::default();
        let seal = move |client: &Client, puzzle: Option<(Puzzle, &Effort)>| {
            client.seal(&message, manner, puzzle, std::time::Instant::now())
        };
        let mut sealed = Arc::new(seal(&self.client, None).map_err(refusal)?);
        let mut brought = self.bring_all(query, &sealed, deadline).await?;
        if let Some(puzzle) = brought.iter().find_map(puzzle) {
            let solving =
                self.solve(&work, deadline, move |client, effort| seal(client, Some((puzzle, effort))));
            sealed = Arc::new(solving.await?);
            brought = self.bring_all(query, &sealed, deadline).await?;
        }
        let (message, last) = self.response(query, &sealed, &work, brought, deadline).await?;
        let (response, _) = Response::read(message, &query.question)?;
        Ok(Exchanged { response, transport: TransportKind::EncDns, wait: start.elapsed(), ..last })
    }

    /// The message whose first part one of the boxes has brought; its other parts are asked for.
    async fn response(
        &self,
        query: &Arc<Outgoing>,
        sealed: &Arc<Sealed>,
        work: &Work,
        brought: Vec<Brought>,
        deadline: Instant,
    ) -> Result<(Vec<u8>, Exchanged), Failure> {
        let first = brought.into_iter().find_map(|(opened, exchanged)| match opened {
            Opened::Part { place: 0, count, octets } => Some((count, octets, exchanged)),
            _ => None,
        });
        let Some((count, mut message, mut last)) = first else {
            return Err(Failure::NotCarried("the server kept parts of a query and did not answer".into()));
        };
        let places: Vec<u8> = (1..count).collect();
        for places in places.chunks(WISHES) {
            let mut parts = self.wish_all(query, sealed, work, (places, count), deadline).await?;
            parts.sort_by_key(|(place, ..)| *place);
            for (_, octets, exchanged) in parts {
                message.extend(octets);
                if message.len() > usize::from(u16::MAX) {
                    return Err(Failure::NotCarried("the server gave more than a message may have".into()));
                }
                last = Exchanged { round_trips: last.round_trips.saturating_add(1), ..exchanged };
            }
        }
        Ok((message, last))
    }

    /// These parts of the response, in any order.
    async fn wish_all(
        &self,
        query: &Arc<Outgoing>,
        sealed: &Arc<Sealed>,
        work: &Work,
        (places, of): (&[u8], u8),
        deadline: Instant,
    ) -> Result<Vec<(u8, Vec<u8>, Exchanged)>, Failure> {
        let mut running = Running::default();
        for place in places {
            running.start(*place, Box::pin(self.wish(query, sealed, work, *place, deadline)));
        }
        let mut parts = Vec::with_capacity(places.len());
        while !running.is_empty() {
            match running.next().await {
                (wanted, Ok((Opened::Part { place, count, octets }, exchanged)))
                    if (place, count) == (wanted, of) =>
                {
                    parts.push((place, octets, exchanged));
                }
                (_, Err(failure)) => return Err(failure),
                _ => return Err(Failure::NotCarried("the server gave another part of its response".into())),
            }
        }
        Ok(parts)
    }

    async fn wish(
        &self,
        query: &Arc<Outgoing>,
        sealed: &Arc<Sealed>,
        work: &Work,
        place: u8,
        deadline: Instant,
    ) -> Result<Brought, Failure> {
        let wish = self.client.wish(sealed, place, None).map_err(refusal)?;
        let brought = self.bring(query, sealed, &wish, deadline).await?;
        let Some(puzzle) = puzzle(&brought) else { return Ok(brought) };
        let of = sealed.clone();
        let solving =
            self.solve(work, deadline, move |client, effort| client.wish(&of, place, Some((puzzle, effort))));
        self.bring(query, sealed, &solving.await?, deadline).await
    }

    /// Away from the threads that carry queries. Whoever asks for much work gets no more than one thread of it.
    async fn solve<Solved: Send + 'static>(
        &self,
        work: &Work,
        deadline: Instant,
        solution: impl FnOnce(&Client, &Effort) -> Result<Solved, Unsealed> + Send + 'static,
    ) -> Result<Solved, Failure> {
        let permit = timeout_at(deadline, self.solving.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| Failure::TimedOut)?.expect("nobody closes it");
        let (client, effort) = (self.client.clone(), work.0.clone());
        let solved = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            solution(&client, &effort)
        });
        let solved = timeout_at(deadline, solved).await.map_err(|_| Failure::TimedOut)?;
        solved.expect("hashing does not panic").map_err(refusal)
    }

    /// All of them, or the first failure.
    async fn bring_all(
        &self,
        query: &Arc<Outgoing>,
        sealed: &Sealed,
        deadline: Instant,
    ) -> Result<Vec<Brought>, Failure> {
        let mut running = Running::default();
        for one in &sealed.boxes {
            running.start((), Box::pin(self.bring(query, sealed, one, deadline)));
        }
        let mut brought = Vec::with_capacity(sealed.boxes.len());
        while !running.is_empty() {
            brought.push(running.next().await.1?);
        }
        Ok(brought)
    }

    async fn bring(
        &self,
        query: &Arc<Outgoing>,
        sealed: &Sealed,
        one: &SealedBox,
        deadline: Instant,
    ) -> Result<Brought, Failure> {
        let (name, _) = Name::read(&one.name, 0).map_err(|_| Failure::DoesNotFit)?;
        let question = Question { name, kind: types::TXT, class: types::IN };
        let rest = [types::TXT.to_be_bytes(), types::IN.to_be_bytes()].concat();
        let mut boxed = Outgoing::new(question, &[&one.name[..], &rest].concat(), false, false);
        boxed.by_program = query.by_program;
        let boxed = Arc::new(boxed);
        let carried = self.first_hop.exchange(boxed.clone(), deadline).await;
        let traffic = boxed.traffic();
        query.leaves(traffic.sent as usize);
        query.is_answered(traffic.received as usize);
        let carried = carried?;
        Ok((self.open(sealed, one, &carried.response)?, carried))
    }

    fn open(&self, sealed: &Sealed, one: &SealedBox, carried: &Response) -> Result<Opened, Failure> {
        let mut texts = texts(&carried.message).peekable();
        if texts.peek().is_none() {
            return Err(self.not_carried(carried));
        }
        for text in texts {
            match sealed.open(one, &carried.message[text]) {
                Ok(opened) => return Ok(opened),
                Err(_) => self.strays.fetch_add(1, Ordering::Relaxed),
            };
        }
        Err(Failure::NotCarried(format!(
            "{} responded with what the server did not seal",
            self.first_hop_place
        )))
    }

    fn not_carried(&self, response: &Response) -> Failure {
        let said = match response.rcode() {
            header::rcode::NOERROR if response.truncated() => "with a truncated message".to_owned(),
            header::rcode::NOERROR => "that there is no such record".to_owned(),
            code => rcode_name(code).to_string(),
        };
        Failure::NotCarried(format!("{} responded {said} instead of a boxed response", self.first_hop_place))
    }
}

/// Where the data of the TXT records is in the answer section of a message.
pub fn texts(message: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let records = Records::of(message).into_iter().flatten().filter_map(Result::ok);
    let texts = records.filter(|record| (record.section, record.kind) == (Section::Answer, types::TXT));
    texts.map(|record| record.data)
}

fn puzzle((opened, _): &Brought) -> Option<Puzzle> {
    match opened {
        Opened::Puzzle(puzzle) => Some(*puzzle),
        _ => None,
    }
}

fn refusal(unsealed: Unsealed) -> Failure {
    match unsealed {
        Unsealed::TooLong => Failure::DoesNotFit,
        Unsealed::NoRandomness => Failure::NotCarried("the system gave no random octets".into()),
        Unsealed::TooHard => Failure::NotCarried("a puzzle was asked of it that is too hard".into()),
    }
}
