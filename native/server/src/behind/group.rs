//! Servers that answer the same names. The one with the fewest queries on their way is asked, the first of equals; where it gives no
//! response, the next one is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::address::ServerAddress;
use super::failure::Failure;
use super::figures::ServerSnapshot;
use super::opening::Unusable;
use super::outgoing::{Outgoing, refuses_edns};
use super::server::Server;
use crate::query::Query;

/// How long each try may take; all together are the client's patience.
const PATIENCE: [Duration; 3] =
    [Duration::from_millis(1000), Duration::from_millis(1500), Duration::from_millis(2500)];

#[derive(Debug)]
pub struct Group {
    servers: Vec<Arc<Server>>,
    /// whether they may ask others for an answer
    recursive: bool,
}

/// A failure, and the server that was asked last.
pub struct Unanswered {
    pub server: String,
    pub failure: Failure,
}

impl Group {
    pub fn new(
        addresses: Vec<ServerAddress>,
        recursive: bool,
        roots: Option<&str>,
    ) -> Result<Self, Unusable> {
        let servers = addresses.into_iter().map(|address| Server::new(address, roots).map(Arc::new));
        Ok(Group { servers: servers.collect::<Result<_, _>>()?, recursive })
    }

    pub async fn ask(&self, query: &Query<'_>) -> Result<Vec<u8>, Unanswered> {
        let outgoing = Outgoing::of(query, self.recursive);
        match self.ask_in_turn(&outgoing).await {
            Ok(response) if refuses_edns(&response) => self.ask_in_turn(&outgoing.without_edns()).await,
            outcome => outcome,
        }
    }

    async fn ask_in_turn(&self, query: &Outgoing) -> Result<Vec<u8>, Unanswered> {
        let deadline = Instant::now() + PATIENCE.iter().sum();
        let mut tried = vec![false; self.servers.len()];
        let mut last = None;
        for patience in PATIENCE {
            let Some(chosen) = self.choose(&mut tried) else { break };
            let server = &self.servers[chosen];
            // a stream loses nothing: where there is no other server, the response is waited for
            let is_last = tried.iter().all(|tried| *tried) && !server.loses_queries();
            let until = if is_last { deadline } else { deadline.min(Instant::now() + patience) };
            match server.ask(query, until, deadline).await {
                Ok(response) => return Ok(response),
                Err(failure) => last = Some(Unanswered { server: server.to_string(), failure }),
            }
        }
        Err(last.expect("at least one server was asked"))
    }

    /// A server that was not tried, or again one that may have lost the query. Those that are down come last, the one first that rested
    /// for longest; they are asked for a sign of life when they have rested.
    fn choose(&self, tried: &mut [bool]) -> Option<usize> {
        self.servers.iter().for_each(Server::examine);
        let untried = (0..self.servers.len()).filter(|server| !tried[*server]);
        let again = (0..self.servers.len()).filter(|server| self.servers[*server].loses_queries());
        let rank = |server: &usize| (self.servers[*server].rests_until(), self.servers[*server].in_flight());
        let chosen = untried.min_by_key(rank).or_else(|| again.min_by_key(rank))?;
        tried[chosen] = true;
        Some(chosen)
    }

    pub fn snapshots(&self) -> impl Iterator<Item = ServerSnapshot> {
        self.servers.iter().map(|server| server.snapshot())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tokio::net::UdpSocket;

    use super::super::address::Way;
    use super::*;

    const QUESTION: &[u8] = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x03www\x04test\0\0\x01\0\x01";

    fn over_udp(sockets: &[&UdpSocket]) -> Group {
        let address = |socket: &&UdpSocket| {
            ServerAddress::parse(&socket.local_addr().unwrap().to_string(), Way::Udp).unwrap()
        };
        Group::new(sockets.iter().map(address).collect(), true, None).unwrap()
    }

    /// The ports and ids of the queries that came.
    fn came(socket: &UdpSocket) -> HashSet<(u16, [u8; 2])> {
        let next = || {
            let mut message = [0; 512];
            let (_, from) = socket.try_recv_from(&mut message).ok()?;
            Some((from.port(), [message[0], message[1]]))
        };
        std::iter::from_fn(next).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_resolver_is_asked_three_times_and_named() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let group = over_udp(&[&silent]);
        let unanswered = group.ask(&Query::parse(QUESTION).unwrap()).await.err().unwrap();
        assert_eq!(unanswered.server, silent.local_addr().unwrap().to_string());
        assert_eq!(unanswered.failure, Failure::Silent("UDP"));
        assert_eq!(came(&silent).len(), PATIENCE.len(), "each try from a port and with an id of its own");
    }

    #[tokio::test(start_paused = true)]
    async fn of_silent_resolvers_each_is_asked_before_one_is_asked_again() {
        let (one, other) =
            (UdpSocket::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let group = over_udp(&[&one, &other]);
        assert!(group.ask(&Query::parse(QUESTION).unwrap()).await.is_err());
        assert_eq!((came(&one).len(), came(&other).len()), (2, 1));
    }
}
