//! A scripted peer: what it was told to do, and which queries it got.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use sotto_engine::engine::Engine;
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::wire::edns::{Edns, option, option_of};
use sotto_engine::wire::header::{self, Header};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use tokio::sync::broadcast;
use tokio::time::sleep;

use super::reply::{Says, Wrong, compose, spoil};

pub type Knows = Box<dyn Fn(&Question) -> Option<Says> + Send>;

#[derive(Default)]
pub struct State {
    pub says: HashMap<(Name, u16), Says>,
    /// what it says where it was told nothing
    pub knows: Option<Knows>,
    /// sent before the right response
    pub also: Vec<Wrong>,
    /// sent instead of the right response
    pub only: Option<Wrong>,
    pub silent: bool,
    pub refuses: Option<&'static str>,
    pub takes: Duration,
    pub closes_after_each: bool,
    /// at a query for this name it closes, whatever else is in flight
    pub closes_at: Option<Name>,
    /// it closes after a silence of this length
    pub idle: Option<Duration>,
    pub cuts_datagrams: bool,
    pub cookies: Option<Cookies>,
    /// it accepts no cookie twice
    pub restless: bool,
    pub chokes_on_cookies: bool,
    pub knows_no_edns: bool,
    /// what it answers to any query with EDNS
    pub edns_error: Option<u16>,
    /// an error comes with the OPT of the query, octet by octet
    pub echoes_opt: bool,
    pub drops_edns: bool,
    pub drops_types: Vec<u16>,
    pub drops_names: Vec<Name>,
    pub takes_no_streams: bool,
    pub drops_datagrams: bool,
    /// in any response
    pub omits_question: bool,
    /// in an error
    pub repeats_no_question: bool,
    /// it asks the engine, and knows nothing itself
    pub loops: bool,
    pub asked: Vec<Asked>,
    pub dials: usize,
}

impl State {
    /// Whether it closes the connection over this query.
    pub fn closes_at(&self, message: &[u8]) -> bool {
        let name = Question::read(message).expect("the engine sends well-formed questions").0.name;
        self.closes_after_each || self.closes_at.as_ref() == Some(&name)
    }
}

pub struct Cookies {
    pub demanded: bool,
    pub secret: u8,
}

pub struct Peer {
    pub address: SocketAddr,
    state: Mutex<State>,
    pub cut: broadcast::Sender<()>,
    engine: Weak<Engine>,
}

impl Peer {
    pub fn new(address: SocketAddr, engine: &Arc<Engine>) -> Self {
        Self {
            address,
            state: Mutex::default(),
            cut: broadcast::channel(1).0,
            engine: Arc::downgrade(engine),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Ends every connection.
    pub fn cut(&self) {
        let _ = self.cut.send(());
    }

    /// A part of the queries never gets a response.
    fn drops(&self, message: &[u8], by: Way) -> bool {
        let (state, question) = (self.state(), Question::read(message).expect("it is one").0);
        let has_edns = Edns::find(message).unwrap().is_some();
        state.silent
            || (state.drops_datagrams && by == Way::Datagram)
            || (state.drops_edns && has_edns)
            || state.drops_types.contains(&question.kind)
            || state.drops_names.contains(&question.name)
    }

    /// What it sends in response to one query, after its time.
    pub async fn react(&self, message: &[u8], by: Way) -> Vec<(Vec<u8>, SocketAddr)> {
        if asks_for_life(message) {
            let state = self.state();
            return if state.silent { vec![] } else { vec![(compose(&state, message, by), self.address)] };
        }
        let silent = self.drops(message, by);
        let (takes, loops) = {
            let mut state = self.state();
            note(&mut state, message, by);
            if state.restless
                && let Some(cookies) = &mut state.cookies
            {
                cookies.secret += 1;
            }
            (state.takes, state.loops)
        };
        if silent {
            return vec![];
        }
        sleep(takes).await;
        if loops {
            let engine = self.engine.upgrade();
            let Some(engine) = engine else { return vec![] };
            let (reply, _) = engine.ask_as(ClientProtocol::Udp, message.to_vec()).await;
            return vec![(reply, self.address)];
        }
        let state = self.state();
        let right = compose(&state, message, by);
        let wrong: Vec<Wrong> = state.only.into_iter().chain(state.also.iter().copied()).collect();
        let mut sent: Vec<_> =
            wrong.into_iter().map(|wrong| spoil(right.clone(), self.address, wrong)).collect();
        if state.only.is_none() {
            sent.push((right, self.address));
        }
        sent
    }
}

/// One query that it got.
#[derive(Clone)]
pub struct Asked {
    pub question: Question,
    /// name, type and class as they were on the wire
    pub octets: Vec<u8>,
    pub header: Header,
    pub edns: Option<Edns>,
    pub cookie: Option<Vec<u8>>,
    pub length: usize,
    pub by: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Datagram,
    Stream,
}

/// Whether this is the engine's liveness query. A living peer responds at once, and no scenario counts it.
pub fn asks_for_life(message: &[u8]) -> bool {
    let question = Question::read(message).expect("the engine sends well-formed questions").0;
    question == Question { name: Name::ROOT, kind: types::NS, class: types::IN }
}

pub fn note(state: &mut State, message: &[u8], by: Way) {
    let (question, end) = Question::read(message).expect("the engine sends well-formed questions");
    state.asked.push(Asked {
        question,
        octets: message[header::LENGTH..end].to_vec(),
        header: Header::read(message).unwrap(),
        edns: Edns::find(message).unwrap().map(|(edns, _)| edns),
        cookie: option_of(message, option::COOKIE).map(<[u8]>::to_vec),
        length: message.len(),
        by,
    });
}
