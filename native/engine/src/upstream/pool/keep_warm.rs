//! Decides when a connection is replaced before a query needs it: what is known of an upstream's patience, and how often it may be.
//!
//! An upstream closes a connection on which nothing was sent for a while: its idle limit. It may tell the limit (RFC 7828).
//! Otherwise the estimate is the shortest silence after which it closed. The estimate grows a little each time a connection is
//! left before it, and half the way to any longer silence that ended in a close, so that one odd close does not count for long.
//!
//! A person is active for [`ACTIVE`] after a program's query that went to this upstream. Queries that the cache answers do not
//! count, because they need no connection; neither do queries of our own.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::config::ConnectionsConfig;
use crate::upstream::condition::{LimitBy, Rest, Warmth};

pub const ACTIVE: Duration = Duration::from_secs(3 * 60);
const HOUR: Duration = Duration::from_secs(60 * 60);
/// An upstream that closes sooner wants no idle connections, and each would have to be replaced as soon as it is open.
const SHORTEST: Duration = Duration::from_secs(1);
/// A connection is left an eighth of the limit before it, this long at most, but no less than opening the next one takes.
const MARGIN: Duration = Duration::from_secs(1);
/// TCP, STARTTLS, TLS, and one to spare.
const ROUND_TRIPS: u32 = 4;

#[derive(Debug, Default)]
pub struct KeepWarm {
    told: Option<Duration>,
    observed: Option<Duration>,
    /// when a program's query last came
    asked: Option<Instant>,
    /// in the last hour, oldest first
    dials: VecDeque<Instant>,
}

/// What is known of an upstream's patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleLimit {
    Told(Duration),
    Observed(Duration),
}

impl KeepWarm {
    /// A program's query has come.
    pub fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// The upstream says how long it waits.
    pub fn told(&mut self, limit: Duration) {
        self.told = Some(limit);
    }

    /// The upstream closed after a silence of this length.
    pub fn closed(&mut self, silence: Duration) {
        self.observed = Some(match self.observed {
            Some(known) if silence > known => known + (silence - known) / 2,
            _ => silence,
        });
    }

    /// A connection was opened before a query needed it.
    pub fn dialled(&mut self, now: Instant) {
        self.forget_old(now);
        self.dials.push_back(now);
    }

    /// It was still open when it was left for the next one: perhaps the limit is longer than the estimate.
    pub fn outlived(&mut self, round_trip: Duration) {
        if let (None, Some(observed)) = (self.told, self.observed) {
            self.observed = Some(observed + margin(observed, round_trip) / 4);
        }
    }

    /// On another network, another box may stand between us and the upstream.
    pub fn network_changed(&mut self) {
        (self.told, self.observed) = (None, None);
    }

    pub fn limit(&self) -> Option<IdleLimit> {
        self.told.map(IdleLimit::Told).or(self.observed.map(IdleLimit::Observed))
    }

    /// After how long a silence a connection is left. With a limit of zero the server closes with its response, so there is no
    /// silence.
    pub fn patience(&self, round_trip: Duration) -> Option<Duration> {
        let limit = self.limit()?.duration();
        (!limit.is_zero()).then(|| limit - margin(limit, round_trip))
    }

    /// Why no connection is opened ahead of need now; `None`: one may be opened.
    pub fn rests(&self, now: Instant, settings: &ConnectionsConfig) -> Option<Rest> {
        let active = self.asked.is_some_and(|asked| now.saturating_duration_since(asked) < ACTIVE);
        let unwanted = self.limit().is_some_and(|limit| limit.duration() < SHORTEST);
        let conditions = [
            (!settings.keep_warm || settings.dials_per_hour == 0, Rest::Off),
            (settings.spare_battery, Rest::Battery),
            (!active, Rest::Idle),
            (unwanted, Rest::Unwanted),
            (!self.has_budget(now, settings), Rest::Budget),
        ];
        conditions.into_iter().find_map(|(holds, rest)| holds.then_some(rest))
    }

    pub fn has_budget(&self, now: Instant, settings: &ConnectionsConfig) -> bool {
        self.dials_within_hour(now) < settings.dials_per_hour as usize
    }

    pub fn warmth(&self, now: Instant, settings: &ConnectionsConfig, rests: Option<Rest>) -> Warmth {
        let limit = self.limit();
        Warmth {
            idle_limit_ms: limit.map(|limit| limit.duration().as_millis() as u64),
            idle_limit_by: limit.map(|limit| match limit {
                IdleLimit::Told(_) => LimitBy::Told,
                IdleLimit::Observed(_) => LimitBy::Observed,
            }),
            dials: self.dials_within_hour(now),
            budget: settings.dials_per_hour,
            rests,
        }
    }

    fn dials_within_hour(&self, now: Instant) -> usize {
        self.dials.iter().rev().take_while(|dial| now.saturating_duration_since(**dial) < HOUR).count()
    }

    fn forget_old(&mut self, now: Instant) {
        while self.dials.front().is_some_and(|dial| now.saturating_duration_since(*dial) >= HOUR) {
            self.dials.pop_front();
        }
    }
}

impl IdleLimit {
    pub fn duration(self) -> Duration {
        match self {
            Self::Told(limit) | Self::Observed(limit) => limit,
        }
    }
}

/// How long before the limit a connection is left.
fn margin(limit: Duration, round_trip: Duration) -> Duration {
    (limit / 8).min(MARGIN).max(round_trip * ROUND_TRIPS).min(limit / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(40);
    const ON: ConnectionsConfig = ConnectionsConfig {
        keep_warm: true,
        dials_per_hour: 3,
        spare_battery: false,
        fast_open: true,
        ticket_hours: 24,
    };

    fn secs(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_connection_is_left_in_time_for_the_next_one_to_stand() {
        for (limit, round_trip, patience) in [
            (secs(10), ms(40), secs(9)),
            (secs(30), ms(40), secs(29)),
            (secs(2), ms(40), ms(1750)),
            (secs(2), ms(200), ms(1200)),
            (secs(1), ms(200), ms(500)),
        ] {
            let mut warm = KeepWarm::default();
            warm.told(limit);
            assert_eq!(warm.patience(round_trip), Some(patience), "{limit:?} at {round_trip:?}");
        }
        assert_eq!(KeepWarm::default().patience(RTT), None, "nothing is known");
        let mut warm = KeepWarm::default();
        warm.told(secs(0));
        assert_eq!(warm.patience(RTT), None);
    }

    #[test]
    fn what_it_says_counts_more_than_what_was_seen() {
        let mut warm = KeepWarm::default();
        warm.closed(secs(5));
        assert_eq!(warm.limit(), Some(IdleLimit::Observed(secs(5))));
        warm.told(secs(20));
        assert_eq!(warm.limit(), Some(IdleLimit::Told(secs(20))));
        warm.network_changed();
        assert_eq!(warm.limit(), None);
    }

    #[test]
    fn the_shortest_silence_counts_and_one_odd_close_is_forgotten() {
        let mut warm = KeepWarm::default();
        let mut after = |silence: u64| {
            warm.closed(secs(silence));
            warm.limit().unwrap().duration()
        };
        assert_eq!([after(30), after(10)], [secs(30), secs(10)]);
        assert_eq!([after(30), after(30)], [secs(20), secs(25)]);
    }

    #[test]
    fn an_estimate_that_is_never_met_grows_until_it_is() {
        let mut warm = KeepWarm::default();
        warm.closed(secs(3));
        let mut left = 0;
        while warm.patience(RTT).unwrap() < secs(10) {
            warm.outlived(RTT);
            left += 1;
        }
        assert!((5..60).contains(&left), "{left}");
        warm.closed(secs(10));
        assert!(warm.limit().unwrap().duration() <= secs(11));
        warm.told(secs(4));
        warm.outlived(RTT);
        assert_eq!(warm.limit(), Some(IdleLimit::Told(secs(4))), "what was told is not stretched");
    }

    #[test]
    fn it_rests_for_a_reason() {
        let start = Instant::now();
        let asked = |limit: Option<Duration>| {
            let mut warm = KeepWarm { told: limit, ..KeepWarm::default() };
            warm.asked(start);
            warm
        };
        let off = ConnectionsConfig { keep_warm: false, ..ON };
        let none = ConnectionsConfig { dials_per_hour: 0, ..ON };
        let battery = ConnectionsConfig { spare_battery: true, ..ON };
        for (warm, after, settings, rest) in [
            (asked(Some(secs(10))), secs(9), ON, None),
            (asked(None), secs(9), ON, None),
            (asked(None), ACTIVE - ms(1), ON, None),
            (asked(None), ACTIVE, ON, Some(Rest::Idle)),
            (KeepWarm::default(), secs(0), ON, Some(Rest::Idle)),
            (asked(None), secs(9), off, Some(Rest::Off)),
            (asked(None), secs(9), none, Some(Rest::Off)),
            (asked(None), secs(9), battery, Some(Rest::Battery)),
            (asked(Some(secs(0))), secs(9), ON, Some(Rest::Unwanted)),
            (asked(Some(ms(999))), secs(9), ON, Some(Rest::Unwanted)),
        ] {
            assert_eq!(warm.rests(start + after, &settings), rest, "{warm:?} after {after:?}, {settings:?}");
        }
    }

    #[test]
    fn an_hour_has_so_many_and_the_next_has_as_many_again() {
        let (mut warm, start) = (KeepWarm::default(), Instant::now());
        for minute in 0..3 {
            let now = start + secs(60 * minute);
            warm.asked(now);
            assert_eq!(warm.rests(now, &ON), None);
            warm.dialled(now);
        }
        let rest_at = |warm: &mut KeepWarm, now: Instant| {
            warm.asked(now);
            warm.rests(now, &ON)
        };
        assert_eq!(rest_at(&mut warm, start + secs(3599)), Some(Rest::Budget));
        assert_eq!(rest_at(&mut warm, start + secs(3600)), None, "the first one is an hour old");
        warm.dialled(start + secs(3600));
        assert_eq!(rest_at(&mut warm, start + secs(3601)), Some(Rest::Budget));
        assert_eq!(warm.warmth(start + secs(3601), &ON, None).dials, 3);
        assert_eq!(warm.dials.len(), 3, "older ones are not kept");
    }
}
