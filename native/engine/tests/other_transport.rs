//! A transport of another kind, all of it in this file: each query is a request of its own (HTTP/1.1, in the manner of RFC 8484),
//! one at a time on a connection, and the id does not matter. It is joined through `Transports` alone; the pool keeps its
//! connections, and everything above uses it like any other.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sotto_engine::config::{ConfigError, EngineConfig, UpstreamConfig};
use sotto_engine::counts::Counts;
use sotto_engine::endpoint::Endpoint;
use sotto_engine::engine::Engine;
use sotto_engine::events::event::Event;
use sotto_engine::outcome::{ClientProtocol, Cost, Outcome};
use sotto_engine::response::Response;
use sotto_engine::upstream::clear::lease::Lease;
use sotto_engine::upstream::connection::carrier::{Ask, Carrier, Duty, End, Fate, Request, Shared, Verdict};
use sotto_engine::upstream::connection::link::{Dial, How, Link};
use sotto_engine::upstream::dial::open::open;
use sotto_engine::upstream::dial::protection::{Protection, TlsFacts};
use sotto_engine::upstream::dial::sockets::{Datagrams, Sockets, Stream, System};
use sotto_engine::upstream::dial::tls::EarlyData;
use sotto_engine::upstream::failure::Failure;
use sotto_engine::upstream::failure::dial_error::DialReason;
use sotto_engine::upstream::running::BoxFuture;
use sotto_engine::upstream::transport::surroundings::{Surroundings, Transports};
use sotto_engine::wire::header::{self, Header, rcode};
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use sotto_skip::clock;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

// the transport

/// Everything by HTTP.
struct OverHttp;

impl Transports for OverHttp {
    fn dialer(&self, _: &UpstreamConfig, _: &str, _: &Surroundings) -> Result<Box<dyn Dial>, ConfigError> {
        Ok(Box::new(Http))
    }

    fn unauthenticated(
        &self,
        config: &UpstreamConfig,
        path: &str,
        around: &Surroundings,
        _: Arc<Lease>,
    ) -> Result<Box<dyn Dial>, ConfigError> {
        self.dialer(config, path, around)
    }
}

impl Sockets for OverHttp {
    fn datagrams(&self, server: SocketAddr) -> BoxFuture<'_, std::io::Result<Box<dyn Datagrams>>> {
        System.datagrams(server)
    }

    fn stream(&self, server: SocketAddr) -> BoxFuture<'_, Result<Box<dyn Stream>, DialReason>> {
        System.stream(server)
    }
}

struct Http;

impl Dial for Http {
    fn dial<'a>(&'a self, to: Endpoint, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let started = Instant::now();
            let address = to.address().ok_or_else(|| DialReason::Connect("a name needs a proxy".into()))?;
            let (stream, fast_open) = open(address, false, how.watch).await?;
            // TLS would begin here; the test is about what comes after it
            let facts = TlsFacts {
                version: "1.3",
                cipher: String::new(),
                group: String::new(),
                resumed: false,
                name: None,
                pinned: false,
            };
            Ok(Link {
                carrier: Box::new(HttpCarrier(BufReader::new(stream))),
                protection: Protection::Tls(facts),
                early: EarlyData::NotSent,
                round_trips: 1,
                fast_open,
                took: started.elapsed(),
                meter: None,
            })
        })
    }
}

struct HttpCarrier(BufReader<TcpStream>);

impl Carrier for HttpCarrier {
    fn carry(mut self: Box<Self>, duty: Duty) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Duty { mut queue, shared, protection, tell, metering, .. } = duty;
            let mut end = End::Closed;
            let mut unheard = None;
            while let Some(request) = self.next(&mut queue).await {
                match request {
                    Request::Ask(ask) => match self.exchange(&ask, &protection, &shared).await {
                        Ok(verdict) => {
                            let _ = ask.response.send(verdict);
                        }
                        Err(_) => {
                            unheard = Some(ask);
                            break;
                        }
                    },
                    Request::Leave(how) => {
                        end = how;
                        break;
                    }
                    Request::Drain => shared.drain(),
                    Request::Wait(_) => {}
                }
                shared.set_in_flight(queue.len());
                if shared.is_draining() && queue.is_empty() {
                    break;
                }
            }
            shared.close();
            tell(Fate::Ended { end, silence: None });
            queue.close();
            let left = std::iter::from_fn(|| queue.try_recv().ok());
            let asked = left.filter_map(|request| match request {
                Request::Ask(ask) => Some(ask),
                _ => None,
            });
            for ask in unheard.into_iter().chain(asked) {
                let _ = ask.response.send(Err(Failure::Closed));
            }
            drop(metering);
        })
    }

    fn most_in_flight(&self) -> usize {
        64
    }
}

impl HttpCarrier {
    /// `None`: the server has closed, or nothing asks any more.
    async fn next(&mut self, queue: &mut mpsc::UnboundedReceiver<Request>) -> Option<Request> {
        tokio::select! {
            request = queue.recv() => request,
            _ = self.0.fill_buf() => None,
        }
    }

    /// One request and its response; an error is the connection's end.
    async fn exchange(
        &mut self,
        ask: &Ask,
        protection: &Protection,
        shared: &Shared,
    ) -> std::io::Result<Verdict> {
        let message = ask.query.message(0, protection.hop());
        let head = format!("POST /dns-query HTTP/1.1\r\ncontent-length: {}\r\n\r\n", message.len());
        let request = [head.as_bytes(), &message].concat();
        ask.query.leaves(request.len());
        shared.carried.leaves(request.len());
        self.0.write_all(&request).await?;
        let Ok(response) = timeout_at(ask.deadline, self.response()).await else {
            return Err(std::io::ErrorKind::TimedOut.into());
        };
        let (status, body) = response?;
        ask.query.is_answered(body.len());
        shared.carried.came(body.len());
        Ok(match status {
            200 => {
                Response::read(body, &ask.query.question).map(|(response, _)| response).map_err(Failure::from)
            }
            _ => Err(Failure::TimedOut),
        })
    }

    async fn response(&mut self) -> std::io::Result<(u16, Vec<u8>)> {
        let (head, body) = read(&mut self.0).await?;
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Ok((status, body))
    }
}

/// The first line of a message, and its body.
async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<(String, Vec<u8>)> {
    let (mut first, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.strip_prefix("content-length: ") {
            Some(text) => length = text.parse().unwrap_or(0),
            None => first.push_str(line),
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((first, body))
}

// its server

struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

/// Responds that the name does not exist; closes each connection after so many requests.
async fn server(closes_after: usize) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = connections.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(BufReader::new(stream), closes_after));
        }
    });
    Server { address, connections }
}

async fn serve(mut stream: BufReader<TcpStream>, closes_after: usize) -> std::io::Result<()> {
    for _ in 0..closes_after {
        let (_, query) = read(&mut stream).await?;
        let (question, end) = Question::read(&query).unwrap();
        let status = if question.name == name("broken.example") { 500 } else { 200 };
        let mut body = query[..end].to_vec();
        Header { id: 0, flags: header::QR | header::RA | rcode::NXDOMAIN, counts: [1, 0, 0, 0] }
            .write(&mut body);
        let head = format!("HTTP/1.1 {status} said\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(&[head.as_bytes(), &body].concat()).await?;
    }
    Ok(())
}

// what both are asked

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

async fn engine(server: &Server) -> Arc<Engine> {
    clock::goes_on_in_steps();
    let runtime = tokio::runtime::Handle::current();
    let engine =
        Engine::within(runtime, Arc::new(OverHttp), Box::new(|_| true), Arc::new(|| {}), Counts::InMemory);
    let config = serde_json::json!({
        "listen": [], "mode": "private", "network": "n", "events": true,
        "cache": {"entries": 1000, "serveStale": true, "staleHours": 24},
        "upstreams": [{"id": "up", "transport": "dot", "addresses": [server.address], "alternative": null}],
    });
    engine.apply(EngineConfig::parse(&config.to_string()).unwrap()).await.unwrap();
    Arc::new(engine)
}

async fn ask(engine: &Engine, text: &str) -> Event {
    let question = Question { name: name(text), kind: types::A, class: types::IN };
    let (_, event) = engine.ask_as(ClientProtocol::Control, question.query(7, header::RD)).await;
    event.expect("each query has an event")
}

#[tokio::test]
async fn the_pool_keeps_its_connection_and_opens_the_next() {
    let server = server(2).await;
    let engine = engine(&server).await;
    let (mut costs, mut said) = (Vec::new(), Vec::new());
    for text in ["a.example", "b.example", "c.example"] {
        let event = ask(&engine, text).await;
        costs.push(event.cost);
        said.push((event.outcome, event.rcode, event.upstream, event.traffic.sent > 0));
    }
    assert_eq!(said, [(Outcome::Forwarded, rcode::NXDOMAIN, "up", true); 3]);
    assert_eq!(costs[1], Cost::Reused, "{costs:?}");
    assert_eq!(server.connections.load(Ordering::Relaxed), 2, "the third came after the server had closed");
    let status = serde_json::to_value(engine.status()).unwrap();
    assert_eq!(status["upstreams"][0]["answered"], 3, "{status}");
    assert_eq!(status["upstreams"][0]["cost"]["handshakes"], 2, "{status}");
}

#[tokio::test]
async fn many_at_once_are_answered_each_with_its_own() {
    let server = server(usize::MAX).await;
    let engine = engine(&server).await;
    let asking: Vec<_> = (0..50)
        .map(|number| {
            let engine = engine.clone();
            tokio::spawn(async move { ask(&engine, &format!("n{number}.example")).await })
        })
        .collect();
    for asked in asking {
        let event = asked.await.unwrap();
        assert_eq!((event.outcome, event.rcode), (Outcome::Forwarded, rcode::NXDOMAIN));
    }
    assert_eq!(server.connections.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_server_that_fails_is_a_failure_with_a_reason() {
    let server = server(usize::MAX).await;
    let engine = engine(&server).await;
    let event = ask(&engine, "broken.example").await;
    assert_eq!((event.outcome, event.rcode), (Outcome::Failed, rcode::SERVFAIL));
    assert!(event.reason.unwrap().contains("up: no answer in time"));
    assert!(event.total < Duration::from_secs(4));
}
