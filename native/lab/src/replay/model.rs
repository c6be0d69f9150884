//! The reuse of connections between a client and a server, under many idle timeouts in one pass.
//!
//! A query finds a connection open if the one before it, of the same client to the same server, came no longer ago than the
//! timeout. So one gap decides for all timeouts, and each sum is kept by class of gap (see [`Timeouts`]), not by timeout: a query
//! costs one look-up, however many timeouts there are.
//!
//! A pair of client and server is forgotten once neither a connection nor a ticket of it can live. The views by client and prefix
//! keep a few counts of each for good.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxBuildHasher;

use crate::replay::concurrent::Concurrent;
use crate::replay::keep_warm::{ACTIVE, KeepWarm, Warmed};
use crate::replay::query::{Client, Micros, Query, SECOND};
use crate::replay::timeouts::Timeouts;
use crate::replay::view::View;
use crate::replay::window::Window;

/// Pairs are looked through no more often than this: that takes as long as a query of each.
const SWEEP: Micros = 600 * SECOND;

#[derive(Debug, Clone)]
pub struct Settings {
    pub timeouts: Timeouts,
    /// at the start of the trace, because nobody knows what was open then
    pub ignored: Micros,
    /// how long a session can be resumed after its last query
    pub ticket: Micros,
    /// count hits by client and by prefix
    pub by_client: bool,
    pub by_prefix: bool,
    /// clients replace a connection before the server closes it; the round trip to the server
    pub keep_warm: Option<Micros>,
}

#[derive(Debug)]
pub struct Model {
    settings: Settings,
    pairs: HashMap<(Client, u32), Pair, FxBuildHasher>,
    pub most_pairs: usize,
    running: Option<Running>,
    pub sums: Sums,
    pub clients: View<Client>,
    pub prefixes: View<Client>,
    pub servers: View<u32>,
}

/// What exists from the first query on.
#[derive(Debug)]
struct Running {
    window: Window,
    next_sweep: Micros,
    concurrent: Concurrent,
    warm: Option<KeepWarm>,
}

#[derive(Debug, Clone, Copy)]
struct Pair {
    last: Micros,
    client: u32,
    prefix: u32,
    server: u32,
    /// for keep-warm; 0: it has opened none yet
    warm: u32,
    /// its last connection has closed under every timeout, and is counted
    closed: bool,
}

/// By class of gap, one more than there are timeouts.
#[derive(Debug, Clone, Default)]
pub struct Sums {
    pub queries: Vec<u64>,
    /// of these, those whose client still had a ticket
    pub resumable: Vec<u64>,
    /// gaps that began in the window, and their length
    pub gaps: Vec<u64>,
    pub gap_micros: Vec<u128>,
    /// by timeout: open time at the edges of the window, where a gap counts in part
    pub edge_micros: Vec<u128>,
}

impl Sums {
    fn new(classes: usize) -> Self {
        let (counts, sums) = (vec![0; classes], vec![0; classes]);
        Sums {
            queries: counts.clone(),
            resumable: counts.clone(),
            gaps: counts,
            gap_micros: sums.clone(),
            edge_micros: sums,
        }
    }

    /// Queries that found a connection open under timeout `index`.
    pub fn hits(&self, index: usize) -> u64 {
        self.queries[..=index].iter().sum()
    }

    pub fn all(&self) -> u64 {
        self.queries.iter().sum()
    }

    pub fn resumed(&self, index: usize) -> u64 {
        self.resumable[index + 1..].iter().sum()
    }

    /// How long connections were open, in microseconds, added up over all of them.
    pub fn open(&self, index: usize, timeout: Micros) -> u128 {
        let outlasted: u64 = self.gaps[index + 1..].iter().sum();
        let reused: u128 = self.gap_micros[..=index].iter().sum();
        reused + u128::from(outlasted) * u128::from(timeout) + self.edge_micros[index]
    }
}

/// What the whole trace came to.
#[derive(Debug)]
pub struct Finished {
    pub window: Window,
    pub concurrent: Concurrent,
    pub warm: Option<Vec<Warmed>>,
}

impl Model {
    pub fn new(settings: Settings) -> Self {
        let classes = settings.timeouts.count() + 1;
        Model {
            pairs: HashMap::default(),
            most_pairs: 0,
            running: None,
            sums: Sums::new(classes),
            clients: View::new(classes),
            prefixes: View::new(classes),
            servers: View::new(classes),
            settings,
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Queries come in order of time.
    pub fn query(&mut self, query: Query) {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start(query.at),
        };
        running.window.to = query.at;
        if query.at >= running.next_sweep {
            self.sweep(&mut running);
        }
        self.count(&mut running, query);
        self.running = Some(running);
    }

    /// Client and server, remembered now.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// `None`: there was no query.
    pub fn finish(&mut self) -> Option<Finished> {
        let mut running = self.running.take()?;
        let mut pairs = std::mem::take(&mut self.pairs);
        for pair in pairs.values_mut().filter(|pair| !pair.closed) {
            self.close(&mut running, pair);
        }
        self.most_pairs = self.most_pairs.max(pairs.len());
        let (window, mut concurrent) = (running.window, running.concurrent);
        let end = window.to / SECOND;
        concurrent.settle(end);
        let warm = running.warm.map(|warm| warm.finish(end));
        Some(Finished { window, concurrent, warm })
    }

    fn start(&self, first: Micros) -> Running {
        let settings = &self.settings;
        let window = Window::opened_at(first, settings.ignored);
        Running {
            window,
            next_sweep: first + self.interval(),
            concurrent: Concurrent::new(settings.timeouts.clone(), first, window.from),
            warm: settings
                .keep_warm
                .map(|round_trip| KeepWarm::new(settings.timeouts.clone(), round_trip, first, window.from)),
        }
    }

    fn count(&mut self, running: &mut Running, query: Query) {
        let at = query.at;
        let counts = running.window.has(at);
        match self.pairs.entry((query.client, query.server)) {
            Entry::Occupied(entry) => {
                let pair = entry.into_mut();
                let gap = at - pair.last;
                let class = self.settings.timeouts.class(gap);
                if !pair.closed {
                    followed(running, &mut self.sums, pair, gap, class);
                }
                if class > 0 {
                    running.concurrent.opened(at, class);
                }
                if let Some(warm) = &mut running.warm {
                    warm.query(
                        at,
                        (!pair.closed).then_some((pair.last, gap)),
                        &mut pair.warm,
                        running.window,
                    );
                }
                (pair.last, pair.closed) = (at, false);
                if counts {
                    self.sums.queries[class] += 1;
                    self.sums.resumable[class] += u64::from(gap <= self.settings.ticket);
                    let pair = *pair;
                    self.see(pair, class);
                }
            }
            Entry::Vacant(entry) => {
                let class = self.settings.timeouts.last_class();
                let (by_client, by_prefix) = (self.settings.by_client, self.settings.by_prefix);
                let client = query.client;
                let mut pair = Pair {
                    last: at,
                    client: if by_client { self.clients.number(client) } else { 0 },
                    prefix: if by_prefix { self.prefixes.number(client.prefix()) } else { 0 },
                    server: self.servers.number(query.server),
                    warm: 0,
                    closed: false,
                };
                running.concurrent.opened(at, class);
                if let Some(warm) = &mut running.warm {
                    warm.query(at, None, &mut pair.warm, running.window);
                }
                entry.insert(pair);
                if counts {
                    self.sums.queries[class] += 1;
                    self.see(pair, class);
                }
            }
        }
    }

    fn see(&mut self, pair: Pair, class: usize) {
        self.servers.count(pair.server, class);
        if self.settings.by_client {
            self.clients.count(pair.client, class);
        }
        if self.settings.by_prefix {
            self.prefixes.count(pair.prefix, class);
        }
    }

    /// Closes what nobody can find open any more, and forgets pairs without a ticket.
    fn sweep(&mut self, running: &mut Running) {
        let now = running.window.to;
        let (horizon, ticket) = (self.horizon(), self.settings.ticket);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.most_pairs = self.most_pairs.max(pairs.len());
        pairs.retain(|_, pair| {
            let silent = now - pair.last;
            if !pair.closed && silent > horizon {
                self.close(running, pair);
            }
            let kept = silent <= horizon || silent <= ticket;
            if let (false, Some(warm)) = (kept, &mut running.warm) {
                warm.forget(pair.warm);
            }
            kept
        });
        self.pairs = pairs;
        let settled = now.saturating_sub(horizon) / SECOND;
        running.concurrent.settle(settled);
        if let Some(warm) = &mut running.warm {
            warm.settle(settled);
        }
        running.next_sweep = now.saturating_add(self.interval());
    }

    /// No query follows, or none that finds anything open.
    fn close(&mut self, running: &mut Running, pair: &mut Pair) {
        let class = self.settings.timeouts.last_class();
        let silent = running.window.to - pair.last;
        followed(running, &mut self.sums, pair, silent.max(self.settings.timeouts.longest() + 1), class);
        if let Some(warm) = &mut running.warm {
            warm.silence(pair.last, Micros::MAX, &mut pair.warm, running.window);
        }
        pair.closed = true;
    }

    /// After a silence this long nothing is open.
    fn horizon(&self) -> Micros {
        let longest = self.settings.timeouts.longest();
        longest + self.settings.keep_warm.map_or(0, |_| ACTIVE)
    }

    fn interval(&self) -> Micros {
        self.horizon().max(SWEEP)
    }
}

/// How long the connection of the query before was open, by the gap behind it.
fn followed(running: &mut Running, sums: &mut Sums, pair: &Pair, gap: Micros, class: usize) {
    if class > 0 {
        running.concurrent.ended(pair.last, class);
    }
    let timeouts = running.concurrent.timeouts();
    let longest = timeouts.longest();
    let window = running.window;
    if window.has(pair.last) && window.to - pair.last >= gap.min(longest) {
        sums.gaps[class] += 1;
        sums.gap_micros[class] += u128::from(gap);
        return;
    }
    for index in 0..timeouts.count() {
        let open = window.part(pair.last, gap.min(timeouts.micros(index)));
        sums.edge_micros[index] += u128::from(open);
    }
}
