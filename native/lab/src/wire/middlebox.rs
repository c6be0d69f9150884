//! What happens to one packet in the middle of the path: the rules that apply, and the packets that are forged for them.

use std::time::Duration;

use super::Direction;
use super::dns;
use super::flow::{Flow, Flows};
use super::forge;
use super::packet::{ACK, FIN, Kind, Packet, RST, SYN};
use super::rule::{Action, Instead, Match, Rule, SynData, Victim};

/// A handshake_failure that is fatal (RFC 8446 section 6), in cleartext.
const TLS_ALERT: &[u8] = &[0x15, 3, 3, 0, 2, 2, 40];
const GARBAGE: &[u8] = b"HTTP/1.0 400 Bad Request\r\nConnection: close\r\n\r\n";
/// Selective acknowledgements, timestamps, Fast Open: options that would show that we change numbers, or be confused by it.
const OPTIONS_TO_BLANK: &[u8] = &[4, 8, 34, 254];

#[derive(Debug, Default)]
pub struct Middlebox {
    rules: Vec<Rule>,
    hits: Vec<u64>,
    flows: Flows,
}

#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// `None`: the packet ends here
    pub through: Option<Packet>,
    /// added to the line's own delay
    pub later: Duration,
    /// forged packets, with their directions
    pub forged: Vec<(Direction, Packet)>,
}

impl Middlebox {
    pub fn set_rules(&mut self, rules: Vec<Rule>) {
        self.hits = vec![0; rules.len()];
        self.rules = rules;
    }

    /// How many packets each rule matched.
    pub fn hits(&self) -> &[u64] {
        &self.hits
    }

    /// Ends the connections between such ends now.
    pub fn cut(&mut self, wanted: &Match) -> Vec<(Direction, Packet)> {
        self.flows.cut(|ends| wanted.matches_either(ends))
    }

    pub fn pass(&mut self, direction: Direction, packet: Packet) -> Outcome {
        let flow = if packet.kind() == Kind::Tcp { self.flows.note(direction, &packet) } else { None };
        let matched = self.rules.iter().position(|rule| rule.matches(direction, &packet));
        if let Some(index) = matched {
            self.hits[index] += 1;
        }
        let action = matched.map_or(&Action::Pass, |index| &self.rules[index].r#do);
        let mut outcome = match flow {
            Some(flow) => {
                let mut outcome = match flow.dead && *action != Action::Drop {
                    true => after_the_end(direction, packet),
                    false => on_stream(action, direction, packet, flow),
                };
                if let Some(through) = &mut outcome.through {
                    flow.translate(direction, through);
                }
                outcome
            }
            None => on_datagram(action, direction, packet),
        };
        if let Some(through) = &mut outcome.through {
            through.complete_checksums();
        }
        if let Action::Delay { ms } = action {
            outcome.later = Duration::from_secs_f64(ms / 1000.0);
        }
        outcome
    }
}

/// For a connection that we, or one side, ended: further data is refused, and the reset itself goes on. A side that only
/// acknowledges may not have read the last data yet.
fn after_the_end(direction: Direction, segment: Packet) -> Outcome {
    if segment.has(RST) {
        return through(segment);
    }
    let speaks = !segment.payload().is_empty() || segment.has(FIN);
    answered(direction, forge::reset_for_sender(&segment).filter(|_| speaks))
}

fn on_datagram(action: &Action, direction: Direction, packet: Packet) -> Outcome {
    match action {
        Action::Drop => Outcome::default(),
        Action::Reject(why) => answered(direction, forge::unreachable(&packet, *why)),
        Action::Inject { answer, wrong_id } => {
            let forged = inject(&packet, *answer, *wrong_id);
            Outcome { through: Some(packet), ..answered(direction, forged) }
        }
        _ => through(packet),
    }
}

fn on_stream(action: &Action, direction: Direction, mut segment: Packet, flow: &mut Flow) -> Outcome {
    match action {
        Action::Drop => Outcome::default(),
        Action::Reject(why) => answered(direction, forge::unreachable(&segment, *why)),
        Action::Reset(victim) => reset(*victim, direction, segment, flow),
        Action::Kill { after_octets } if flow.octets > *after_octets => {
            Outcome { forged: flow.end(), ..Outcome::default() }
        }
        Action::NoTls => decline(direction, segment, flow),
        Action::StripTls(instead) => strip_tls(*instead, direction, segment, flow),
        Action::StripStarttls => {
            dns::clear_tls_ok(segment.payload_mut());
            through(segment)
        }
        Action::SynData(what) if segment.has(SYN) && !segment.payload().is_empty() => match what {
            SynData::Drop => Outcome::default(),
            SynData::Strip => {
                segment.remove_payload();
                through(segment)
            }
        },
        _ => through(segment),
    }
}

fn reset(victim: Victim, direction: Direction, segment: Packet, flow: &mut Flow) -> Outcome {
    if segment.has(RST) {
        return through(segment);
    }
    let mut forged = Vec::new();
    if victim != Victim::Receiver {
        forged.extend(forge::reset_for_sender(&segment).map(|reset| (direction.back(), reset)));
    }
    if victim != Victim::Sender {
        let mut reset = forge::reset_for_receiver(&segment);
        reset.iter_mut().for_each(|reset| {
            flow.translate(direction, reset);
            reset.complete_checksums();
        });
        forged.extend(reset.map(|reset| (direction, reset)));
    }
    flow.dead = victim == Victim::Both;
    Outcome { forged, ..Outcome::default() }
}

fn decline(direction: Direction, segment: Packet, flow: &mut Flow) -> Outcome {
    if segment.has(SYN) {
        return through(without_extras(segment));
    }
    let Some(answer) = dns::starttls_question(segment.payload()).map(dns::no_tls) else {
        return through(segment);
    };
    answered(direction, flow.swap(direction, &segment, &answer))
}

fn strip_tls(instead: Instead, direction: Direction, segment: Packet, flow: &mut Flow) -> Outcome {
    if segment.has(SYN) {
        return through(without_extras(segment));
    }
    // a record of handshake messages that starts with a ClientHello
    if !matches!(segment.payload(), [0x16, 3, _, _, _, 1, ..]) {
        return through(segment);
    }
    let words = match instead {
        Instead::Alert => TLS_ALERT,
        Instead::Garbage => GARBAGE,
        Instead::Reset => {
            return Outcome { forged: reset_both(direction, &segment, flow), ..Outcome::default() };
        }
    };
    let server = forge::reset_for_receiver(&segment).map(|reset| (direction, reset));
    let client = forge::reply_to(&segment, words, true).map(|reply| (direction.back(), reply));
    flow.dead = true;
    Outcome { forged: client.into_iter().chain(server).collect(), ..Outcome::default() }
}

fn reset_both(direction: Direction, segment: &Packet, flow: &mut Flow) -> Vec<(Direction, Packet)> {
    flow.dead = true;
    let sender = forge::reset_for_sender(segment).map(|reset| (direction.back(), reset));
    let receiver = forge::reset_for_receiver(segment).map(|reset| (direction, reset));
    sender.into_iter().chain(receiver).collect()
}

/// A SYN without data and without the options that hinder us. The data is sent again after the handshake.
fn without_extras(mut syn: Packet) -> Packet {
    syn.blank_options(OPTIONS_TO_BLANK);
    if !syn.has(ACK) {
        syn.remove_payload();
    }
    syn
}

fn inject(question: &Packet, answer: std::net::IpAddr, wrong_id: bool) -> Option<Packet> {
    let mut id: [u8; 2] = question.payload().get(..2)?.try_into().ok()?;
    if wrong_id {
        id[0] ^= 0xff;
    }
    let forged = dns::forged_answer(question.payload(), answer, id)?;
    Some(forge::udp(question.receiver()?, question.sender()?, &forged))
}

fn through(packet: Packet) -> Outcome {
    Outcome { through: Some(packet), ..Outcome::default() }
}

fn answered(direction: Direction, answer: Option<Packet>) -> Outcome {
    let forged = answer.map(|answer| (direction.back(), answer)).into_iter().collect();
    Outcome { forged, ..Outcome::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::forge::Segment;
    use crate::wire::packet::{PSH, Station};

    fn middlebox(rules: &str) -> Middlebox {
        let mut middlebox = Middlebox::default();
        middlebox.set_rules(serde_json::from_str(rules).unwrap());
        middlebox
    }

    fn stations() -> (Station, Station) {
        let station = |mac, address: &str| Station { mac: [mac; 6], address: address.parse().unwrap() };
        (station(1, "[2001:db8::1]:4000"), station(2, "[2001:db8::2]:853"))
    }

    fn sent(seq: u32, ack: u32, flags: u8, payload: &[u8]) -> Packet {
        let (client, server) = stations();
        forge::tcp(client, server, Segment { seq, ack, flags, payload })
    }

    fn told(outcome: &Outcome) -> Vec<(Direction, u32, bool)> {
        outcome.forged.iter().map(|(way, packet)| (*way, packet.seq(), packet.has(RST))).collect()
    }

    #[test]
    fn without_a_rule_everything_passes_as_it_is() {
        let mut middlebox = Middlebox::default();
        let packet = sent(1, 2, ACK, b"x");
        assert_eq!(middlebox.pass(Direction::AToB, packet.clone()), through(packet));
    }

    #[test]
    fn the_first_rule_that_matches_decides_and_is_counted() {
        let mut middlebox = middlebox(r#"[{"do":"pass","on":{"port":853}},{"do":"drop"}]"#);
        assert!(middlebox.pass(Direction::AToB, sent(1, 2, ACK, b"x")).through.is_some());
        let (client, mut server) = stations();
        server.address.set_port(53);
        assert_eq!(middlebox.pass(Direction::AToB, forge::udp(client, server, b"x")), Outcome::default());
        assert_eq!(middlebox.hits(), [1, 1]);
    }

    #[test]
    fn a_syn_is_refused_and_an_established_connection_ended_on_both_sides() {
        let resets = || middlebox(r#"[{"do":{"reset":"both"}}]"#);
        let refused = resets().pass(Direction::AToB, sent(9, 0, SYN, b""));
        assert_eq!(told(&refused), [(Direction::BToA, 0, true)]);
        assert_eq!((refused.through, refused.forged[0].1.ack()), (None, 10));
        let ended = resets().pass(Direction::AToB, sent(10, 70, ACK, b"abc"));
        assert_eq!(told(&ended), [(Direction::BToA, 70, true), (Direction::AToB, 10, true)]);
    }

    #[test]
    fn a_client_hello_gets_an_alert_in_cleartext_and_the_end_of_the_stream() {
        let mut middlebox = middlebox(r#"[{"do":{"strip-tls":"alert"},"on":{"port":853}}]"#);
        let hello = sent(1, 50, ACK | PSH, &[0x16, 3, 1, 0, 9, 1, 0, 0, 5]);
        let outcome = middlebox.pass(Direction::AToB, hello);
        assert_eq!(told(&outcome), [(Direction::BToA, 50, false), (Direction::AToB, 1, true)]);
        assert!(outcome.forged[0].1.has(FIN) && outcome.forged[0].1.payload() == TLS_ALERT);
        assert_eq!(middlebox.pass(Direction::AToB, sent(10, 58, ACK, b"")), Outcome::default());
        let later = middlebox.pass(Direction::AToB, sent(10, 58, ACK | FIN, b""));
        assert_eq!((told(&later), later.through), (vec![(Direction::BToA, 58, true)], None));
    }

    #[test]
    fn a_connection_dies_behind_its_last_allowed_octet() {
        let mut middlebox = middlebox(r#"[{"do":{"kill":{"afterOctets":4}}}]"#);
        assert!(middlebox.pass(Direction::AToB, sent(1, 5, ACK, b"four")).through.is_some());
        let repeated = middlebox.pass(Direction::AToB, sent(1, 5, ACK, b"four"));
        assert!(repeated.through.is_some(), "sent again is not more data");
        let killed = middlebox.pass(Direction::AToB, sent(5, 5, ACK, b"x"));
        assert!(killed.through.is_none() && killed.forged.len() >= 2);
    }

    #[test]
    fn a_syn_on_its_way_to_a_lie_loses_its_data() {
        let mut middlebox = middlebox(r#"[{"do":"no-tls"}]"#);
        let outcome = middlebox.pass(Direction::AToB, sent(1, 0, SYN, b"early"));
        assert_eq!(outcome.through.unwrap().payload(), b"");
    }

    #[test]
    fn data_in_a_syn_is_swallowed_or_taken_away_and_no_other() {
        for (what, expected) in [("drop", None), ("strip", Some(0))] {
            let mut middlebox = middlebox(&format!(r#"[{{"do":{{"syn-data":"{what}"}}}}]"#));
            let mut passed = |flags, payload| {
                let through = middlebox.pass(Direction::AToB, sent(1, 0, flags, payload)).through;
                through.map(|packet| packet.payload().len())
            };
            assert_eq!(passed(SYN, b"early"), expected, "{what}");
            assert_eq!((passed(SYN, b""), passed(ACK, b"later")), (Some(0), Some(5)), "{what}");
        }
    }

    #[test]
    fn what_is_rejected_is_quoted_in_the_refusal() {
        let mut middlebox = middlebox(r#"[{"do":{"reject":"admin"}}]"#);
        let (client, server) = stations();
        let question = forge::udp(client, server, b"question");
        let outcome = middlebox.pass(Direction::AToB, question.clone());
        let refusal = outcome.forged[0].1.datagram();
        assert_eq!((refusal[6], &refusal[40..42]), (58, &[1, 1][..]));
        assert!(refusal.ends_with(question.datagram()));
    }
}
