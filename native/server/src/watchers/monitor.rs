//! `/metrics`, `/health` and `/ready` over HTTP, for programs that watch this one. A request is read with a bound and by a deadline, and each
//! connection carries one. Where all places are taken, the oldest connection whose request is not there makes room, or else the oldest.
//! It goes on while the server ends, so that whoever distributes clients sees this. A page in a browser gets no figures, also where a name
//! of its site leads here (DNS rebinding).

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, yield_now};
use tokio::time::{sleep, timeout};

use super::metrics::{self, Figures, Format};
use super::names::Names;
use crate::Service;
use crate::backend::Backend;
use crate::identities::Identities;
use crate::places::Places;

const CONNECTIONS: usize = 16;
const LONGEST_REQUEST: usize = 8192;
const MOST_HEADERS: usize = 64;
const REQUEST: Duration = Duration::from_secs(2);
/// For the response and the end of the connection.
const RESPONSE: Duration = Duration::from_secs(10);
const UNKNOWN: i64 = i64::MIN;

pub struct Monitored {
    service: Arc<ArcSwap<Service>>,
    places: Arc<Places>,
    started: SystemTime,
    is_draining: AtomicBool,
    /// Seconds since the epoch, or [`UNKNOWN`].
    expires: AtomicI64,
    names: Names,
}

impl Monitored {
    pub fn new(service: Arc<ArcSwap<Service>>, places: Arc<Places>) -> Self {
        Self {
            service,
            places,
            started: SystemTime::now(),
            is_draining: AtomicBool::new(false),
            expires: AtomicI64::new(UNKNOWN),
            names: Names::default(),
        }
    }

    pub fn serves_as(&self, identities: &Identities) {
        let until = identities.expires().map(OffsetDateTime::unix_timestamp);
        self.expires.store(until.unwrap_or(UNKNOWN), Relaxed);
        self.names.serves_as(identities);
    }

    pub fn drains(&self) {
        self.is_draining.store(true, Relaxed);
    }

    fn figures(&self) -> Figures {
        let service = self.service.load();
        let responder = &service.responder;
        let expires = self.expires.load(Relaxed);
        Figures {
            stats: responder.stats.snapshot(),
            open: self.places.taken(),
            memory: (self.places.memory.held(), service.limits.memory),
            places: service.limits.connections,
            is_draining: self.is_draining.load(Relaxed),
            started: self.started.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64()),
            expires: (expires != UNKNOWN).then_some(expires),
            resolver: match &responder.backend {
                Backend::Forward(forwarder) => Some(forwarder.figures()),
                Backend::Zone(_) => None,
            },
            tap: responder.tap.as_ref().map(|tap| tap.snapshot()),
            has_encdns: responder.encdns.is_some(),
        }
    }

    async fn respond(&self, request: &Request) -> Response {
        match (request.is_get, request.path.as_str()) {
            (_, "/metrics" | "/health" | "/ready") if !request.is_get => Response::new(405, "only GET\n"),
            (_, "/metrics") if !request.is_of_program(&self.names) => Response::new(
                403,
                "ask for this by an address, localhost, or a name of this machine or its certificates\n",
            ),
            (_, "/metrics") => {
                let (format, figures) = (request.format, self.figures());
                Response {
                    status: 200,
                    content_type: format.content_type(),
                    body: metrics::write(&figures, format),
                }
            }
            (_, "/health" | "/ready") if self.is_draining.load(Relaxed) => Response::state(503, "draining"),
            (_, "/health") => Response::state(200, "serving"),
            (_, "/ready") => match self.obstacle().await {
                None => Response::state(200, "ready"),
                Some(obstacle) => Response::state(503, obstacle),
            },
            _ => Response::new(404, "there are /metrics, /health and /ready\n"),
        }
    }

    async fn obstacle(&self) -> Option<&'static str> {
        let service = self.service.load_full();
        match &service.responder.backend {
            Backend::Forward(forwarder) => forwarder.obstacle().await,
            Backend::Zone(_) => None,
        }
    }
}

pub async fn serve(listener: TcpListener, monitored: Arc<Monitored>) {
    let mut visitors = Visitors::default();
    loop {
        match listener.accept().await {
            Ok((tcp, _)) => visitors.admit(tcp, monitored.clone()),
            // out of descriptors, the next try would fail as well
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
        // a request that is there is read before the next connection takes its place
        yield_now().await;
    }
}

/// The open connections, the oldest first.
#[derive(Default)]
struct Visitors(VecDeque<Visitor>);

struct Visitor {
    has_asked: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Visitors {
    fn admit(&mut self, tcp: TcpStream, monitored: Arc<Monitored>) {
        self.0.retain(|visitor| !visitor.task.is_finished());
        if self.0.len() >= CONNECTIONS {
            let mute = self.0.iter().position(|visitor| !visitor.has_asked.load(Relaxed));
            self.0.remove(mute.unwrap_or(0)).inspect(|visitor| visitor.task.abort());
        }
        let has_asked = Arc::<AtomicBool>::default();
        let asked = has_asked.clone();
        let conversation = tokio::spawn(async move { converse(tcp, &monitored, &asked).await });
        self.0.push_back(Visitor { has_asked, task: conversation.abort_handle() });
    }
}

/// Who is too slow, or gone, gets nothing.
async fn converse(mut tcp: TcpStream, monitored: &Monitored, has_asked: &AtomicBool) -> io::Result<()> {
    let request = timeout(REQUEST, read(&mut tcp)).await??;
    has_asked.store(true, Relaxed);
    let response = match request {
        Ok(request) => monitored.respond(&request).await,
        Err(refusal) => refusal,
    };
    timeout(RESPONSE, async {
        tcp.write_all(response.octets().as_bytes()).await?;
        tcp.shutdown().await?;
        // closed with unread octets, the connection would be reset and the response lost
        let mut ignored = [0; 1024];
        while tcp.read(&mut ignored).await? > 0 {}
        Ok(())
    })
    .await?
}

struct Request {
    is_get: bool,
    /// A browser says where its page comes from.
    is_of_page: bool,
    /// How it calls this machine.
    hosts: Vec<String>,
    /// Without what is behind a question mark.
    path: String,
    format: Format,
}

impl Request {
    fn is_of_program(&self, names: &Names) -> bool {
        !self.is_of_page && self.hosts.iter().all(|host| names.have(host))
    }
}

async fn read(tcp: &mut TcpStream) -> io::Result<Result<Request, Response>> {
    let mut input = Vec::with_capacity(1024);
    loop {
        if input.len() >= LONGEST_REQUEST {
            return Ok(Err(Response::new(431, "the request is too large\n")));
        }
        if tcp.read_buf(&mut input).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(parsed) = parse(&input) {
            return Ok(parsed);
        }
    }
}

/// `None`: there is more to come.
fn parse(input: &[u8]) -> Option<Result<Request, Response>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(input) {
        Ok(httparse::Status::Partial) => return None,
        Ok(httparse::Status::Complete(_)) => {}
        Err(_) => return Some(Err(Response::new(400, "not a request of HTTP/1.1\n"))),
    }
    let target = request.path.unwrap_or_default();
    let wants_openmetrics = request.headers.iter().any(|header| {
        header.name.eq_ignore_ascii_case("accept")
            && header.value.windows(OPENMETRICS.len()).any(|part| part.eq_ignore_ascii_case(OPENMETRICS))
    });
    let named = |name: &'static str| {
        request.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name))
    };
    Some(Ok(Request {
        is_get: request.method == Some("GET"),
        is_of_page: PAGE.iter().any(|name| named(name).next().is_some()),
        hosts: named("host").map(|header| String::from_utf8_lossy(header.value).into_owned()).collect(),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        format: if wants_openmetrics { Format::OpenMetrics } else { Format::Prometheus },
    }))
}

const PAGE: [&str; 2] = ["origin", "sec-fetch-site"];
const OPENMETRICS: &[u8] = b"application/openmetrics-text";

struct Response {
    status: u16,
    content_type: &'static str,
    body: String,
}

impl Response {
    fn new(status: u16, body: &str) -> Self {
        Response { status, content_type: "text/plain; charset=utf-8", body: body.to_owned() }
    }

    fn state(status: u16, word: &str) -> Self {
        let body = format!("{{\"status\":\"{word}\"}}\n");
        Response { status, content_type: "application/json", body }
    }

    fn octets(&self) -> String {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            431 => "Request Header Fields Too Large",
            _ => "Service Unavailable",
        };
        let Response { status, content_type, body } = self;
        let allow = if *status == 405 { "Allow: GET\r\n" } else { "" };
        format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n{allow}Cache-Control: no-store\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        )
    }
}
