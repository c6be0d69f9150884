//! Resolvers that know no EDNS, or leave the question out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::base::Rtype;
use domain::base::iana::Rcode;

use crate::stage::clients::{dot, exchange};
use crate::stage::messages::{Question, ask};
use crate::stage::resolver::{Over, in_front_of, resolver, response, with_address};

#[tokio::test]
async fn a_resolver_from_before_edns_is_asked_without() {
    let resolver = resolver(|_, question| {
        if question[11] == 0 {
            return Some(with_address(question));
        }
        let mut refused = question[..12].to_vec();
        refused[2] |= 0x80;
        refused[3] = 1;
        refused[4..12].fill(0);
        Some(refused)
    });
    let stage = in_front_of(resolver.await);
    let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
    let reply = exchange(&mut dot(&stage).await, &question).await;
    assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 1));
    assert!(reply.0.opt().is_some(), "this hop still speaks EDNS");
}

#[tokio::test]
async fn whether_an_error_is_about_edns_is_asked_once() {
    for code in [1, 4] {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = asked.clone();
        let resolver = resolver(move |_, question| {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut refused = question[..12].to_vec();
            refused[2] |= 0x80;
            refused[3] = code;
            refused[4..12].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 1]);
            refused.extend(b"\0\0\x29\x04\xd0\0\0\0\0\0\0");
            Some(refused)
        });
        let stage = in_front_of(resolver.await);
        let question = Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[]).octets();
        let mut client = dot(&stage).await;
        for queries in [2, 3] {
            let reply = exchange(&mut client, &question).await;
            assert_eq!((reply.rcode().to_int(), asked.load(Ordering::SeqCst)), (code, queries));
            assert!(reply.0.opt().is_some());
        }
    }
}

/// How resolvers of old homes take EDNS, and what they are asked after that is known.
#[tokio::test]
async fn a_resolver_that_has_silence_or_an_error_for_edns_is_asked_without_from_the_third_query_on() {
    let error = |code: u8, with_opt: bool| {
        move |question: &[u8]| {
            let mut error = response(question, 0, u8::from(with_opt));
            error[3] |= code;
            error.extend(&question[question.len() - 11..][..if with_opt { 11 } else { 0 }]);
            Some(error)
        }
    };
    type Script = Box<dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync>;
    let scripts: [Script; 4] =
        [Box::new(|_| None), Box::new(error(2, false)), Box::new(error(5, false)), Box::new(error(1, true))];
    for script in scripts {
        let with_edns = Arc::new(AtomicUsize::new(0));
        let counted = with_edns.clone();
        let resolver = resolver(move |_, question| {
            if question[11] == 0 {
                return Some(with_address(question));
            }
            counted.fetch_add(1, Ordering::SeqCst);
            script(question)
        });
        let stage = in_front_of(resolver.await);
        let mut client = dot(&stage).await;
        for queries in [1, 2, 2, 2] {
            let reply = exchange(&mut client, &ask(1, "www.test", Rtype::A)).await;
            assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 1));
            assert_eq!(with_edns.load(Ordering::SeqCst), queries);
        }
    }
}

#[tokio::test]
async fn a_response_without_its_question_is_believed_over_tcp() {
    let (seen, mut over) = tokio::sync::mpsc::unbounded_channel();
    let resolver = resolver(move |over, question| {
        seen.send(over).unwrap();
        let mut answer = response(question, 1, 0);
        answer[5] = 0;
        answer.truncate(12);
        answer.extend(b"\x03www\x04test\0\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x05");
        Some(answer)
    });
    let stage = in_front_of(resolver.await);
    let reply = exchange(&mut dot(&stage).await, &ask(1, "www.test", Rtype::A)).await;
    assert_eq!(reply.answers(), ["www.test 60 A 192.0.2.5"]);
    assert_eq!([over.recv().await, over.recv().await], [Some(Over::Udp), Some(Over::Tcp)]);
}
