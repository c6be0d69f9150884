//! What is to be done to which packets. The first rule that matches decides; the words are those of the control lines.

use std::net::{IpAddr, SocketAddr};

use serde::Deserialize;

use super::Direction;
use super::forge::Unreachable;
use super::packet::{Kind, Packet};

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub r#do: Action,
    #[serde(default)]
    pub on: Match,
}

/// What is left out matches everything, except ARP and neighbour discovery, which no rule touches.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    pub protocol: Option<Protocol>,
    pub direction: Option<Direction>,
    /// of either side
    pub port: Option<u16>,
    /// of either side
    pub address: Option<IpAddr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    Tcp,
    Udp,
    Icmp,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// carry on, whatever later rules say
    Pass,
    /// a black hole
    Drop,
    Reset(Victim),
    Reject(Unreachable),
    /// what else the path does, this much later
    #[serde(rename_all = "camelCase")]
    Delay {
        ms: f64,
    },
    /// answer the STARTTLS query with NO_TLS; the server never sees it, and the connection stays usable in cleartext
    NoTls,
    /// clear the TO bit in the server's answer to STARTTLS
    StripStarttls,
    StripTls(Instead),
    /// what a path does that knows nothing of TCP Fast Open; SYNs without data pass
    SynData(SynData),
    /// answer questions over UDP before the server does
    #[serde(rename_all = "camelCase")]
    Inject {
        answer: IpAddr,
        /// as someone beside the path who has to guess
        #[serde(default)]
        wrong_id: bool,
    },
    /// reset both sides once this many octets of data have passed
    #[serde(rename_all = "camelCase")]
    Kill {
        after_octets: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    Sender,
    Receiver,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SynData {
    /// the whole SYN is swallowed
    Drop,
    /// it goes on without its data
    Strip,
}

/// What a ClientHello gets instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instead {
    Alert,
    Garbage,
    Reset,
}

impl Rule {
    pub fn matches(&self, direction: Direction, packet: &Packet) -> bool {
        self.r#do.is_for(packet.kind()) && self.on.matches(direction, packet)
    }

    pub fn check(&self) -> Result<(), String> {
        match self.r#do {
            Action::Delay { ms } if !(0.0..=60_000.0).contains(&ms) => {
                Err(format!("delay: ms is {ms}; give 0 to 60000"))
            }
            _ => Ok(()),
        }
    }
}

impl Action {
    fn is_for(&self, kind: Kind) -> bool {
        match self {
            Action::Pass | Action::Drop | Action::Reject(_) | Action::Delay { .. } => kind != Kind::Link,
            Action::Inject { .. } => kind == Kind::Udp,
            Action::Reset(_)
            | Action::NoTls
            | Action::StripStarttls
            | Action::StripTls(_)
            | Action::SynData(_)
            | Action::Kill { .. } => kind == Kind::Tcp,
        }
    }
}

impl Match {
    fn matches(&self, direction: Direction, packet: &Packet) -> bool {
        let (Some(sender), Some(receiver)) = (packet.sender(), packet.receiver()) else {
            return false;
        };
        let protocol = match packet.kind() {
            Kind::Tcp => Some(Protocol::Tcp),
            Kind::Udp => Some(Protocol::Udp),
            Kind::Icmp => Some(Protocol::Icmp),
            Kind::OtherIp | Kind::Link => None,
        };
        (self.protocol.is_none() || self.protocol == protocol)
            && self.direction.is_none_or(|wanted| wanted == direction)
            && self.matches_either([sender.address, receiver.address])
    }

    /// Whether a flow between these two is meant; direction and protocol are not looked at.
    pub fn matches_either(&self, ends: [SocketAddr; 2]) -> bool {
        ends.iter().any(|end| {
            self.port.is_none_or(|port| port == end.port())
                && self.address.is_none_or(|address| address == end.ip())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::forge;
    use crate::wire::packet::Station;

    fn datagram(from: &str, to: &str) -> Packet {
        let station = |address: &str| Station { mac: [1; 6], address: address.parse().unwrap() };
        forge::udp(station(from), station(to), b"x")
    }

    fn on(text: &str) -> Match {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_rule_matches_where_all_its_conditions_hold() {
        let packet = datagram("192.0.2.1:4000", "192.0.2.2:53");
        let answer = datagram("192.0.2.2:53", "192.0.2.1:4000");
        for (text, there, back) in [
            ("{}", true, true),
            (r#"{"port":53}"#, true, true),
            (r#"{"port":853}"#, false, false),
            (r#"{"protocol":"udp","port":53,"address":"192.0.2.2"}"#, true, true),
            (r#"{"protocol":"tcp"}"#, false, false),
            (r#"{"port":53,"direction":"a-to-b"}"#, true, false),
            (r#"{"port":53,"address":"192.0.2.1"}"#, false, false),
        ] {
            let matched =
                (on(text).matches(Direction::AToB, &packet), on(text).matches(Direction::BToA, &answer));
            assert_eq!(matched, (there, back), "{text}");
        }
    }

    #[test]
    fn rules_are_read_as_they_are_written_down() {
        let rule = |text: &str| serde_json::from_str::<Rule>(text);
        assert_eq!(rule(r#"{"do":"drop"}"#).unwrap().r#do, Action::Drop);
        assert_eq!(rule(r#"{"do":{"reset":"both"}}"#).unwrap().r#do, Action::Reset(Victim::Both));
        assert_eq!(
            rule(r#"{"do":{"kill":{"afterOctets":9}}}"#).unwrap().r#do,
            Action::Kill { after_octets: 9 }
        );
        assert!(rule(r#"{"do":"drop","on":{"prot":53}}"#).unwrap_err().to_string().contains("prot"));
        assert!(rule(r#"{"do":"explode"}"#).unwrap_err().to_string().contains("no-tls"));
        assert!(rule(r#"{"do":{"delay":{"ms":-1}}}"#).unwrap().check().is_err());
    }

    #[test]
    fn an_action_for_tcp_leaves_udp_alone() {
        let packet = datagram("192.0.2.1:4000", "192.0.2.2:53");
        let rule = Rule { r#do: Action::Reset(Victim::Both), on: Match::default() };
        assert!(!rule.matches(Direction::AToB, &packet));
    }
}
