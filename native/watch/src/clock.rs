//! Detects sleep, and a wall clock that was set, from the differences between three clocks.
//!
//! The monotonic clock stands still in sleep, the boot clock does not, and only the wall clock can be set. Adjusting a
//! clock's pace (NTP) moves all three alike, so what is left are jumps.

use crate::Event;

/// Smaller jumps are not worth a new connection: an attempt to sleep that was broken off, or NTP setting the clock once at boot.
const LEAST: i64 = 1_000_000_000;

/// Nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// boot clock − monotonic clock: how long the machine has slept since boot
    pub slept: i64,
    /// wall clock − boot clock
    pub wall: i64,
}

/// What happened between two looks. Small steps add up, because `known` changes only when an event is returned.
pub fn jumps(known: &mut Offsets, now: Offsets) -> Vec<Event> {
    let mut events = Vec::new();
    let slept = now.slept - known.slept;
    if slept >= LEAST {
        known.slept = now.slept;
        events.push(Event::Woke { slept_ms: (slept / 1_000_000).unsigned_abs() });
    }
    let by = now.wall - known.wall;
    if by.abs() >= LEAST {
        known.wall = now.wall;
        events.push(Event::ClockSet { by_ms: by / 1_000_000 });
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;
    const START: Offsets = Offsets { slept: 7, wall: 1_700_000_000 * SECOND };

    fn after(slept: i64, wall: i64) -> Offsets {
        Offsets { slept: START.slept + slept, wall: START.wall + wall }
    }

    #[test]
    fn what_is_told() {
        let woke = |slept_ms| Event::Woke { slept_ms };
        let set = |by_ms| Event::ClockSet { by_ms };
        let cases = [
            (after(0, 0), vec![]),
            (after(SECOND - 1, 1 - SECOND), vec![]),
            (after(90 * SECOND, 0), vec![woke(90_000)]),
            (after(0, 3600 * SECOND), vec![set(3_600_000)]),
            (after(0, -5 * SECOND), vec![set(-5000)]),
            (after(2 * SECOND, 3 * SECOND), vec![woke(2000), set(3000)]),
        ];
        for (now, told) in cases {
            assert_eq!(jumps(&mut START.clone(), now), told, "{now:?}");
        }
    }

    #[test]
    fn a_jump_is_told_once() {
        let mut known = START;
        assert_eq!(jumps(&mut known, after(2 * SECOND, 0)).len(), 1);
        assert_eq!(jumps(&mut known, after(2 * SECOND, 0)), []);
    }

    #[test]
    fn small_steps_add_up() {
        let mut known = START;
        assert_eq!(jumps(&mut known, after(0, SECOND / 2)), []);
        assert_eq!(jumps(&mut known, after(0, SECOND)), [Event::ClockSet { by_ms: 1000 }]);
    }
}
