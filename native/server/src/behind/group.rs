//! Servers that answer the same names. The one with the fewest queries on their way is asked, the first of equals; where it gives no
//! response in time, the next one is. The first response counts, to whichever try it is.

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use sotto_wire::name::Name;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::failure::Failure;
use super::outgoing::Outgoing;
use super::server::{Outcome, Server};
use crate::query::Query;

/// How long each try may take; all together are the client's patience.
const PATIENCE: [Duration; 3] =
    [Duration::from_millis(1000), Duration::from_millis(1500), Duration::from_millis(2500)];

/// So long the rest of a truncated response may take: whoever asked over UDP is told of it before giving up.
const TRUNCATED: Duration = Duration::from_millis(4000);

/// What a query had of one server.
#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    count: usize,
    /// it would respond the same again
    is_all: bool,
}

#[derive(Debug)]
pub struct Group {
    servers: Vec<Arc<Server>>,
    /// whether they may ask others for an answer
    recursive: bool,
    sign_of_life: Outgoing,
}

impl Group {
    /// `zone`: of which they are the authorities, if they are no resolvers.
    pub fn new(servers: Vec<Arc<Server>>, zone: Option<&Name>) -> Self {
        Group { servers, recursive: zone.is_none(), sign_of_life: Outgoing::sign_of_life(zone) }
    }

    pub fn servers(&self) -> &[Arc<Server>] {
        &self.servers
    }

    pub fn sign_of_life(&self) -> &Outgoing {
        &self.sign_of_life
    }

    /// The failure is that of the server that was asked last.
    pub async fn ask(&self, query: &Query<'_>, client: IpAddr) -> Outcome {
        let query = Outgoing::of(query, client, self.recursive);
        let start = Instant::now();
        let deadline = start + PATIENCE.iter().sum();
        let (told, mut outcomes) = mpsc::unbounded_channel();
        let mut tries = vec![Tries::default(); self.servers.len()];
        let (mut last, mut truncated) = (None, None);
        let mut patience = PATIENCE.iter();
        // whoever waited for a turn may have no time left
        while let (Some(most), Some(chosen)) = (patience.as_slice().first(), self.choose(&mut tries))
            && (last.is_none() || Instant::now() < deadline)
        {
            let server = &self.servers[chosen];
            let has_others = tries.iter().any(|tries| tries.count == 0);
            let asked = (&query, tries[chosen].count - 1);
            // a stream loses nothing: where there is no other server, the response is waited for
            let waits = !has_others && !server.loses_queries();
            let until = if waits { deadline } else { deadline.min(Instant::now() + *most) };
            match first_told(server.ask(asked, until, deadline, told.clone()), &mut outcomes).await {
                Ok(response) => return Ok(response),
                Err(failure) => {
                    // where nobody is, no time was lost
                    if !(has_others && failure.is_final()) {
                        patience.next();
                    }
                    tries[chosen].is_all |= failure.is_all_it_has();
                    if let Failure::OnlyTruncated(response) = &failure {
                        truncated = Some(response.to_vec());
                    }
                    last = Some(failure);
                }
            }
        }
        drop(told);
        let until = if truncated.is_some() { start + TRUNCATED } else { deadline };
        let late = timeout_at(until, response_to_earlier(outcomes)).await.ok().flatten();
        late.or(truncated).ok_or_else(|| last.expect("at least one server was asked"))
    }

    /// Servers that are up come first, and of those the ones that were not tried; one that was is chosen again only if it may have lost
    /// the query. Of those that are down the one whose rest ends first is chosen; they are asked for a sign of life after it.
    fn choose(&self, tries: &mut [Tries]) -> Option<usize> {
        self.servers.iter().for_each(|server| server.examine(&self.sign_of_life));
        let rank = |place: usize| {
            let server = &self.servers[place];
            let Tries { count, is_all } = tries[place];
            let may_ask = count == 0 || server.loses_queries() && !is_all;
            may_ask.then(|| (!server.is_up(), count > 0, server.rests_until(), server.in_flight()))
        };
        let ranked = (0..self.servers.len()).filter_map(|place| Some((place, rank(place)?)));
        let (chosen, _) = ranked.min_by_key(|(_, rank)| *rank)?;
        tries[chosen].count += 1;
        Some(chosen)
    }
}

/// What comes of the query that is asked now, or the response to an earlier one.
async fn first_told(
    asking: impl Future<Output = ()>,
    outcomes: &mut mpsc::UnboundedReceiver<Outcome>,
) -> Outcome {
    let asking = async {
        asking.await;
        pending().await
    };
    let outcome = tokio::select! {
        outcome = outcomes.recv() => outcome,
        never = asking => never,
    };
    outcome.expect("whoever asks holds the other end")
}

/// What was sent first may be answered last.
async fn response_to_earlier(mut outcomes: mpsc::UnboundedReceiver<Outcome>) -> Option<Vec<u8>> {
    loop {
        if let Ok(response) = outcomes.recv().await? {
            return Some(response);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sotto_skip::nobody::nobody;
    use tokio::net::UdpSocket;

    use super::super::address::{ServerAddress, Way};
    use super::*;

    /// So long a client waits that gives up.
    const STAYS: Duration = Duration::from_millis(10);
    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const QUESTION: &[u8] = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x03www\x04test\0\0\x01\0\x01";

    fn over_udp(sockets: &[&UdpSocket]) -> Group {
        let server = |socket: &&UdpSocket| {
            let text = socket.local_addr().unwrap().to_string();
            Arc::new(Server::new(ServerAddress::parse(&text, Way::Udp).unwrap(), None, 1).unwrap())
        };
        Group::new(sockets.iter().map(server).collect(), None)
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
    async fn a_silent_resolver_is_asked_twice_and_then_over_tcp() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let group = over_udp(&[&silent]);
        let failure = group.ask(&Query::parse(QUESTION).unwrap(), CLIENT).await.unwrap_err();
        assert_eq!(failure, Failure::Silent("TCP"));
        assert_eq!(came(&silent).len(), PATIENCE.len() - 1, "each try from a port and with an id of its own");
    }

    /// Answers the first query so late.
    async fn answer(socket: &UdpSocket, late: Duration) {
        let mut message = [0; 512];
        let (octets, from) = socket.recv_from(&mut message).await.unwrap();
        tokio::time::sleep(late).await;
        message[2] |= 0x80;
        socket.send_to(&message[..octets], from).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_response_to_an_earlier_try_is_a_response() {
        for late in [500, 1500, 2600, 4900].map(Duration::from_millis) {
            let slow = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let group = over_udp(&[&slow]);
            let (query, start) = (Query::parse(QUESTION).unwrap(), Instant::now());
            let (outcome, ()) = tokio::join!(group.ask(&query, CLIENT), answer(&slow, late));
            assert!(outcome.is_ok(), "{late:?}");
            let virtual_time = start.elapsed();
            assert!(virtual_time < late + Duration::from_millis(100), "{late:?} became {virtual_time:?}");
            assert!(group.servers[0].is_up());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_response_of_one_server_counts_while_another_one_is_silent() {
        let (slow, silent) =
            (UdpSocket::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let group = over_udp(&[&slow, &silent]);
        let (query, start) = (Query::parse(QUESTION).unwrap(), Instant::now());
        let late = Duration::from_millis(1800);
        let (outcome, ()) = tokio::join!(group.ask(&query, CLIENT), answer(&slow, late));
        assert!(outcome.is_ok() && start.elapsed() < late + Duration::from_millis(100));
        assert_eq!(came(&silent).len(), 1, "it was asked meanwhile");
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_left_has_its_slot_until_it_ends() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let group = over_udp(&[&silent]);
        let query = Query::parse(QUESTION).unwrap();
        let in_flight = || group.servers[0].in_flight();
        let gone = tokio::time::timeout(STAYS, group.ask(&query, CLIENT)).await;
        assert!(gone.is_err(), "nobody waits for it any more");
        assert_eq!(in_flight(), 1);
        tokio::time::sleep(PATIENCE.iter().sum()).await;
        assert_eq!((in_flight(), came(&silent).len()), (0, 1), "and it is not asked again");
    }

    #[tokio::test]
    async fn servers_that_are_not_there_are_given_up_after_a_few_tries() {
        let (one, other) =
            (UdpSocket::bind(nobody()).await.unwrap(), UdpSocket::bind(nobody()).await.unwrap());
        let group = over_udp(&[&one, &other]);
        drop((one, other));
        for queries in 1..=3 {
            assert!(group.ask(&Query::parse(QUESTION).unwrap(), CLIENT).await.is_err());
            let failed: u64 = group.servers.iter().map(|server| server.snapshot().failed).sum();
            assert_eq!(failed, queries * (1 + PATIENCE.len() as u64), "also where both rest");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn of_silent_resolvers_each_is_asked_before_one_is_asked_again() {
        let (one, other) =
            (UdpSocket::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let group = over_udp(&[&one, &other]);
        assert!(group.ask(&Query::parse(QUESTION).unwrap(), CLIENT).await.is_err());
        assert_eq!((came(&one).len(), came(&other).len()), (2, 1));
    }
}
