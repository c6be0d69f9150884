//! What a zone answers, and what is reported about a file that is no zone.

use std::path::Path;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_server::read_zone;

use crate::stage::Stage;
use crate::stage::clients::datagram;
use crate::stage::messages::{Question, Reply, ask};

const SOA: &str = "test 60 SOA ns.test. hostmaster.test. 1 3600 600 86400 60";

async fn answer(name: &str, rtype: Rtype) -> Reply {
    datagram(Stage::new().starttls(), &ask(1, name, rtype)).await
}

#[tokio::test]
async fn records_are_answered_with_the_case_of_the_question() {
    let reply = answer("WwW.tEsT", Rtype::A).await;
    assert_eq!(reply.answers(), ["WwW.tEsT 300 A 192.0.2.10", "WwW.tEsT 300 A 192.0.2.11"]);
    assert!(reply.0.header().aa() && reply.0.header().rd() && !reply.0.header().ra());
    assert_eq!(
        answer("odd.test", Rtype::from_int(65_280)).await.answers(),
        ["odd.test 300 TYPE65280 \\# 4 01 02 03 04"]
    );
    assert_eq!(answer("svc.test", Rtype::HTTPS).await.answers(), ["svc.test 300 HTTPS 1 . alpn=h2,h3"]);
}

#[tokio::test]
async fn aliases_are_followed_inside_the_zone() {
    assert_eq!(
        answer("chain.test", Rtype::AAAA).await.answers(),
        [
            "chain.test 300 CNAME alias.test.",
            "alias.test 300 CNAME www.test.",
            "www.test 300 AAAA 2001:db8::10"
        ]
    );
    assert_eq!(answer("chain.test", Rtype::CNAME).await.answers(), ["chain.test 300 CNAME alias.test."]);
    let abroad = answer("abroad.test", Rtype::A).await;
    assert_eq!((abroad.rcode(), abroad.answers().len()), (Rcode::NOERROR, 1));
    let dangling = answer("dangling.test", Rtype::A).await;
    assert_eq!((dangling.rcode(), dangling.answers().len()), (Rcode::NXDOMAIN, 1));
    assert_eq!(dangling.authority(), [SOA]);
}

#[tokio::test]
async fn a_circle_of_aliases_has_an_end() {
    let reply = answer("loop.test", Rtype::A).await;
    assert_eq!(reply.rcode(), Rcode::NOERROR);
    assert!(reply.answers().len() < 20);
}

#[tokio::test]
async fn what_does_not_exist_is_denied_with_the_soa_and_its_minimum() {
    for (name, rtype, rcode) in [
        ("nope.test", Rtype::A, Rcode::NXDOMAIN),
        ("below.www.test", Rtype::A, Rcode::NXDOMAIN),
        ("ns.test", Rtype::AAAA, Rcode::NOERROR),
        ("empty.test", Rtype::A, Rcode::NOERROR),
        ("test", Rtype::A, Rcode::NOERROR),
    ] {
        let reply = answer(name, rtype).await;
        assert_eq!(reply.rcode(), rcode, "{name}");
        assert_eq!(reply.authority(), [SOA], "{name}");
        assert!(reply.answers().is_empty());
    }
}

#[tokio::test]
async fn a_wildcard_stands_for_names_that_do_not_exist() {
    assert_eq!(answer("a.wild.test", Rtype::TXT).await.answers(), ["a.wild.test 300 TXT \"wild\""]);
    assert_eq!(answer("a.b.wild.test", Rtype::TXT).await.answers().len(), 1);
    assert_eq!(answer("a.wild.test", Rtype::A).await.rcode(), Rcode::NOERROR);
    assert_eq!(answer("below.under.wild.test", Rtype::TXT).await.answers().len(), 1);
    let shadowed = answer("other.under.wild.test", Rtype::TXT).await;
    assert_eq!(
        shadowed.rcode(),
        Rcode::NXDOMAIN,
        "under.wild.test exists, so the wildcard does not reach below it"
    );
}

#[tokio::test]
async fn signatures_come_with_the_do_bit_only() {
    let stage = Stage::new();
    let with_do = Question::new(1, "alias.test", Rtype::A).edns(1232, 0x8000, &[]).octets();
    let signed = datagram(stage.starttls(), &with_do).await;
    assert!(signed.answers()[3].starts_with("www.test 300 RRSIG A 13"), "{:?}", signed.answers());
    assert!(signed.0.opt().unwrap().dnssec_ok());
    assert_eq!(answer("alias.test", Rtype::A).await.answers().len(), 3);
    assert_eq!(answer("www.test", Rtype::RRSIG).await.answers().len(), 1);
}

#[tokio::test]
async fn any_gets_one_record_set() {
    assert_eq!(answer("www.test", Rtype::ANY).await.answers().len(), 2);
}

#[tokio::test]
async fn the_root_can_be_the_apex() {
    let text = "@ 60 SOA a. b. 1 2 3 4 5\nwww.example.org. 60 A 192.0.2.1\n";
    let zone = read_zone(text.as_bytes(), Path::new("root.zone"), ".").unwrap();
    let stage = Stage::with(|config| config.backend = zone.into());
    let reply = datagram(stage.starttls(), &ask(1, "www.example.org", Rtype::A)).await;
    assert_eq!(reply.answers(), ["www.example.org 60 A 192.0.2.1"]);
    let reply = datagram(stage.starttls(), &ask(1, "nothing.example", Rtype::A)).await;
    assert_eq!((reply.rcode(), reply.authority().len()), (Rcode::NXDOMAIN, 1));
    let reply = datagram(stage.starttls(), &ask(1, ".", Rtype::SOA)).await;
    assert_eq!(reply.answers(), [" 60 SOA a. b. 1 2 3 4 5"], "the root is printed as nothing");
}

fn complaint(text: &str) -> String {
    let text = text.replace("SOA", "@ 60 SOA a b 1 2 3 4 5\n");
    read_zone(text.as_bytes(), Path::new("broken.zone"), "test").unwrap_err().to_string()
}

#[test]
fn a_broken_file_is_refused_by_line_and_reason() {
    let at = |line: usize| format!("zone file broken.zone, line {line}: ");
    assert!(complaint("SOAwww A 192.0.2.300\n").starts_with(&at(2)));
    assert!(
        complaint("SOA\n\nwww A 192.0.2.1\nftp BOGUS x\n").starts_with(&at(5)),
        "{}",
        complaint("SOA\n\nwww A 192.0.2.1\nftp BOGUS x\n")
    );
    let second = complaint("SOASOA");
    assert!(second.starts_with(&at(2)) && second.contains("second SOA"), "{second}");
    let include = complaint("SOA$INCLUDE other.zone\n");
    assert!(include.starts_with(&at(2)) && include.contains("$INCLUDE"), "{include}");
    let chaos = complaint("SOAwww CH TXT x\n");
    assert!(chaos.starts_with(&at(2)), "{chaos}");
}

#[test]
fn a_file_that_is_no_zone_as_a_whole_says_what_is_missing() {
    assert!(complaint("www 60 A 192.0.2.1\n").contains("no SOA record"));
    assert!(complaint("").contains("no SOA record"));
    let outside = complaint("SOAwww.example. 60 A 192.0.2.1\n");
    assert!(outside.contains("line 2") && outside.contains("apex"), "{outside}");
    let company = complaint("SOAwww 60 CNAME ns\nwww 60 A 192.0.2.1\n");
    assert!(company.contains("line 2") && company.contains("CNAME"), "{company}");
    let enormous =
        (0..300).map(|n| format!("big 60 TXT \"{n:03}{}\"\n", "x".repeat(240))).collect::<String>();
    assert!(complaint(&format!("SOA{enormous}")).contains("octets"));
    let origin = read_zone(b"", Path::new("x"), "bad..name").unwrap_err().to_string();
    assert!(origin.contains("--origin"), "{origin}");
}
