//! Whatever octets a trace is made of, reading it ends: with queries in order of time, or with an error.

use std::path::Path;

use proptest::prelude::*;
use sotto_lab::replay::query::SECOND;
use sotto_lab::replay::trace::{Direction, Reading, Trace};

use crate::traces::{dnstap, dnstap_query, ethernet, pcap, pcapng, udp4};

const READING: Reading =
    Reading { disorder: SECOND, port: 53, dnstap: Direction::Received, command: "replay" };

/// How many queries it has, or why it is refused.
fn read(name: &str, octets: &[u8]) -> Result<usize, String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, octets).unwrap();
    let mut trace = Trace::open(&file, &READING)?;
    let (mut batch, mut count, mut latest) = (Vec::new(), 0, 0);
    loop {
        trace.next(&mut batch)?;
        if batch.is_empty() {
            return Ok(count);
        }
        for query in &batch {
            assert!(query.at >= latest);
            latest = query.at;
        }
        count += batch.len();
    }
}

fn beginnings() -> Vec<Vec<u8>> {
    let frames: Vec<_> = [100, 105].map(|second| (second, ethernet(&udp4(53, false)))).into();
    vec![
        Vec::new(),
        b"100,192.0.2.1\n".to_vec(),
        b"time,client\n100,192.0.2.1\n".to_vec(),
        b"id,time,upstream,transport\n1,1970-01-01T00:00:00Z,a,dot\n".to_vec(),
        b"{\"at\":1,\"upstream\":\"a\",\"transport\":\"dot\"}\n".to_vec(),
        pcap(1, false, &frames),
        pcap(113, true, &frames),
        pcapng(&frames),
        dnstap(&[dnstap_query(5, 100), dnstap_query(5, 105)]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_octets_after_any_beginning(
        beginning in proptest::sample::select(beginnings()),
        rest in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let _ = read("after", &[beginning, rest].concat());
    }

    #[test]
    fn any_octet_changed(
        trace in proptest::sample::select(beginnings()),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut trace = trace;
        if !trace.is_empty() {
            for (place, octet) in changes {
                let place = place.index(trace.len());
                trace[place] = octet;
            }
        }
        let _ = read("changed", &trace);
    }
}

#[test]
fn the_beginnings_are_traces_themselves() {
    let counts: Vec<_> = beginnings().iter().map(|trace| read("whole", trace).ok()).collect();
    // link type 113 over Ethernet frames: no packet in it is a query
    assert_eq!(counts, [None, Some(1), Some(1), Some(1), Some(1), Some(2), Some(0), Some(2), Some(2)]);
}
