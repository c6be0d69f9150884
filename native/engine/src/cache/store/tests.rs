use super::*;
use crate::cache::flush::Filter;
use crate::clock::Clock;
use crate::wire::edns::{ExtendedError, OptWriter, option};
use crate::wire::header::{self, Header};
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

const UP: SaidBy = SaidBy { upstream: "up", authenticated: true };
const A_300: &[u8] = b"\xc0\x0c\0\x01\0\x01\0\0\x01\x2c\0\x04\xc6\x33\x64\x02";
const CNAME_300: &[u8] = b"\xc0\x0c\0\x05\0\x01\0\0\x01\x2c\0\x02\xc0\x10";
/// of the name behind the first label of www.example; its own TTL is 3600, its MINIMUM 60
const SOA_60: &[u8] =
    b"\xc0\x10\0\x06\0\x01\0\0\x0e\x10\0\x16\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x3c";

fn question(name: &str) -> Question {
    Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN }
}

fn key(name: &str, dnssec_ok: bool, generation: u32) -> Key {
    Key::new(&question(name).name, types::A, types::IN, dnssec_ok, false, generation)
}

fn response_to(name: &str, code: u16, records: &[(&[u8], u16)]) -> Response {
    let asked = question(name);
    let mut message = asked.query(1, header::QR | code);
    let count = |wanted| records.iter().filter(|(_, section)| *section == wanted).count() as u16;
    Header { id: 1, flags: header::QR | code, counts: [1, count(1), count(2), 0] }.write(&mut message);
    records.iter().for_each(|(octets, _)| message.extend_from_slice(octets));
    Response::read(message, &asked).unwrap().0
}

fn response(code: u16, records: &[(&[u8], u16)]) -> Response {
    response_to("www.example", code, records)
}

fn world() -> (Cache, Moment) {
    let cache = Cache::new(100);
    cache.serve_stale_for(Duration::from_secs(24 * 3600));
    (cache, Clock::system().now())
}

fn after(now: Moment, seconds: u64) -> Moment {
    now + Duration::from_secs(seconds)
}

#[test]
fn an_answer_lives_as_long_as_its_ttl_and_then_turns_stale() {
    let (cache, now) = world();
    cache.insert(&key("www.example", false, 0), &response(0, &[(A_300, 1)]), UP, now);
    let at = |seconds| cache.find(key("www.example", false, 0).parts(), after(now, seconds));
    assert!(matches!(at(299), Found::Fresh(Fresh { age_seconds: 299, .. })));
    assert!(matches!(at(300), Found::Stale(_)));
    assert!(matches!(at(300 + 24 * 3600), Found::Miss));
}

#[test]
fn an_answer_counts_as_a_hit_as_long_as_it_is_fresh() {
    let (cache, now) = world();
    cache.insert(&key("www.example", false, 0), &response(0, &[(A_300, 1)]), UP, now);
    for seconds in [0, 299, 300, 86_700] {
        let known = cache.get(key("www.example", false, 0).parts(), after(now, seconds));
        assert_eq!(matches!(known, Some(Known::Fresh(_))), seconds < 300);
    }
    assert_eq!(cache.usage(), Usage { hits: 2, misses: 2, stale: 0, prefetched: 0, sent_ahead: 0 });
}

#[test]
fn an_expired_answer_serves_no_longer_than_is_wanted() {
    let (cache, now) = world();
    cache.insert(&key("www.example", false, 0), &response(0, &[(A_300, 1)]), UP, now);
    let stale = || cache.stale(&key("www.example", false, 0), after(now, 300 + 7200)).is_some();
    assert!(stale());
    cache.serve_stale_for(Duration::from_secs(7200));
    assert!(!stale());
    cache.serve_stale_for(Duration::from_secs(7201));
    assert!(stale());
    cache.serve_stale_for(Duration::ZERO);
    assert!(!stale());
}

#[test]
fn what_was_said_comes_back_as_it_was_said() {
    let (cache, now) = world();
    let asked = question("www.example");
    let mut message = response(0, &[(A_300, 1)]).message.to_vec();
    message[13..16].copy_from_slice(b"WwW");
    let mut opt = OptWriter::start(&mut message, false, 0);
    opt.option(option::EXTENDED_ERROR, b"\0\x04forged");
    opt.option(option::EXTENDED_ERROR, &[&b"\0\0"[..], &[0xff; 4000]].concat());
    opt.finish();
    let (said, _) = Response::read(message, &asked).unwrap();
    cache.insert(&key("www.example", false, 0), &said, UP, now);
    let Found::Fresh(Fresh { entry, .. }) = cache.find(key("www.example", false, 0).parts(), now) else {
        panic!("it was just put there")
    };
    let mut lowered = said.message.clone();
    lowered[13..16].copy_from_slice(b"www");
    assert_eq!((entry.body().message, entry.body().ttls_at), (&*lowered, &*said.ttls_at));
    assert_eq!(entry.said_by(), UP);
    let errors = entry.extended_errors();
    assert_eq!(errors[0], ExtendedError::new(4, "forged"));
    assert!(errors.len() == 2 && errors[1].text.len() <= 512, "explanations are cut");
    assert!(!entry.is_negative() && !entry.is_delicate());
}

#[test]
fn a_negative_answer_lives_as_long_as_its_soa_says() {
    for (code, records) in [
        (rcode::NXDOMAIN, &[(SOA_60, 2)][..]),
        (rcode::NOERROR, &[(SOA_60, 2)]),
        // the chain's TTL is 300, but where it ends there is nothing
        (rcode::NOERROR, &[(CNAME_300, 1), (SOA_60, 2)]),
        (rcode::NXDOMAIN, &[(CNAME_300, 1), (SOA_60, 2)]),
    ] {
        let (cache, now) = world();
        cache.insert(&key("www.example", false, 0), &response(code, records), UP, now);
        let at = |seconds| cache.find(key("www.example", false, 0).parts(), after(now, seconds));
        assert!(matches!(at(59), Found::Fresh(_)));
        assert!(matches!(at(60), Found::Stale(_)));
    }
}

#[test]
fn no_ttl_is_believed_without_end() {
    let long = |record: &[u8]| [&record[..6], b"\x7f\xff\xff\xff", &record[10..]].concat();
    let (cache, now) = world();
    cache.insert(&key("www.example", false, 0), &response(0, &[(&long(A_300), 1)]), UP, now);
    let at = |seconds| cache.find(key("www.example", false, 0).parts(), after(now, seconds));
    assert!(matches!(at(24 * 3600 - 1), Found::Fresh(_)));
    assert!(matches!(at(24 * 3600), Found::Stale(_)));
    let mut soa = long(SOA_60);
    let end = soa.len();
    soa[end - 4..].copy_from_slice(b"\x7f\xff\xff\xff");
    cache.insert(&key("www.example", false, 0), &response(3, &[(&soa, 2)]), UP, now);
    assert!(matches!(at(3 * 3600 - 1), Found::Fresh(_)));
    assert!(matches!(at(3 * 3600), Found::Stale(_)));
}

#[test]
fn failures_and_negatives_without_soa_are_not_kept() {
    let (cache, now) = world();
    for code in [2, 3] {
        cache.insert(&key("www.example", false, 0), &response(code, &[]), UP, now);
    }
    assert!(cache.is_empty());
}

#[test]
fn an_answer_that_may_not_be_kept_takes_the_place_of_the_one_that_was() {
    let (cache, now) = world();
    cache.insert(&key("www.example", false, 0), &response(0, &[(A_300, 1)]), UP, now);
    let fleeting = [&A_300[..6], &[0; 4], &A_300[10..]].concat();
    cache.insert(&key("www.example", false, 0), &response(0, &[(&fleeting, 1)]), UP, now);
    assert!(cache.stale(&key("www.example", false, 0), after(now, 300)).is_none());
    assert!(cache.is_empty());
}

#[test]
fn where_a_name_does_not_exist_nothing_exists_below() {
    let (cache, now) = world();
    cache.insert(&key("www.example", false, 0), &response(3, &[(SOA_60, 2)]), UP, now);
    let get = |name, dnssec_ok, generation, seconds| {
        cache.find(key(name, dnssec_ok, generation).parts(), after(now, seconds))
    };
    let Found::Cut(Cut { denial, said_by, age_seconds }) = get("a.b.www.example", false, 0, 7) else {
        panic!("it is cut off")
    };
    assert_eq!((denial.rcode(), said_by, age_seconds), (rcode::NXDOMAIN, UP, 7));
    Response::read(denial.message.to_vec(), &question("a.b.www.example")).unwrap();
    assert!(matches!(get("www.example", false, 0, 7), Found::Fresh(_)));
    for (name, dnssec_ok, generation, seconds) in [
        ("wwww.example", false, 0, 7),
        ("example", false, 0, 7),
        ("a.www.example", true, 0, 7),
        ("a.www.example", false, 1, 7),
        ("a.www.example", false, 0, 60),
    ] {
        assert!(matches!(get(name, dnssec_ok, generation, seconds), Found::Miss), "{name} after {seconds} s");
    }
}

#[test]
fn a_name_that_does_not_exist_has_no_type_and_one_that_came_to_be_exists() {
    let (cache, now) = world();
    let name = question("www.example").name;
    let aaaa = Key::new(&name, types::AAAA, types::IN, false, false, 0);
    cache.insert(&key("www.example", false, 0), &response(3, &[(SOA_60, 2)]), UP, now);
    assert!(matches!(cache.find(aaaa.parts(), now), Found::Fresh(_)));
    cache.insert(&key("www.example", false, 0), &response(0, &[(A_300, 1)]), UP, now);
    assert!(matches!(cache.find(aaaa.parts(), now), Found::Miss));
    assert!(matches!(cache.find(key("a.www.example", false, 0).parts(), now), Found::Miss));
    cache.insert(&key("www.example", false, 0), &response(3, &[(SOA_60, 2)]), UP, now);
    let Found::Fresh(Fresh { entry, .. }) = cache.find(key("www.example", false, 0).parts(), now) else {
        panic!("it was just put there")
    };
    assert!(entry.is_negative());
}

#[test]
fn an_alias_of_a_name_that_does_not_exist_cuts_nothing_off() {
    let (cache, now) = world();
    let chain = response(3, &[(CNAME_300, 1), (SOA_60, 2)]);
    cache.insert(&key("www.example", false, 0), &chain, UP, now);
    assert!(matches!(cache.find(key("www.example", false, 0).parts(), now), Found::Fresh(_)));
    assert!(matches!(cache.find(key("a.www.example", false, 0).parts(), now), Found::Miss));
}

#[tokio::test(start_paused = true)]
async fn an_answer_ages_while_the_machine_sleeps() {
    let asleep = Arc::new(AtomicU64::new(0));
    let sleeping = asleep.clone();
    let clock = Clock::with_sleep(move || Duration::from_secs(sleeping.load(Ordering::Relaxed)));
    let (cache, key) = (world().0, key("www.example", false, 0));
    cache.insert(&key, &response(0, &[(A_300, 1)]), UP, clock.now());
    tokio::time::advance(Duration::from_secs(100)).await;
    assert!(matches!(cache.find(key.parts(), clock.now()), Found::Fresh(Fresh { age_seconds: 100, .. })));
    asleep.store(3600, Ordering::Relaxed);
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(matches!(cache.find(key.parts(), clock.now()), Found::Stale(_)));
    cache.insert(&key, &response(0, &[(A_300, 1)]), UP, clock.now());
    tokio::time::advance(Duration::from_secs(299)).await;
    assert!(
        matches!(cache.find(key.parts(), clock.now()), Found::Fresh(_)),
        "what it slept before counts no more"
    );
}

#[test]
fn dnssec_and_networks_are_kept_apart() {
    let (cache, now) = world();
    cache.insert(&key("www.example", true, 1), &response(0, &[(A_300, 1)]), UP, now);
    assert!(matches!(cache.find(key("www.example", false, 1).parts(), now), Found::Miss));
    assert!(matches!(cache.find(key("www.example", true, 2).parts(), now), Found::Miss));
    assert!(matches!(cache.find(key("WWW.example", true, 1).parts(), now), Found::Fresh(_)));
    cache.clear();
    assert!(matches!(cache.find(key("www.example", true, 1).parts(), now), Found::Miss));
}

#[test]
fn an_answer_asked_for_again_and_again_wants_to_be_refreshed_once() {
    let (cache, now) = world();
    let wants = |seconds| match cache.find(key("www.example", false, 0).parts(), after(now, seconds)) {
        Found::Fresh(Fresh { entry, wants_refresh, .. }) => wants_refresh && entry.claim_refresh(),
        _ => panic!("it is fresh"),
    };
    let insert = |record: &[u8]| {
        cache.insert(&key("www.example", false, 0), &response(0, &[(record, 1)]), UP, now);
    };
    insert(A_300);
    assert!(!wants(271), "asked once");
    assert!(wants(271) && !wants(272), "one refresh");
    insert(A_300);
    assert!(!wants(1) && !wants(2) && !wants(270), "long to live");
    assert!(wants(271));
    insert(&[&A_300[..6], &[0, 0, 0, 9], &A_300[10..]].concat());
    assert!(!wants(8) && !wants(8), "hardly worth it");
}

#[test]
fn names_suffixes_and_networks_are_forgotten_alone() {
    let (cache, now) = world();
    let fill = || {
        for (name, generation) in
            [("www.example", 1), ("a.www.example", 1), ("wwww.example", 1), ("www.example", 2)]
        {
            cache.insert(&key(name, false, generation), &response_to(name, 0, &[(A_300, 1)]), UP, now);
        }
    };
    let filter = |json: &str| Filter::parse(json).unwrap();
    for (forgotten, left, json) in [
        (2, 2, r#"{"name": "WWW.example."}"#),
        (3, 1, r#"{"suffix": "www.example"}"#),
        (4, 0, r#"{"suffix": "."}"#),
    ] {
        fill();
        assert_eq!((cache.flush(Some(&filter(json))), cache.len()), (forgotten, left), "{json}");
    }
    fill();
    assert_eq!((cache.flush_other_generations(2), cache.len()), (3, 1));
    fill();
    assert_eq!((cache.flush(None), cache.len()), (4, 0));
    for json in ["{}", r#"{"name": "a..b"}"#, r#"{"names": "a"}"#, "[]"] {
        assert_eq!(Filter::parse(json).unwrap_err().code, "filter-invalid", "{json}");
    }
}

#[test]
fn a_name_shows_what_is_kept_of_it() {
    let (cache, now) = world();
    cache.insert(&key("www.example", true, 0), &response(3, &[(SOA_60, 2)]), UP, now);
    cache.insert(&key("a.example", true, 0), &response_to("a.example", 0, &[(A_300, 1)]), UP, now);
    let shown = cache.show(&question("www.example").name, after(now, 70));
    let shown = serde_json::to_value(shown).unwrap();
    let octets = shown[0]["octets"].clone();
    assert_eq!(
        shown,
        serde_json::json!([{
            "name": "www.example", "type": "A", "class": "IN", "rcode": "NXDOMAIN", "answers": 0, "ttlLeft": -10,
            "stale": true, "dnssecOk": true, "checkingDisabled": false, "upstream": "up", "authenticated": true,
            "octets": octets, "negative": true,
        }])
    );
    assert!(octets.as_u64().unwrap() > 64);
}

#[test]
fn a_hundred_thousand_typical_answers_fit_and_no_more_octets_than_promised() {
    let (cache, now) = (Cache::new(100_000), Clock::system().now());
    for index in 0..100_000usize {
        let name = format!("host{index}.department.example");
        // 100 to 200 octets: one to seven addresses
        let records = vec![(A_300, 1); 4 + index % 6];
        let said = response_to(&name, 0, &records);
        assert!((100..=200).contains(&said.message.len()), "{}", said.message.len());
        cache.insert(&key(&name, false, 0), &said, UP, now);
    }
    assert_eq!(cache.len(), 100_000);
    for index in 0..50_000 {
        let name = format!("other{index}.example");
        cache.insert(&key(&name, false, 0), &response_to(&name, 0, &[(A_300, 1); 60]), UP, now);
    }
    assert!(cache.octets() <= cache.capacity() && cache.octets() > cache.capacity() / 10 * 9);
}

#[test]
fn tiny_answers_do_not_outnumber_the_setting_by_more_than_a_fifth() {
    let (cache, now) = (Cache::new(10_000), Clock::system().now());
    for index in 0..40_000usize {
        let name = format!("h{index}.example");
        cache.insert(&key(&name, false, 0), &response_to(&name, 0, &[(A_300, 1)]), UP, now);
    }
    assert!((10_000..=12_000).contains(&cache.len()), "{}", cache.len());
}
