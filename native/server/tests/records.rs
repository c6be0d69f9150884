//! What a client sees of TLS records: each response is one, whenever it leaves.

use std::io::{Read, Write};
use std::sync::Arc;

use domain::base::Rtype;
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::clients::client_config;
use crate::stage::messages::{ask, framed};
use crate::stage::{NAME, Stage};

const HEADER: usize = 5;

struct Records {
    tcp: TcpStream,
    unread: Vec<u8>,
}

impl Records {
    async fn next(&mut self) -> Vec<u8> {
        loop {
            let end =
                self.unread.get(3..HEADER).map(|l| HEADER + usize::from(u16::from_be_bytes([l[0], l[1]])));
            if let Some(end) = end
                && self.unread.len() >= end
            {
                return self.unread.drain(..end).collect();
            }
            assert_ne!(self.tcp.read_buf(&mut self.unread).await.unwrap(), 0, "the server closed");
        }
    }
}

#[tokio::test]
async fn each_answer_is_a_record_of_its_own() {
    const QUESTIONS: u16 = 100; // more than fit one write
    let stage = Stage::new();
    let config = Arc::new(client_config(&stage, rustls::ALL_VERSIONS));
    let mut tls = ClientConnection::new(config, ServerName::try_from(NAME).unwrap()).unwrap();
    let tcp = TcpStream::connect(stage.dot()).await.unwrap();
    let mut records = Records { tcp, unread: Vec::new() };
    for id in 0..QUESTIONS {
        tls.writer().write_all(&framed(&ask(id, "www.test", Rtype::A))).unwrap();
    }
    let mut ids = Vec::new();
    while ids.len() < usize::from(QUESTIONS) {
        let mut out = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut out).unwrap();
        }
        records.tcp.write_all(&out).await.unwrap();
        let record = records.next().await;
        tls.read_tls(&mut &record[..]).unwrap();
        let octets = tls.process_new_packets().unwrap().plaintext_bytes_to_read();
        if octets > 0 {
            let mut answer = vec![0; octets];
            tls.reader().read_exact(&mut answer).unwrap();
            assert_eq!(
                usize::from(u16::from_be_bytes([answer[0], answer[1]])) + 2,
                octets,
                "one whole answer"
            );
            ids.push(u16::from_be_bytes([answer[2], answer[3]]));
        }
    }
    assert_eq!(ids, (0..QUESTIONS).collect::<Vec<_>>());
}
