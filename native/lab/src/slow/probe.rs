//! A well-behaved client: one query at a time over UDP, and one over a TCP connection of its own.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::latency::{Latencies, Percentiles};
use crate::question::{Question, id_of, judge};

/// The time after which a program gives up (resolv.conf(5)).
const PATIENCE: Duration = Duration::from_secs(5);
const BETWEEN: Duration = Duration::from_millis(50);

/// How the queries of one protocol fared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fared {
    pub asked: u64,
    pub answered: u64,
    /// how many failed in a row at the end: 0 where the last one got its response
    pub failing: u64,
    /// reason → how many
    pub failures: BTreeMap<String, u64>,
    pub latency_ms: Option<Percentiles>,
}

#[derive(Default)]
struct Diary {
    answered: u64,
    failing: u64,
    failures: BTreeMap<String, u64>,
    latencies: Latencies,
}

/// Sends queries until dropped.
pub struct Probe {
    udp: Arc<Mutex<Diary>>,
    tcp: Arc<Mutex<Diary>>,
    tasks: [AbortHandle; 2],
}

impl Probe {
    pub fn start(to: SocketAddr, question: Question) -> Self {
        let (udp, tcp) = (Arc::default(), Arc::default());
        let for_udp = question.clone();
        let by_udp = keep(Arc::clone(&udp), move |id| ask_udp(to, for_udp.clone(), id));
        let by_tcp = keep(Arc::clone(&tcp), move |id| ask_tcp(to, question.clone(), id));
        Probe { udp, tcp, tasks: [tokio::spawn(by_udp).abort_handle(), tokio::spawn(by_tcp).abort_handle()] }
    }

    pub fn udp(&self) -> Fared {
        fared(&self.udp)
    }

    pub fn tcp(&self) -> Fared {
        fared(&self.tcp)
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

async fn keep<Asking: Future<Output = Result<()>>>(diary: Arc<Mutex<Diary>>, ask: impl Fn(u16) -> Asking) {
    for id in (0..=u16::MAX).cycle() {
        let asked = Instant::now();
        let result = timeout(PATIENCE, ask(id)).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
        let took = asked.elapsed();
        {
            let mut diary = diary.lock().expect("nothing panics while it writes");
            match result {
                Ok(()) => {
                    diary.answered += 1;
                    diary.failing = 0;
                    diary.latencies.record(took);
                }
                Err(error) => {
                    diary.failing += 1;
                    *diary.failures.entry(words(&error)).or_default() += 1;
                }
            }
        }
        sleep(BETWEEN).await;
    }
}

fn words(error: &Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut => format!("no answer within {} s", PATIENCE.as_secs()),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "closed without an answer".into()
        }
        _ => error.to_string(),
    }
}

fn fared(diary: &Mutex<Diary>) -> Fared {
    let diary = diary.lock().expect("nothing panics while it writes");
    Fared {
        asked: diary.answered + diary.failures.values().sum::<u64>(),
        answered: diary.answered,
        failing: diary.failing,
        failures: diary.failures.clone(),
        latency_ms: diary.latencies.percentiles(),
    }
}

async fn ask_udp(to: SocketAddr, question: Question, id: u16) -> Result<()> {
    let any: SocketAddr = if to.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0u16; 8], 0).into() };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(to).await?;
    socket.send(&question.with_id(id)).await?;
    let mut answer = vec![0; 1 << 16];
    let octets = socket.recv(&mut answer).await?;
    check(&question, id, &answer[..octets])
}

async fn ask_tcp(to: SocketAddr, question: Question, id: u16) -> Result<()> {
    let mut stream = TcpStream::connect(to).await?;
    stream.write_all(&question.framed(id)).await?;
    let mut answer = vec![0; usize::from(stream.read_u16().await?)];
    stream.read_exact(&mut answer).await?;
    check(&question, id, &answer)
}

fn check(question: &Question, id: u16, answer: &[u8]) -> Result<()> {
    match judge(answer) {
        Some(verdict) if id_of(answer) == Some(id) && question.is_asked_in(answer) => match verdict.rcode {
            0 | 3 => Ok(()),
            code => Err(Error::other(format!(
                "answered with {}",
                domain::base::iana::Rcode::masked_from_int(code)
            ))),
        },
        _ => Err(Error::other("an answer to something else")),
    }
}
