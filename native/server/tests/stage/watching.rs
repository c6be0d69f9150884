//! Reads what the server tells of itself.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Stage, loopback};

pub const OPENMETRICS: &str = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n";

pub fn watched() -> Stage {
    Stage::with(|config| config.metrics = Some(loopback()))
}

pub fn place(stage: &Stage) -> SocketAddr {
    stage.server.metrics().unwrap()
}

pub async fn request(place: SocketAddr, request: &str) -> String {
    let mut tcp = TcpStream::connect(place).await.unwrap();
    tcp.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    tcp.read_to_string(&mut response).await.unwrap();
    response
}

/// Head and body.
pub async fn get(place: SocketAddr, path: &str, headers: &str) -> (String, String) {
    let response = request(place, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")).await;
    let (head, body) = response.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    (head.to_owned(), body.to_owned())
}

pub async fn figures(stage: &Stage) -> String {
    get(place(stage), "/metrics", OPENMETRICS).await.1
}

pub fn value(figures: &str, sample: &str) -> f64 {
    let line = figures.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{sample} in {figures}")).parse().unwrap()
}
