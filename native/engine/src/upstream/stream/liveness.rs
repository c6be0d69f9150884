//! Tells dead connections from slow ones. If responses are due on a connection and nothing comes, a cheap query is sent. If not
//! one octet comes even then, the connection is dead. Any octet is a sign of life, and a query on a living connection waits,
//! however slow its response is.
//!
//! From the last sign of life to the verdict it takes two and a half round trips and 250 ms. A query that came when a response
//! could already have arrived therefore waits three round trips and 400 ms at most. TCP alone would find out after fifteen
//! minutes of retransmissions (RFC 9210 section 4.4 leaves the time to us, RFC 7766 section 6.2.3 only speaks of idle connections).

use std::time::Duration;

use tokio::time::Instant;

use crate::upstream::outgoing::Outgoing;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

/// Beyond a round trip and a quarter: for a resolver that has to ask other servers.
const QUIET: Duration = Duration::from_millis(100);
/// Beyond another round trip and a quarter: for the response to the liveness query, which every resolver has at hand, also where
/// one segment has to be sent a second time.
const REPLY: Duration = Duration::from_millis(150);

/// A query to which every resolver responds at once and which tells nothing about anyone: the name servers of the root.
pub fn query() -> Outgoing {
    Outgoing::of(Question { name: Name::ROOT, kind: types::NS, class: types::IN })
}

#[derive(Debug)]
pub struct Liveness {
    /// of the path, without the resolver's own time
    round_trip: Duration,
    watch: Watch,
}

#[derive(Debug, Clone, Copy)]
enum Watch {
    /// no query waits
    Off,
    /// responses are due, and nothing has come since then
    Quiet(Instant),
    /// the liveness query left then, and nothing has come since
    Asked(Instant),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// alive, as far as it can be known now
    Fine,
    /// send the liveness query, and call [`Liveness::asked`]
    Ask,
    Dead,
}

impl Liveness {
    pub fn new(round_trip: Duration) -> Self {
        Self { round_trip, watch: Watch::Off }
    }

    /// Something has come. `owed`: whether a query still waits.
    pub fn heard(&mut self, now: Instant, owed: bool) {
        self.watch = if owed { Watch::Quiet(now) } else { Watch::Off };
    }

    /// A query left.
    pub fn sent(&mut self, now: Instant) {
        if matches!(self.watch, Watch::Off) {
            self.watch = Watch::Quiet(now);
        }
    }

    /// The liveness query left.
    pub fn asked(&mut self, now: Instant) {
        self.watch = Watch::Asked(now);
    }

    /// No query waits any more.
    pub fn relax(&mut self) {
        self.watch = Watch::Off;
    }

    pub fn measured(&mut self, round_trip: Duration) {
        if !round_trip.is_zero() {
            self.round_trip = round_trip;
        }
    }

    /// Since when there is silence, or no response to the liveness query.
    pub fn since(&self) -> Option<Instant> {
        match self.watch {
            Watch::Off => None,
            Watch::Quiet(since) | Watch::Asked(since) => Some(since),
        }
    }

    /// When there will be something to decide.
    pub fn due(&self) -> Option<Instant> {
        let allowance = if matches!(self.watch, Watch::Asked(_)) { REPLY } else { QUIET };
        self.since().map(|since| since + self.round_trip * 5 / 4 + allowance)
    }

    pub fn verdict(&self, now: Instant) -> Verdict {
        match self.watch {
            _ if self.due().is_none_or(|due| now < due) => Verdict::Fine,
            Watch::Asked(_) => Verdict::Dead,
            Watch::Quiet(_) | Watch::Off => Verdict::Ask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(40);

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_silent_connection_is_dead_after_two_and_a_half_round_trips_and_250_ms() {
        let (mut liveness, start) = (Liveness::new(RTT), Instant::now());
        assert_eq!(liveness.due(), None);
        liveness.sent(start);
        assert_eq!(liveness.verdict(start + ms(149)), Verdict::Fine);
        assert_eq!(liveness.verdict(start + ms(150)), Verdict::Ask);
        liveness.asked(start + ms(150));
        assert_eq!(liveness.verdict(start + ms(349)), Verdict::Fine);
        assert_eq!(liveness.verdict(start + ms(350)), Verdict::Dead);
    }

    #[test]
    fn queries_that_follow_do_not_put_the_verdict_off() {
        let (mut liveness, start) = (Liveness::new(RTT), Instant::now());
        liveness.sent(start);
        let due = liveness.due();
        liveness.sent(start + ms(100));
        assert_eq!(liveness.due(), due);
        liveness.asked(start + ms(150));
        let due = liveness.due();
        liveness.sent(start + ms(300));
        assert_eq!(liveness.due(), due);
    }

    #[test]
    fn whatever_comes_is_a_sign_of_life() {
        let (mut liveness, start) = (Liveness::new(RTT), Instant::now());
        liveness.sent(start);
        liveness.asked(start + ms(150));
        liveness.heard(start + ms(349), true);
        assert_eq!(liveness.verdict(start + ms(350)), Verdict::Fine);
        assert_eq!(liveness.due(), Some(start + ms(349 + 150)));
        liveness.heard(start + ms(500), false);
        assert_eq!(liveness.due(), None);
    }

    #[test]
    fn a_path_that_turns_out_longer_is_given_more_time() {
        let (mut liveness, start) = (Liveness::new(RTT), Instant::now());
        liveness.sent(start);
        liveness.measured(ms(200));
        assert_eq!(liveness.verdict(start + ms(349)), Verdict::Fine);
        assert_eq!(liveness.verdict(start + ms(350)), Verdict::Ask);
    }
}
