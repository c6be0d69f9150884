//! DNS cookies (RFC 7873) as RFC 9018 makes them. A client that shows one of ours has received a datagram at its address. Keys
//! live in memory and change once a day; a cookie of the key before is accepted until it is too old.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use domain::base::Serial;
use domain::base::opt::cookie::{ClientCookie, Cookie, ServerCookie};
use sotto_wire::Malformed;
use sotto_wire::edns::{option, option_of};

/// A client's cookie, and what the client believes to be ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CookieOption {
    client: [u8; 8],
    server: [u8; 32],
    octets: u8,
}

impl CookieOption {
    /// Malformed where the length is not one of those that it may have (RFC 7873 section 5.2.2).
    pub fn read(content: &[u8]) -> Result<Self, Malformed> {
        let bad = Malformed("a cookie of a length that none has");
        let (client, rest) = content.split_first_chunk().ok_or(bad)?;
        if !matches!(rest.len(), 0 | 8..=32) {
            return Err(bad);
        }
        let mut server = [0; 32];
        server[..rest.len()].copy_from_slice(rest);
        Ok(CookieOption { client: *client, server, octets: rest.len() as u8 })
    }

    /// From a message that is no query to answer.
    pub fn of_wrong(message: &[u8]) -> Option<Self> {
        Self::read(option_of(message, option::COOKIE)?).ok()
    }

    fn server(&self) -> &[u8] {
        &self.server[..usize::from(self.octets)]
    }
}

/// Content of the option in a response: the client's eight octets, sixteen of ours.
pub type ResponseCookie = [u8; 24];

/// RFC 9018 section 4.3, in seconds.
const OLDEST: u32 = 3600;
const AHEAD: u32 = 300;
const ROTATED_AFTER: u32 = 86_400;

/// What a client gets over UDP that has not shown a cookie of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Unproven {
    /// the whole response, many times what was sent: for networks where nobody can forge an address
    Full,
    /// no more than it sent: a longer response comes truncated
    Truncated,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    /// The client sent its own cookie only, and asks for one of ours.
    ClientCookie,
    /// It is not ours, was made for another address, or is too old.
    Wrong,
    Valid,
}

type Key = [u8; 16];

#[derive(Debug)]
pub struct Cookies {
    keys: Mutex<Keys>,
}

#[derive(Debug)]
struct Keys {
    current: Key,
    previous: Key,
    since: u32,
}

impl Cookies {
    /// `now` is in seconds since the epoch.
    pub fn new(now: u32) -> Result<Self, NoRandomness> {
        Ok(Cookies { keys: Mutex::new(Keys { current: random()?, previous: random()?, since: now }) })
    }

    /// What the client showed, and the content of the cookie option for the response.
    pub fn judge(
        &self,
        shown: Option<CookieOption>,
        client: IpAddr,
        now: u32,
    ) -> (Shown, Option<ResponseCookie>) {
        let Some(shown) = shown else {
            return (Shown::Nothing, None);
        };
        let (current, previous) = self.keys_at(now);
        let server = shown.server();
        let cookie = Cookie::new(
            ClientCookie::from_octets(shown.client),
            (!server.is_empty()).then(|| ServerCookie::from_octets(server)),
        );
        let is_recent = |made: Serial| {
            let age = now.wrapping_sub(made.into_int());
            age <= OLDEST || age.wrapping_neg() <= AHEAD
        };
        let is_ours = |key| cookie.check_server_hash(client, key, is_recent);
        let verdict = match server {
            [] => Shown::ClientCookie,
            _ if is_ours(&current) || is_ours(&previous) => Shown::Valid,
            _ => Shown::Wrong,
        };
        let fresh = cookie.create_response(Serial(now), client, &current);
        let mut response: ResponseCookie = [0; 24];
        response[..8].copy_from_slice(&shown.client);
        response[8..].copy_from_slice(fresh.server().map_or(&[0; 16], |server| server.as_ref()));
        (verdict, Some(response))
    }

    fn keys_at(&self, now: u32) -> (Key, Key) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if now.wrapping_sub(keys.since) >= ROTATED_AFTER
            && let Ok(next) = random()
        {
            keys.previous = std::mem::replace(&mut keys.current, next);
            keys.since = now;
        }
        (keys.current, keys.previous)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers")]
pub struct NoRandomness;

fn random() -> Result<Key, NoRandomness> {
    let mut key = Key::default();
    aws_lc_rs::rand::fill(&mut key).map_err(|_| NoRandomness)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u32 = 1_559_731_985;

    fn hex(text: &str) -> Vec<u8> {
        let pair = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(pair).collect()
    }

    fn option(content: &[u8]) -> Option<CookieOption> {
        CookieOption::read(content).ok()
    }

    fn client() -> IpAddr {
        "198.51.100.100".parse().unwrap()
    }

    #[test]
    fn the_first_example_of_rfc_9018_comes_out() {
        let key: Key = hex("e5e973e5a6b2a43f48e7dc849e37bfcf").try_into().unwrap();
        let keys = Keys { current: key, previous: [0; 16], since: NOW };
        let cookies = Cookies { keys: Mutex::new(keys) };
        let (shown, response) = cookies.judge(option(&hex("2464c4abcf10c957")), client(), NOW);
        assert_eq!(shown, Shown::ClientCookie);
        assert_eq!(response.unwrap()[..], hex("2464c4abcf10c957010000005cf79f111f8130c3eee29480"));
    }

    #[test]
    fn a_cookie_is_believed_for_an_hour_from_its_address_with_its_client_cookie() {
        let cookies = Cookies::new(NOW).unwrap();
        let (_, response) = cookies.judge(option(&[7; 8]), client(), NOW);
        let response = response.unwrap();
        let shown = |content: &[u8], from: IpAddr, now| cookies.judge(option(content), from, now).0;
        assert_eq!(shown(&response, client(), NOW), Shown::Valid);
        assert_eq!(shown(&response, client(), NOW + OLDEST), Shown::Valid);
        assert_eq!(shown(&response, client(), NOW + OLDEST + 1), Shown::Wrong);
        assert_eq!(shown(&response, client(), NOW - AHEAD), Shown::Valid);
        assert_eq!(shown(&response, client(), NOW - AHEAD - 1), Shown::Wrong);
        assert_eq!(shown(&response, "198.51.100.101".parse().unwrap(), NOW), Shown::Wrong);
        for at in 0..response.len() {
            let mut forged = response;
            forged[at] ^= 1;
            assert_eq!(shown(&forged, client(), NOW), Shown::Wrong, "octet {at}");
        }
        assert_eq!(cookies.judge(None, client(), NOW), (Shown::Nothing, None));
    }

    #[test]
    fn keys_change_once_a_day_and_the_one_before_is_believed() {
        let cookies = Cookies::new(NOW).unwrap();
        let last = NOW + ROTATED_AFTER - 1;
        let response = cookies.judge(option(&[7; 8]), client(), last).1.unwrap();
        let (first_key, _) = cookies.keys_at(last);
        assert_eq!(cookies.judge(option(&response), client(), last + 1).0, Shown::Valid);
        assert_ne!(cookies.keys_at(last + 1).0, first_key);
        assert_eq!(cookies.keys_at(last + 1).1, first_key);
    }
}
