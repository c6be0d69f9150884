use super::*;
use crate::clock::Clock;
use crate::wire::name::Name;

fn key(name: &str) -> Key {
    Key::new(&Name::parse(name).unwrap(), 1, 1, false, false, 0)
}

/// Asked for, and not in the cache.
fn ask(hot_set: &HotSet, name: &str, times: usize, now: Moment) {
    (0..times).for_each(|_| hot_set.note(key(name).parts(), Audience::default(), now, None));
}

fn after(now: Moment, seconds: u64) -> Moment {
    now + Duration::from_secs(seconds)
}

fn due(hot_set: &HotSet, now: Moment) -> Vec<Key> {
    hot_set.due(now).into_iter().map(|(key, _)| key).collect()
}

fn is(found: &[Key], names: &[&str]) -> bool {
    found.iter().map(Key::as_octets).eq(names
        .iter()
        .map(|name| key(name))
        .collect::<Vec<_>>()
        .iter()
        .map(Key::as_octets))
}

fn start() -> Moment {
    Clock::system().now()
}

#[test]
fn a_name_asked_often_is_due_once_its_response_is_there() {
    let (hot_set, now) = (HotSet::new(10), start());
    ask(&hot_set, "often.example", 3, now);
    ask(&hot_set, "seldom.example", 2, now);
    assert!(is(&due(&hot_set, now), &[]) && hot_set.len() == 1);
    assert_eq!(hot_set.wait(now), Some(RESPONDED));
    assert!(is(&due(&hot_set, after(now, 5)), &["often.example"]));
    hot_set.put_off(&key("often.example"), Some(after(now, 65)));
    assert!(is(&due(&hot_set, after(now, 64)), &[]));
    assert!(is(&due(&hot_set, after(now, 65)), &["often.example"]));
}

#[test]
fn those_in_most_demand_are_hot_and_come_first() {
    let (hot_set, now) = (HotSet::new(2), start());
    for (name, times) in [("c.example", 3), ("a.example", 9), ("b.example", 5)] {
        ask(&hot_set, name, times, now);
    }
    assert!(is(&due(&hot_set, after(now, 5)), &["a.example", "b.example"]));
    assert_eq!(hot_set.len(), 2);
}

#[test]
fn queries_of_the_morning_count_for_less() {
    let (hot_set, now) = (HotSet::new(1), start());
    ask(&hot_set, "morning.example", 20, now);
    let noon = after(now, 3 * 3600);
    ask(&hot_set, "noon.example", 4, noon);
    assert!(is(&due(&hot_set, after(noon, 5)), &["noon.example"]));
}

#[test]
fn a_name_that_nobody_asks_for_falls_out_and_comes_back() {
    let (hot_set, now) = (HotSet::new(10), start());
    ask(&hot_set, "www.example", 10, now);
    due(&hot_set, now);
    for _ in 0..UNASKED {
        hot_set.sent(&key("www.example"), now);
    }
    assert_eq!(hot_set.wait(now), Some(SOONEST));
    assert!(is(&due(&hot_set, after(now, 10)), &[]) && hot_set.is_empty());
    ask(&hot_set, "www.example", 1, after(now, 20));
    assert!(is(&due(&hot_set, after(now, 25)), &["www.example"]));
}

#[test]
fn where_no_client_asks_nothing_is_due() {
    let (hot_set, now) = (HotSet::new(10), start());
    ask(&hot_set, "www.example", 10, now);
    assert!(!due(&hot_set, after(now, 600)).is_empty());
    assert!(is(&due(&hot_set, after(now, 601)), &[]));
    assert_eq!(hot_set.wait(after(now, 601)), None);
    ask(&hot_set, "other.example", 1, after(now, 602));
    assert!(is(&due(&hot_set, after(now, 602)), &["www.example"]));
}

#[test]
fn names_of_a_moment_take_no_more_room_than_there_is() {
    let (hot_set, now) = (HotSet::new(10), start());
    ask(&hot_set, "www.example", 10, now);
    for index in 0..1000 {
        ask(&hot_set, &format!("h{index}.example"), 1, now);
    }
    assert_eq!(hot_set.list().tallies.len(), 40);
    due(&hot_set, after(now, 1));
    assert!(hot_set.list().tallies.len() <= 20 && hot_set.len() == 1);
}

#[test]
fn nothing_is_left_of_what_is_forgotten() {
    let (hot_set, now) = (HotSet::new(10), start());
    ask(&hot_set, "www.example", 10, now);
    due(&hot_set, now);
    hot_set.clear();
    assert!(hot_set.is_empty() && hot_set.wait(now).is_none());
    hot_set.put_off(&key("www.example"), Some(now));
    hot_set.sent(&key("www.example"), now);
    assert!(is(&due(&hot_set, after(now, 5)), &[]) && hot_set.list().tallies.is_empty());
}

#[tokio::test]
async fn whoever_waits_is_woken_for_what_is_new_and_for_nothing_else() {
    let (hot_set, now) = (HotSet::new(10), start());
    let is_woken = || {
        let mut news = std::pin::pin!(hot_set.news());
        futures_are_ready(news.as_mut())
    };
    ask(&hot_set, "www.example", 1, now);
    assert!(is_woken(), "the first after a rest");
    ask(&hot_set, "www.example", 1, now);
    assert!(!is_woken());
    ask(&hot_set, "www.example", 1, now);
    assert!(is_woken(), "it is hot now");
    due(&hot_set, now);
    ask(&hot_set, "www.example", 5, now);
    assert!(!is_woken());
    hot_set.put_off(&key("www.example"), None);
    ask(&hot_set, "www.example", 1, now);
    assert!(is_woken(), "its response is to be looked at again");
}

fn futures_are_ready(future: std::pin::Pin<&mut impl Future>) -> bool {
    future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_ready()
}
