//! DNS cookies (RFC 7873, 9018): numbers that only the server and we know, so that nobody off the path can respond in its name.
//!
//! The client cookie depends on both addresses and on a secret that lives as long as the machine stays on a network. So it does not
//! show servers that a machine elsewhere is the same one.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use aws_lc_rs::hmac;
use tokio::time::Instant;

pub const CLIENT_LENGTH: usize = 8;
/// RFC 7873 section 4: the server's part.
const SERVER_LENGTHS: std::ops::RangeInclusive<usize> = 8..=32;
/// How long a server without cookies is not sent one again.
const UNSUPPORTED_FOR: Duration = Duration::from_secs(3600);
/// There are as many as configured servers, times our own addresses.
const MOST_KNOWN: usize = 1024;

pub struct Cookies {
    inner: Mutex<Inner>,
}

struct Inner {
    secret: hmac::Key,
    known: HashMap<Path, Known>,
}

type Path = (SocketAddr, IpAddr);

enum Known {
    /// the whole option for the next query, client cookie first
    Supports(Box<[u8]>),
    Unsupported {
        since: Instant,
    },
}

/// The cookie of one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// the option's data
    pub option: Box<[u8]>,
    /// the server gave one before: a response without it is not believed
    pub expected_back: bool,
}

/// What a response's cookie says about the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// ours came back
    Genuine,
    /// no cookie, or ours as it was, and none was expected
    Without,
    /// no cookie, although this server has cookies
    Missing,
    /// another cookie, or malformed (RFC 7873 section 5.3: discarded)
    Forged,
}

impl Default for Cookies {
    fn default() -> Self {
        Self { inner: Mutex::new(Inner { secret: new_secret(), known: HashMap::new() }) }
    }
}

impl Cookies {
    /// The cookie for a query to `server` that leaves from `local`; `None` where the server has no cookies.
    pub fn towards(&self, server: SocketAddr, local: IpAddr) -> Option<Sent> {
        let inner = self.inner();
        match inner.known.get(&(server, local)) {
            Some(Known::Supports(option)) => Some(Sent { option: option.clone(), expected_back: true }),
            Some(Known::Unsupported { since }) if since.elapsed() < UNSUPPORTED_FOR => None,
            _ => Some(Sent { option: inner.client((server, local)).into(), expected_back: false }),
        }
    }

    /// Judges a response to a query that carried `sent`, and remembers the server's part. `returned` is the option's data.
    pub fn judge(
        &self,
        (server, local): (SocketAddr, IpAddr),
        sent: &Sent,
        returned: Option<&[u8]>,
    ) -> Verdict {
        let Some(returned) = returned else {
            return if sent.expected_back { Verdict::Missing } else { Verdict::Without };
        };
        let Some((client, servers)) = returned.split_at_checked(CLIENT_LENGTH) else {
            return Verdict::Forged;
        };
        if servers.is_empty() && client == &*sent.option {
            // it has turned the query round: it saw it, and knows nothing of cookies
            return Verdict::Without;
        }
        if client != &sent.option[..CLIENT_LENGTH] || !SERVER_LENGTHS.contains(&servers.len()) {
            return Verdict::Forged;
        }
        self.remember((server, local), Known::Supports(returned.into()));
        Verdict::Genuine
    }

    /// It responded without a cookie: it is not sent one for a while.
    pub fn unsupported(&self, server: SocketAddr, local: IpAddr) {
        self.remember((server, local), Known::Unsupported { since: Instant::now() });
    }

    /// On another network, servers must not recognise us (RFC 7873 section 5.1).
    pub fn forget(&self) {
        let mut inner = self.inner();
        inner.secret = new_secret();
        inner.known.clear();
    }

    fn remember(&self, path: Path, known: Known) {
        let mut inner = self.inner();
        if inner.known.len() >= MOST_KNOWN && !inner.known.contains_key(&path) {
            inner.known.clear();
        }
        inner.known.insert(path, known);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while holding the cookies")
    }
}

impl Inner {
    fn client(&self, (server, local): Path) -> [u8; CLIENT_LENGTH] {
        let tag = hmac::sign(&self.secret, format!("{server} {local}").as_bytes());
        std::array::from_fn(|index| tag.as_ref()[index])
    }
}

fn new_secret() -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, &rand::random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn server(port: u16) -> SocketAddr {
        (LOCAL, port).into()
    }

    fn with_server_part(sent: &Sent, part: &[u8]) -> Vec<u8> {
        [&sent.option[..CLIENT_LENGTH], part].concat()
    }

    #[test]
    fn a_cookie_belongs_to_a_server_an_address_and_a_network() {
        let cookies = Cookies::default();
        let of = |port, local| cookies.towards(server(port), local).unwrap().option;
        let first = of(1, LOCAL);
        assert_eq!((first.len(), &of(1, LOCAL)), (CLIENT_LENGTH, &first));
        assert_ne!(of(2, LOCAL), first);
        assert_ne!(of(1, [10, 0, 0, 1].into()), first);
        cookies.forget();
        assert_ne!(of(1, LOCAL), first);
    }

    #[test]
    fn the_servers_part_is_sent_back_and_expected() {
        let cookies = Cookies::default();
        let sent = cookies.towards(server(1), LOCAL).unwrap();
        let returned = with_server_part(&sent, &[7; 16]);
        assert_eq!(cookies.judge((server(1), LOCAL), &sent, Some(&returned)), Verdict::Genuine);
        let next = cookies.towards(server(1), LOCAL).unwrap();
        assert_eq!((&*next.option, next.expected_back), (&*returned, true));
        assert_eq!(cookies.judge((server(1), LOCAL), &next, None), Verdict::Missing);
    }

    #[test]
    fn what_is_not_ours_or_has_a_wrong_length_is_forged() {
        let cookies = Cookies::default();
        let sent = cookies.towards(server(1), LOCAL).unwrap();
        let mut foreign = with_server_part(&sent, &[7; 8]);
        foreign[0] ^= 1;
        let wrong = [vec![], vec![0; 7], vec![0; 8], with_server_part(&sent, &[7; 33]), foreign];
        for returned in wrong {
            assert_eq!(cookies.judge((server(1), LOCAL), &sent, Some(&returned)), Verdict::Forged);
        }
        assert_eq!(cookies.judge((server(1), LOCAL), &sent, None), Verdict::Without);
        let turned_round = with_server_part(&sent, &[]);
        assert_eq!(cookies.judge((server(1), LOCAL), &sent, Some(&turned_round)), Verdict::Without);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_without_cookies_is_left_in_peace_for_an_hour() {
        let cookies = Cookies::default();
        cookies.unsupported(server(1), LOCAL);
        assert_eq!(cookies.towards(server(1), LOCAL), None);
        tokio::time::advance(UNSUPPORTED_FOR).await;
        assert!(cookies.towards(server(1), LOCAL).is_some());
    }
}
