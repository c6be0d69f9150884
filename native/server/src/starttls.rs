//! The in-band exchange that turns TCP into TLS (draft-ietf-dprive-start-tls-for-dns): one query for the name STARTTLS, one
//! response, then nothing but TLS. If octets arrive before our response, somebody hopes that they are read as part of the
//! protected stream (the class of CVE-2011-0411): the connection ends.

use std::io::{self, ErrorKind};

use sotto_wire::header::rcode;
use sotto_wire::starttls::{ACCEPTED, DECLINED, TO, is_dummy, text_record};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::edns::ResponseOpt;
use crate::places::Place;
use crate::query::Query;
use crate::response::{Owner, Response, Section};
use crate::transport::Terms;

/// How an accepted STARTTLS is signalled. The draft reads the TO bit alone, clients of 2015 the TXT alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Signal {
    /// TXT "STARTTLS" and the TO bit
    #[default]
    Both,
    /// the TO bit, and a TXT that says nothing
    To,
    /// TXT "STARTTLS" without the TO bit
    Txt,
    /// never: TXT "NO_TLS" without the TO bit
    Decline,
}

impl Signal {
    /// A client that reads the TXT alone never sets the bit, so with `both` and `txt` the name itself is the request.
    fn accepts(self, query: &Query) -> bool {
        let edns = query.edns.as_ref();
        match self {
            Signal::Both | Signal::Txt => edns.is_none_or(|edns| edns.version == 0),
            Signal::To => edns.is_some_and(|edns| edns.version == 0 && edns.flags & TO != 0),
            Signal::Decline => false,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Signal::Both | Signal::Txt => ACCEPTED,
            Signal::To => "TO",
            Signal::Decline => DECLINED,
        }
    }
}

/// The response to the dummy query where TLS cannot start: by choice, over UDP, later on a connection, inside TLS.
pub fn decline(query: &Query, terms: Terms, out: &mut Vec<u8>) {
    write_response(query, terms, Signal::Decline, out);
}

/// How a connection to the STARTTLS port began.
#[derive(Debug)]
pub enum Opening {
    /// Our response is out; the client's next octet belongs to TLS.
    Secure,
    /// These octets, which were read already, begin a conversation in cleartext.
    Clear(Vec<u8>),
    /// Octets were pipelined behind the STARTTLS query.
    Injected,
    Gone,
}

pub async fn open(tcp: &mut TcpStream, signal: Signal, terms: Terms, place: &Place) -> io::Result<Opening> {
    let Some(input) = first_message(tcp, place).await? else {
        return Ok(Opening::Gone);
    };
    let length = 2 + usize::from(u16::from_be_bytes([input[0], input[1]]));
    let query = Query::parse(&input[2..length]).ok();
    let accepted = query.filter(|query| is_dummy(&query.question) && signal.accepts(query));
    let Some(query) = accepted else {
        return Ok(Opening::Clear(input));
    };
    if input.len() > length || holds_unread(tcp)? {
        return Ok(Opening::Injected);
    }
    let mut response = vec![0, 0];
    write_response(&query, terms, signal, &mut response);
    let octets = (response.len() - 2) as u16;
    response[..2].copy_from_slice(&octets.to_be_bytes());
    tcp.write_all(&response).await?;
    Ok(Opening::Secure)
}

/// At least one whole framed message, with the octets that arrived behind it.
async fn first_message(tcp: &mut TcpStream, place: &Place) -> io::Result<Option<Vec<u8>>> {
    let mut input = Vec::with_capacity(512);
    loop {
        if tcp.read_buf(&mut input).await? == 0 {
            return Ok(None);
        }
        place.holds(input.capacity());
        let whole = input.get(..2).map(|length| 2 + usize::from(u16::from_be_bytes([length[0], length[1]])));
        if whole.is_some_and(|whole| input.len() >= whole) {
            return Ok(Some(input));
        }
    }
}

fn holds_unread(tcp: &TcpStream) -> io::Result<bool> {
    match tcp.try_read(&mut [0]) {
        Ok(octets) => Ok(octets > 0),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// The TXT comes first and the OPT directly behind it: clients of 2015 read the octet after the TXT as the root name.
fn write_response(query: &Query, terms: Terms, signal: Signal, out: &mut Vec<u8>) {
    let mut response = Response::new(query, terms, out);
    response.record(Section::Answer, Owner::QUESTION, &text_record(signal.text()));
    let tls_ok = matches!(signal, Signal::Both | Signal::To);
    let opt = query.edns.as_ref().map(|edns| ResponseOpt { tls_ok, ..terms.response_opt(edns, &[]) });
    response.finish_with(rcode::NOERROR, opt);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sotto_wire::starttls::query;

    use super::*;
    use crate::transport::Transport;

    /// From draft-ietf-dprive-start-tls-for-dns and its captures.
    const RECORDED: &str = "1a2b80000001000100000001 085354415254544c5300 0010 0003 \
         c00c00100003000000000009 085354415254544c53 0000291000000040000000";

    fn octets(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    fn response(signal: Signal) -> Vec<u8> {
        let message = query(0x1a2b);
        let mut out = Vec::new();
        write_response(
            &Query::parse(&message).unwrap(),
            Terms::from(Transport::Tcp { idle: Duration::ZERO }),
            signal,
            &mut out,
        );
        out
    }

    #[test]
    fn an_accepted_starttls_equals_the_recorded_octets() {
        assert_eq!(response(Signal::Both), octets(RECORDED));
        assert_eq!(response(Signal::Both).len(), 58);
    }

    #[test]
    fn a_declined_one_says_so_in_both_places() {
        let response = response(Signal::Decline);
        assert_eq!(response.len(), 56);
        assert!(response.windows(7).any(|octets| octets == b"\x06NO_TLS"));
        assert_eq!(response[response.len() - 4..], [0, 0, 0, 0], "no flag in the OPT");
    }

    #[test]
    fn the_draft_asks_for_the_bit_and_the_practice_does_not() {
        let mut message = query(0x1a2b);
        message[33] = 0;
        let query = Query::parse(&message).unwrap();
        assert!(!Signal::To.accepts(&query));
        assert!(Signal::Both.accepts(&query) && Signal::Txt.accepts(&query));
        assert!(!Signal::Decline.accepts(&query));
    }
}
