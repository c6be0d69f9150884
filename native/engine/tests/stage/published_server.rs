//! An EncDNS server as it was published: over UDP, it knows no other format, says nothing to what is no box, and is no authority.

use std::net::SocketAddr;

use sotto_encdns::SecretKey;
use sotto_encdns::name::{BoxedQuery, Format};
use sotto_encdns::reply::BoxedReply;
use sotto_engine::wire::header;
use sotto_engine::wire::question::Question;
use tokio::net::UdpSocket;

use super::encdns::ZONE;

/// It answers each name with one address, and denies those that begin with an underscore.
pub async fn start(secret: SecretKey) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut octets = vec![0; 65_535];
        while let Ok((length, from)) = socket.recv_from(&mut octets).await {
            if let Some(reply) = reply(&secret, &octets[..length]) {
                let _ = socket.send_to(&reply, from).await;
            }
        }
    });
    address
}

fn reply(secret: &SecretKey, query: &[u8]) -> Option<Vec<u8>> {
    let end = Question::read(query).ok()?.1;
    let labels = query[header::LENGTH..end - 4].strip_suffix(ZONE)?;
    let boxed = BoxedQuery::read(labels).filter(|boxed| boxed.format == Format::Published)?;
    let shared = secret.shared(&boxed.client);
    let inner = shared.open(boxed.format, boxed.nonce, [0; 12], &boxed.boxed)?;
    let response = shared.seal(boxed.format, boxed.nonce, [9; 12], &answer(&inner)?);
    let data = BoxedReply { client: boxed.nonce, server: [9; 12], boxed: response }.data();
    let record = [&b"\xc0\x0c\0\x10\0\x01\0\0\0\0"[..], &(data.len() as u16).to_be_bytes(), &data].concat();
    let head = [&query[..2], b"\x81\0\0\x01\0\x01\0\0\0\0"].concat();
    Some([&head, &query[header::LENGTH..end], &record].concat())
}

fn answer(inner: &[u8]) -> Option<Vec<u8>> {
    let end = Question::read(inner).ok()?.1;
    let question = &inner[header::LENGTH..end];
    if question[1] == b'_' {
        return Some([&inner[..2], b"\x81\x83\0\x01\0\0\0\0\0\0", question].concat());
    }
    let record = b"\xc0\x0c\0\x01\0\x01\0\0\x01\x2c\0\x04\xc6\x33\x64\x07";
    Some([&inner[..2], b"\x81\x80\0\x01\0\x01\0\0\0\0", question, record].concat())
}
