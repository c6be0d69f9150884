//! What programs that watch the server get: figures that real readers understand, and whether it serves.

use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use domain::base::Rtype;
use sotto_server::{Backend, Forwarder, ServerAddress, StubZone, Way};
use sotto_skip::clock;
use sotto_skip::waiting::within;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::process::Command;

use crate::stage::clients::{datagram, dot, exchange, send};
use crate::stage::messages::ask;
use crate::stage::watching::{OPENMETRICS, figures, get, place, request, value, watched};
use crate::stage::{self, Stage, loopback, nobody};

#[tokio::test]
async fn the_figures_are_those_of_what_happened() {
    let stage = watched();
    let mut tls = dot(&stage).await;
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    datagram(stage.starttls(), &ask(1, "www.test", Rtype::A)).await;
    let text = figures(&stage).await;
    for (sample, expected) in [
        ("sotto_server_open_connections", 1.0),
        ("sotto_server_places", 10_000.0),
        ("sotto_server_connections_total", 1.0),
        ("sotto_server_handshakes_total{kind=\"full\"}", 1.0),
        ("sotto_server_queries_total{transport=\"tls\"}", 1.0),
        ("sotto_server_queries_total{transport=\"udp\"}", 1.0),
        ("sotto_server_draining", 0.0),
    ] {
        assert_eq!(value(&text, sample), expected, "{sample}");
    }
    let year = 365.0 * 86_400.0;
    let left = value(&text, "sotto_server_certificate_not_after_timestamp_seconds")
        - value(&text, "sotto_server_start_time_seconds");
    assert!(
        (left - year).abs() < 60.0,
        "a certificate that was made on the spot is good for a year, not {left} s"
    );
    assert!(!text.contains("www") && !text.contains("127.0.0.1"), "no name and no address: {text}");
    assert!(!text.contains("resolver") && !text.contains("boxed"), "a zone has neither");
    drop(tls);
    let gone = async { while value(&figures(&stage).await, "sotto_server_open_connections") > 0.0 {} };
    within("the place is free", gone).await;
}

#[tokio::test]
async fn a_resolver_is_seen_while_it_is_asked_and_when_it_has_responded() {
    clock::stands_still();
    let address = nobody();
    let resolver = UdpSocket::bind(address).await.unwrap();
    let stage = Stage::with(|config| {
        config.backend = stage::forwarding_to(address);
        config.metrics = Some(loopback());
    });
    let mut tls = dot(&stage).await;
    send(&mut tls, &ask(7, "www.test", Rtype::A)).await;
    let mut query = [0; 512];
    let (octets, from) = resolver.recv_from(&mut query).await.unwrap();
    const WAITING: &str = "sotto_server_resolver_queries_in_flight";
    assert_eq!(value(&figures(&stage).await, WAITING), 1.0);
    query[2] |= 0x80;
    resolver.send_to(&query[..octets], from).await.unwrap();
    assert_eq!(stage::clients::receive(&mut tls).await.id(), 7);
    let text = figures(&stage).await;
    assert_eq!(value(&text, WAITING), 0.0);
    assert_eq!(value(&text, "sotto_server_resolver_failures_total"), 0.0);
    for sample in ["bucket{le=\"+Inf\"}", "count"] {
        assert_eq!(value(&text, &format!("sotto_server_resolver_response_seconds_{sample}")), 1.0);
    }
    assert!(value(&text, "sotto_server_resolver_response_seconds_sum") > 0.0);

    drop(resolver);
    exchange(&mut tls, &ask(8, "www.test", Rtype::A)).await;
    let text = figures(&stage).await;
    assert_eq!(value(&text, "sotto_server_resolver_failures_total"), 1.0);
    // of tries, and there were three
    let behind = format!("{{server=\"udp://{address}\"");
    assert_eq!(value(&text, &format!("sotto_server_behind_failures_total{behind}}}")), 3.0);
    let clear = format!("sotto_server_behind_queries_total{behind},protection=\"clear\"}}");
    // the last one was for TCP, where nobody took it
    assert_eq!(value(&text, &clear), 3.0);
}

#[tokio::test]
async fn it_is_ready_while_somebody_behind_responds_also_where_nobody_asks() {
    assert!(get(place(&watched()), "/ready", "").await.0.starts_with("HTTP/1.1 200"), "a zone responds");
    let address = nobody();
    let resolver = UdpSocket::bind(address).await.unwrap();
    let stage = Stage::with(|config| {
        config.backend = stage::forwarding_to(address);
        config.metrics = Some(loopback());
    });
    let answering = |resolver: UdpSocket| {
        tokio::spawn(async move {
            let mut query = [0; 512];
            while let Ok((octets, from)) = resolver.recv_from(&mut query).await {
                query[2] |= 0x80;
                let _ = resolver.send_to(&query[..octets], from).await;
            }
        })
    };
    let becomes = async |status: &str, body: &str| {
        let told = async {
            loop {
                let (head, said) = get(place(&stage), "/ready", "").await;
                if head.starts_with(&format!("HTTP/1.1 {status}")) && said.contains(body) {
                    return;
                }
            }
        };
        within(body, told).await;
    };
    let first = answering(resolver);
    becomes("200", "ready").await;
    first.abort();
    let _ = first.await;
    becomes("503", "no_resolver_responds").await;
    assert!(get(place(&stage), "/health", "").await.0.starts_with("HTTP/1.1 200"), "it still serves");
    let second = answering(UdpSocket::bind(address).await.unwrap());
    becomes("200", "ready").await;
    second.abort();
}

#[tokio::test]
async fn the_authorities_of_one_zone_make_no_server_unready() {
    let dead = || StubZone::parse("corp.example=dot://127.0.0.1:9#ns.example,udp://127.0.0.1:9").unwrap();
    let resolver = Stage::new();
    let alive = ServerAddress::parse(&resolver.starttls().to_string(), Way::Udp).unwrap();
    let other = StubZone::parse(&format!("test=udp://{}", resolver.starttls())).unwrap();
    let no_resolver = ServerAddress::parse("127.0.0.1:9", Way::Udp).unwrap();
    for (resolvers, zones, status, body) in [
        (vec![alive], vec![dead()], "200", "ready"),
        (vec![no_resolver], vec![other.clone()], "503", "no_resolver_responds"),
        (vec![], vec![dead(), other], "200", "ready"),
        (vec![], vec![dead()], "503", "no_authority_responds"),
    ] {
        let stage = Stage::with(|config| {
            config.backend = Backend::Forward(Arc::new(Forwarder::new(resolvers, zones, None).unwrap()));
            config.metrics = Some(loopback());
        });
        let (head, said) = get(place(&stage), "/ready", "").await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")) && said.contains(body), "{head}{said}");
    }
}

/// `None` where the program is missing; the reason was printed then.
async fn judged(program: &str, arguments: &[&str], text: &str, remedy: &str) -> Option<Output> {
    let mut command = Command::new(program);
    let piped = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match piped.spawn() {
        Ok(mut child) => {
            let mut stdin = child.stdin.take().unwrap();
            // who has no parser reads nothing
            let _ = stdin.write_all(text.as_bytes()).await;
            drop(stdin);
            Some(child.wait_with_output().await.unwrap())
        }
        Err(error) => {
            sotto_skip::skip(&format!("{program} does not run ({error}): {remedy}"));
            None
        }
    }
}

/// With all families: a resolver behind, and EncDNS.
async fn with_everything() -> Stage {
    let stage = Stage::with(|config| {
        config.backend = stage::forwarding_to("127.0.0.1:9".parse().unwrap());
        config.encdns = Some(stage::encdns::zone());
        config.dnstap = Some("/nobody/listens".into());
        config.metrics = Some(loopback());
    });
    exchange(&mut dot(&stage).await, &ask(1, "www.test", Rtype::A)).await;
    stage
}

#[tokio::test]
async fn promtool_finds_nothing_to_say_about_the_older_format() {
    let stage = with_everything().await;
    let (head, text) = get(place(&stage), "/metrics?ignored=1", "").await;
    assert!(head.contains("Content-Type: text/plain; version=0.0.4"), "{head}");
    let remedy = "apt-get install prometheus";
    let Some(output) = judged("promtool", &["check", "metrics"], &text, remedy).await else { return };
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.is_empty(), "{said}\n{text}");
}

#[tokio::test]
async fn the_parser_of_the_format_s_own_project_understands_every_family() {
    const PARSE: &str = "import sys\n\
        try: from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n\
        except ModuleNotFoundError: sys.exit(77)\n\
        families = list(parse(sys.stdin.read()))\n\
        print(sum(len(family.samples) for family in families))\n";
    let stage = with_everything().await;
    let (head, text) = get(place(&stage), "/metrics", OPENMETRICS).await;
    assert!(
        head.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
        "{head}"
    );
    assert!(text.ends_with("\n# EOF\n"));
    let remedy = "apt-get install python3-prometheus-client";
    let Some(output) = judged("/usr/bin/python3", &["-c", PARSE], &text, remedy).await else { return };
    if output.status.code() == Some(77) {
        return sotto_skip::skip(&format!("prometheus_client is missing: {remedy}"));
    }
    let samples = text.lines().filter(|line| !line.starts_with('#')).count();
    let read = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert_eq!(read, samples.to_string(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(samples > 40 && ["boxed", "resolver", "dnstap"].iter().all(|family| text.contains(family)));
}

#[tokio::test]
async fn health_is_good_while_it_serves_and_bad_while_what_is_in_flight_is_answered() {
    let stage = Stage::with(|config| {
        (config.starttls, config.metrics) = (vec![nobody()], Some(nobody()));
        config.delay = Duration::from_secs(3600).into();
        config.limits.drain = Duration::from_secs(3600);
    });
    let place = place(&stage);
    let (head, body) = get(place, "/health", "").await;
    assert_eq!((&head[..15], body.as_str()), ("HTTP/1.1 200 OK", "{\"status\":\"serving\"}\n"));
    let mut tls = dot(&stage).await;
    send(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    stage.until(|stats| stats.queries.tls == 1).await;
    let starttls = stage.starttls();
    let stopping = tokio::spawn(stage.server.stop());
    let closed = async { while TcpStream::connect(starttls).await.is_ok() {} };
    within("nothing is accepted any more", closed).await;
    let (head, body) = get(place, "/health", "").await;
    assert!(head.starts_with("HTTP/1.1 503 ") && body == "{\"status\":\"draining\"}\n", "{head}{body}");
    assert_eq!(value(&get(place, "/metrics", "").await.1, "sotto_server_draining"), 1.0);
    stopping.abort();
    let ended = async { while TcpStream::connect(place).await.is_ok() {} };
    within("it ends with the server", ended).await;
}

#[tokio::test]
async fn wrong_requests_are_refused_and_cost_little() {
    let stage = watched();
    let place = place(&stage);
    for (text, status) in [
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), "404"),
        ("GET /metrics/ HTTP/1.1\r\n\r\n".to_owned(), "404"),
        ("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc".to_owned(), "405"),
        ("\x16\x03\x01\x02\0\x01".to_owned(), "400"),
        ("GET /metrics HTTP/1.1\r\nno header\r\n\r\n".to_owned(), "400"),
        (format!("GET /metrics HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(100)), "400"),
        (format!("GET /metrics HTTP/1.1\r\nA: {}", "b".repeat(20_000)), "431"),
    ] {
        let response = request(place, &text).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{text:?}: {response}");
    }
}

#[tokio::test]
async fn connections_on_which_nothing_happens_keep_nobody_out() {
    for said in ["", "GET /metr", "GET /metrics HTTP/1.1\r\n\r\n"] {
        let stage = watched();
        let mut open = vec![];
        for _ in 0..64 {
            let mut tcp = TcpStream::connect(place(&stage)).await.unwrap();
            // the first ones have made room by then
            let _ = tcp.write_all(said.as_bytes()).await;
            open.push(tcp);
        }
        let (head, _) = get(place(&stage), "/health", "").await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{said:?}: {head}");
        assert_eq!(exchange(&mut dot(&stage).await, &ask(3, "www.test", Rtype::A)).await.id(), 3);
    }
}

#[tokio::test]
async fn who_does_not_finish_a_request_is_let_go() {
    let stage = watched();
    let mut slow = TcpStream::connect(place(&stage)).await.unwrap();
    slow.write_all(b"GET /metr").await.unwrap();
    assert_eq!(slow.read(&mut [0; 16]).await.unwrap(), 0, "by its deadline, without a response");
}

#[tokio::test]
async fn a_page_in_a_browser_gets_no_figures() {
    let stage = watched();
    let ask = async |headers: &str| {
        let request = format!("GET /metrics HTTP/1.1\r\n{headers}\r\n");
        stage::watching::request(place(&stage), &request).await
    };
    for good in ["", "Host: localhost:9153\r\n", "Host: 127.0.0.1\r\n", "Host: dns.test\r\n"] {
        assert!(ask(good).await.starts_with("HTTP/1.1 200 "), "{good}");
    }
    for bad in [
        "Host: rebound.example\r\n",
        "Host: 127.0.0.1\r\nHost: rebound.example\r\n",
        "Host: localhost\r\nOrigin: http://rebound.example\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-origin\r\n",
    ] {
        let response = ask(bad).await;
        assert!(response.starts_with("HTTP/1.1 403 ") && !response.contains("sotto_server"), "{bad}");
    }
}
