//! How much each of many may do in a second: queries, connections, responses that a stranger may get. What is not used is held, but no more than some seconds' worth.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

const HELD: Duration = Duration::from_secs(5);
/// Whoever is forgotten has all of the allowance again, as a new one has.
const REMEMBERED: usize = 100_000;

pub struct Allowances<K> {
    /// `None`: there is no limit.
    each: Option<Duration>,
    start: Instant,
    /// when the whole allowance is there again, in nanoseconds since the start
    full_at: Cache<K, Arc<AtomicU64>>,
}

impl<K: Eq + Hash + Clone> Allowances<K> {
    /// 0: without a limit.
    pub fn per_second(times: u32) -> Self {
        let each = Duration::from_secs(1).checked_div(times);
        Self { each, start: Instant::now(), full_at: Cache::new(REMEMBERED) }
    }

    /// Whether there was an allowance for one more, which is then used up.
    pub fn take(&self, whose: &K) -> bool {
        let Some(each) = self.each else { return true };
        let new = || Ok::<_, Infallible>(Arc::default());
        let Ok(full_at) = self.full_at.get_or_insert_with(whose, new);
        let now = nanoseconds(self.start.elapsed());
        let used = |full_at: u64| {
            let full_at = full_at.max(now) + nanoseconds(each);
            (full_at - now <= nanoseconds(HELD)).then_some(full_at)
        };
        full_at.fetch_update(Relaxed, Relaxed, used).is_ok()
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn taken(allowances: &Allowances<char>, whose: char, tries: usize) -> usize {
        (0..tries).filter(|_| allowances.take(&whose)).count()
    }

    #[tokio::test(start_paused = true)]
    async fn each_has_as_many_as_it_may_in_a_second_and_holds_those_of_five() {
        let allowances = Allowances::per_second(3);
        assert_eq!(taken(&allowances, 'a', 100), 15);
        advance(Duration::from_secs(1)).await;
        assert_eq!((taken(&allowances, 'a', 100), taken(&allowances, 'b', 100)), (3, 15));
        advance(Duration::from_secs(60)).await;
        assert_eq!(taken(&allowances, 'a', 100), 15, "no more is held");
    }

    #[test]
    fn zero_is_no_limit() {
        assert_eq!(taken(&Allowances::per_second(0), 'a', 10_000), 10_000);
    }
}
