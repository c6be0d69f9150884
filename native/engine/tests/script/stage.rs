//! Everything in a scenario: an engine, its settings, scripted peers, clients, and the lines that move them.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use serde_json::json;
use sotto_engine::config::EngineConfig;
use sotto_engine::counts::Counts;
use sotto_engine::engine::Engine;
use sotto_engine::events::event::Event;
use sotto_engine::outcome::ClientProtocol;
use sotto_engine::wire::header;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::peer::{Cookies, Peer};
use super::settings::Settings;
use super::transports::Scripted;
use super::words::{kind_of, parse_name, question, rcode_of, says, words, wrong};
use super::{Statement, duration};

/// Rounds in which everything that is ready runs; no time passes.
const ROUNDS: usize = 100;

pub struct Stage {
    pub engine: Arc<Engine>,
    pub peers: HashMap<String, Arc<Peer>>,
    pub settings: Settings,
    pub transports: Scripted,
    /// settings were read that are not in force yet
    changed: bool,
    /// of this machine, so far
    network_changes: u64,
    waiting: HashMap<String, JoinHandle<Heard>>,
    pub heard: Option<Heard>,
}

/// A client's query and its result.
pub struct Heard {
    pub asked: Vec<u8>,
    pub protocol: ClientProtocol,
    pub reply: Vec<u8>,
    pub event: Option<Event>,
    pub took: std::time::Duration,
}

impl Stage {
    pub fn new() -> Self {
        let transports = Scripted::default();
        let runtime = tokio::runtime::Handle::current();
        let deliver = Box::new(|_: Vec<u8>| true);
        let engine =
            Engine::within(runtime, Arc::new(transports.clone()), deliver, Arc::new(|| {}), Counts::InMemory);
        Self {
            engine: Arc::new(engine),
            peers: HashMap::new(),
            settings: Settings::new(),
            transports,
            changed: true,
            network_changes: 0,
            waiting: HashMap::new(),
            heard: None,
        }
    }

    pub async fn play(&mut self, statement: &Statement) -> Result<(), String> {
        let words = words(&statement.text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if self.set(&words)? {
            self.changed = true;
            return Ok(());
        }
        if let ["settings", "are", "refused", code] = words[..] {
            return self.refused(code).await;
        }
        if let [who, rest @ ..] = &words[..]
            && self.peers.contains_key(*who)
        {
            self.direct(who, rest, statement)?;
            settle().await;
            return Ok(());
        }
        if self.changed {
            self.apply().await?;
        }
        match words[..] {
            ["client", "asks", ref rest @ ..] => {
                let heard = self.start(rest)?.await.map_err(|error| error.to_string())?;
                self.take(heard)?;
            }
            ["client", who, "starts", "asking", ref rest @ ..] => {
                let asking = self.start(rest)?;
                self.waiting.insert(who.into(), asking);
            }
            ["client", who, "hears"] => {
                let asking = self.waiting.remove(who).ok_or_else(|| format!("{who} asked nothing"))?;
                let heard = asking.await.map_err(|error| error.to_string())?;
                self.take(heard)?;
            }
            ["client", who, "goes", "away"] => {
                let asking = self.waiting.remove(who).ok_or_else(|| format!("{who} asked nothing"))?;
                asking.abort();
            }
            ["time", "passes", number, unit] => tokio::time::sleep(duration(number, unit)?).await,
            ["cache", "is", "flushed"] => self.engine.flush_cache(),
            ["machine", "wakes"] => self.engine.reconnect(),
            ["a", "link", "changes"] => self.engine.stirred(&[], self.network_changes),
            ["a", "route", "appears" | "disappears"] => self.stir(&[]),
            ["we", "lose", "our", "address"] => self.stir(&[[10, 0, 0, 1].into()]),
            ["our", "address", "is", address] => {
                self.transports.0.move_to(address.parse().map_err(|error| format!("{address}: {error}"))?);
            }
            ["expect", ref rest @ ..] => {
                settle().await;
                return self.expect(rest);
            }
            _ => return Err("this line is not understood".into()),
        }
        settle().await;
        Ok(())
    }

    /// Its one upstream, in force from now on.
    pub async fn enter_upstream(&mut self, name: &str) {
        self.set(&["upstream", name, "dot"]).expect("it is well written");
        self.apply().await.expect("they are good");
    }

    /// Fails if a client still waits for a response: the scenario does not say what it gets.
    pub async fn end(&mut self) -> Result<(), String> {
        match self.waiting.keys().next() {
            Some(who) => Err(format!("client {who} was never heard")),
            None => Ok(()),
        }
    }

    /// The classes of the leases under which queries may leave now in cleartext, as the lines above say.
    pub fn open_leases(&self) -> Vec<String> {
        let is_known = self.settings.network_changes == self.network_changes;
        self.settings.leases.iter().filter(|_| is_known).map(|lease| lease.class.clone()).collect()
    }

    pub fn peer(&self, name: &str) -> Result<&Arc<Peer>, String> {
        self.peers.get(name).ok_or_else(|| format!("nobody is called {name:?}"))
    }

    /// Whether the line is a setting.
    fn set(&mut self, words: &[&str]) -> Result<bool, String> {
        match *words {
            ["upstream", id, "takes", name, "from", "some"] => {
                self.settings.for_some = Some((id.into(), name.into()));
            }
            ["upstream", name, transport, ref place @ ..] => {
                let address = self.enter(name, place)?;
                self.settings.upstreams.push((name.into(), transport.into(), address));
            }
            ["resolver", name, ref place @ ..] => {
                self.enter(name, place)?;
                return Ok(true);
            }
            ["no", "upstream", name] => self.settings.upstreams.retain(|(id, ..)| id != name),
            ["no", "upstreams"] => self.settings.upstreams.clear(),
            ["upstreams", "in", "order", ref names @ ..] => {
                let place = |id: &str| names.iter().position(|name| *name == id);
                self.settings.upstreams.sort_by_key(|(id, ..)| place(id));
            }
            ["bypass", word, "to", "nobody"] => self.settings.bypass.push((word.into(), vec![])),
            ["bypass", word, "to", ref names @ .., "as", "policy"] => {
                let to = self.addresses(names)?;
                self.settings.bypass.push((word.into(), to));
                self.settings.wide.push(word.into());
            }
            ["bypass", suffix, "to", ref names @ ..] => {
                let to = self.addresses(names)?;
                self.settings.bypass.push((suffix.into(), to));
            }
            ["no", "bypass", suffix] => self.settings.bypass.retain(|(own, _)| own != suffix),
            ["lease", class] => self.settings.grant(class, None, None),
            ["lease", class, "for", number, unit] => {
                self.settings.grant(class, None, Some(duration(number, unit)?));
            }
            ["lease", class, "rule", suffix] => self.settings.grant(class, Some(suffix.into()), None),
            ["no", "lease", class] => self.settings.leases.retain(|lease| lease.class != class),
            ["rung", "network", "to", ref names @ ..] => {
                self.settings.network_resolvers = self.addresses(names)?;
            }
            ["strategy", strategy] => self.settings.strategy = Some(strategy.into()),
            ["questions", "are", "held"] => self.settings.holds = true,
            ["mode", "private"] => self.settings.mode = None,
            ["mode", class, "via", ref names @ ..] => {
                self.settings.mode = Some((class.into(), self.addresses(names)?));
            }
            ["the", "network", "is", "known"] => self.settings.network_changes = self.network_changes,
            ["network", name] => self.settings.network = name.into(),
            ["serve", "stale"] => self.settings.stale_hours = Some(24),
            ["serve", "stale", "at", "once"] => {
                (self.settings.stale_hours, self.settings.stale_at_once) = (Some(24), true);
            }
            ["serve", "stale", "for", hours, "h"] => {
                let hours = hours.parse().map_err(|_| format!("{hours:?} is no number"))?;
                self.settings.stale_hours = Some(hours);
            }
            ["connections", "are", "not", "kept", "warm"] => self.keep("keepWarm", json!(false)),
            ["connections", "are", "kept", "warm"] => self.keep("keepWarm", json!(true)),
            ["an", "hour", "has", dials, "dials"] => {
                let dials: u32 = dials.parse().map_err(|_| format!("{dials:?} is no number"))?;
                self.keep("dialsPerHour", json!(dials));
            }
            ["the", "battery", "is", "spared"] => self.keep("spareBattery", json!(true)),
            ["cache", "holds", entries] => {
                self.settings.entries = entries.parse().map_err(|_| format!("{entries:?} is no number"))?;
            }
            ["the", "hot", "set", "holds", names] => {
                self.settings.hot_set = names.parse().map_err(|_| format!("{names:?} is no number"))?;
            }
            ["forward", "special", name] => self.settings.forward_special.push(name.into()),
            ["allow", "private", name] => self.settings.allow_private.push(name.into()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn keep(&mut self, setting: &str, value: serde_json::Value) {
        self.settings.connections.insert(setting.into(), value);
    }

    /// The machine may have left its network, as far as the kernel knows.
    fn stir(&mut self, gone: &[IpAddr]) {
        self.network_changes += 1;
        self.engine.stirred(gone, self.network_changes);
    }

    /// Adds a peer: somewhere on the Internet, or `near`, in our own network.
    fn enter(&mut self, name: &str, place: &[&str]) -> Result<SocketAddr, String> {
        if let Some(peer) = self.peers.get(name) {
            return Ok(peer.address);
        }
        let number = self.peers.len() + 1;
        let network = match place {
            [] => "192.0.2",
            ["near"] => "192.168.1",
            _ => return Err(format!("{place:?} is no place")),
        };
        let address = format!("{network}.{number}:853").parse().expect("an address");
        self.peers.insert(name.into(), self.transports.0.add(&self.engine, address));
        Ok(address)
    }

    fn addresses(&self, names: &[&str]) -> Result<Vec<SocketAddr>, String> {
        names.iter().filter(|name| **name != "nobody").map(|name| Ok(self.peer(name)?.address)).collect()
    }

    async fn apply(&mut self) -> Result<(), String> {
        self.changed = false;
        let config = EngineConfig::parse(&self.settings.json()).map_err(|error| error.to_string())?;
        self.engine.apply(config).await.map_err(|error| format!("settings refused: {error}"))?;
        settle().await;
        Ok(())
    }

    async fn refused(&mut self, code: &str) -> Result<(), String> {
        self.changed = false;
        let applied = match EngineConfig::parse(&self.settings.json()) {
            Ok(config) => self.engine.apply(config).await,
            Err(error) => Err(error),
        };
        match applied {
            Err(error) if error.code == code => Ok(()),
            Err(error) => Err(format!("refused with {}: {error}", error.code)),
            Ok(()) => Err("they were accepted".into()),
        }
    }

    /// `NAME TYPE [do] [cd] [ad] [tcp] [noedns] [edns=SIZE] [class=NUMBER]`
    fn start(&mut self, words: &[&str]) -> Result<JoinHandle<Heard>, String> {
        let [name, kind, options @ ..] = words else {
            return Err("a question is NAME TYPE".into());
        };
        let mut flags = header::RD;
        let (mut edns, mut dnssec_ok, mut class, mut protocol) = (Some(1232), false, 1, ClientProtocol::Udp);
        for option in options {
            match option.split_once('=').unwrap_or((option, "")) {
                ("do", _) => dnssec_ok = true,
                ("cd", _) => flags |= header::CD,
                ("ad", _) => flags |= header::AD,
                ("nord", _) => flags &= !header::RD,
                ("tcp", _) => protocol = ClientProtocol::Tcp,
                ("noedns", _) => edns = None,
                ("edns", size) => edns = Some(size.parse().map_err(|_| format!("{size:?} is no size"))?),
                ("class", number) => class = number.parse().map_err(|_| format!("{number:?} is no class"))?,
                _ => return Err(format!("{option:?} is no option of a question")),
            }
        }
        let asked = question(name, kind, class, flags, edns, dnssec_ok)?;
        let engine = self.engine.clone();
        Ok(tokio::spawn(async move {
            let began = Instant::now();
            let (reply, event) = engine.ask_as(protocol, asked.clone()).await;
            Heard { asked, protocol, reply, event, took: began.elapsed() }
        }))
    }

    fn take(&mut self, heard: Heard) -> Result<(), String> {
        let checked = super::expect::sound(&heard);
        self.heard = Some(heard);
        checked
    }

    /// Tells a peer what to do.
    fn direct(&self, who: &str, words: &[&str], statement: &Statement) -> Result<(), String> {
        let peer = self.peer(who)?;
        let mut state = peer.state();
        match *words {
            ["says", name, kind, ref rest @ ..] => {
                let says = says(rest, &statement.under)?;
                state.says.insert((parse_name(name)?, kind_of(kind)?), says);
            }
            ["goes", "silent"] => state.silent = true,
            ["talks", "again"] => {
                state.silent = false;
                state.refuses = None;
            }
            ["refuses", "connections"] => state.refuses = Some("connections"),
            ["has", "no", "route"] => state.refuses = Some("route"),
            ["takes", "no", "connections"] => state.refuses = Some("silence"),
            ["fails", "in", "TLS"] => state.refuses = Some("tls"),
            ["declines", "STARTTLS"] => state.refuses = Some("starttls"),
            ["takes", "no", "streams"] => state.takes_no_streams = true,
            ["takes", number, unit] => state.takes = duration(number, unit)?,
            ["closes"] => {
                drop(state);
                peer.cut();
            }
            ["closes", "after", "each", "question"] => state.closes_after_each = true,
            ["closes", "at", name] => state.closes_at = Some(parse_name(name)?),
            ["closes", "after", number, unit] => state.idle = Some(duration(number, unit)?),
            ["keeps", "connections"] => state.closes_after_each = false,
            ["cuts", "datagrams"] => state.cuts_datagrams = true,
            ["repeats", "no", "question"] => state.repeats_no_question = true,
            ["also", "sends", ref what @ ..] => state.also.push(wrong(what)?),
            ["sends", "only", ref what @ ..] => state.only = Some(wrong(what)?),
            ["is", "honest", "again"] => {
                state.only = None;
                state.also.clear();
            }
            ["knows", "cookies"] => state.cookies = Some(Cookies { demanded: false, secret: 1 }),
            ["demands", "cookies"] => state.cookies = Some(Cookies { demanded: true, secret: 1 }),
            ["demands", "ever", "new", "cookies"] => state.restless = true,
            ["changes", "its", "cookie"] => {
                state.cookies.as_mut().ok_or("it has no cookies")?.secret += 1;
            }
            ["forgets", "cookies"] => state.cookies = None,
            ["answers", "EDNS", "with", "BADVERS"] => state.edns_error = Some(16),
            ["answers", "EDNS", "with", code] => state.edns_error = Some(rcode_of(code)?),
            ["sends", "our", "OPT", "back"] => state.echoes_opt = true,
            ["drops", "EDNS"] => state.drops_edns = true,
            ["answers", "only", "streams"] => state.drops_datagrams = true,
            ["drops", "everything", "about", name] => state.drops_names.push(parse_name(name)?),
            ["drops", kind] => state.drops_types.push(kind_of(kind)?),
            ["omits", "the", "question"] => state.omits_question = true,
            ["chokes", "on", "cookies"] => state.chokes_on_cookies = true,
            ["knows", "no", "EDNS"] => state.knows_no_edns = true,
            ["asks", "us", "back"] => state.loops = true,
            _ => return Err("this line is not understood".into()),
        }
        Ok(())
    }
}

pub async fn settle() {
    for _ in 0..ROUNDS {
        tokio::task::yield_now().await;
    }
}
