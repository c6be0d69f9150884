//! Where a door is: an address, or sockets that systemd holds and hands over (sd_listen_fds(3)).

use std::fmt::{self, Display};
use std::net::SocketAddr;

use serde::{Serialize, Serializer};
use sotto_server::{HandedOver, Socket, of_no_machine, typed_address};

/// Before the name that the sockets have there (FileDescriptorName= of systemd.socket(5)).
const HANDED_OVER: &str = "fd:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listening {
    Address(SocketAddr),
    /// All sockets with this name.
    HandedOver(String),
}

impl Display for Listening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listening::Address(address) => address.fmt(formatter),
            Listening::HandedOver(name) => write!(formatter, "{HANDED_OVER}{name}"),
        }
    }
}

impl Serialize for Listening {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

pub fn addresses(listening: &[Listening]) -> Vec<SocketAddr> {
    let address = |one: &Listening| match one {
        Listening::Address(address) => Some(*address),
        Listening::HandedOver(_) => None,
    };
    listening.iter().filter_map(address).collect()
}

/// Gives each socket to the door that names it.
pub fn assign(
    handed_over: Vec<(String, Socket)>,
    starttls: &[Listening],
    dot: &[Listening],
) -> Result<HandedOver, String> {
    let mut doors = HandedOver::default();
    let names: Vec<_> = handed_over.iter().map(|(name, _)| name.clone()).collect();
    let all = starttls.iter().chain(dot);
    for listening in all {
        if let Listening::HandedOver(name) = listening
            && !names.contains(name)
        {
            return Err(format!(
                "no socket named {name} was handed over ({}): start it by its .socket unit, with FileDescriptorName={name}",
                told(&names)
            ));
        }
    }
    for (name, socket) in handed_over {
        let wanted = Listening::HandedOver(name);
        if starttls.contains(&wanted) {
            doors.starttls.push(socket);
        } else if dot.contains(&wanted) {
            doors.dot.push(socket);
        } else {
            return Err(format!(
                "a socket was handed over that no door takes: add --starttls {wanted} or --dot {wanted}"
            ));
        }
    }
    Ok(doors)
}

fn told(names: &[String]) -> String {
    match names {
        [] => "none was".into(),
        names => format!("there are {}", names.join(", ")),
    }
}

pub fn starttls(text: &str) -> Result<Listening, String> {
    listening(text, plain_address)
}

pub fn dot(text: &str) -> Result<Listening, String> {
    listening(text, tls_address)
}

fn listening(text: &str, address: impl Fn(&str) -> Result<SocketAddr, String>) -> Result<Listening, String> {
    match text.strip_prefix(HANDED_OVER) {
        Some("") => Err("name the sockets, as in fd:dot".into()),
        Some(name) => Ok(Listening::HandedOver(name.to_owned())),
        None => address(text).map(Listening::Address),
    }
}

fn plain_address(text: &str) -> Result<SocketAddr, String> {
    address(text, 53)
}

fn tls_address(text: &str) -> Result<SocketAddr, String> {
    address(text, 853)
}

fn address(text: &str, default_port: u16) -> Result<SocketAddr, String> {
    let address = typed_address(text, default_port)
        .ok_or("not an address: write 127.0.0.1, 127.0.0.1:5353, ::1 or [::1]:5353 (no names)")?;
    of_no_machine(address).map_or(Ok(address), Err)
}

/// Where figures are, which have no port of their own.
pub fn metrics(text: &str) -> Result<SocketAddr, String> {
    match typed_address(text, 0) {
        Some(address) if typed_address(text, 1) == Some(address) => {
            of_no_machine(address).map_or(Ok(address), Err)
        }
        _ => Err("not an address with a port: write 127.0.0.1:9854 or [::1]:9854".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_get_the_port_of_their_door() {
        assert_eq!(plain_address("127.0.0.1"), Ok("127.0.0.1:53".parse().unwrap()));
        assert_eq!(tls_address("[::1]"), Ok("[::1]:853".parse().unwrap()));
        assert_eq!(tls_address("::1"), Ok("[::1]:853".parse().unwrap()));
        assert_eq!(tls_address("[::1]:0"), Ok("[::1]:0".parse().unwrap()));
        assert!(tls_address("localhost:853").is_err());
    }

    #[test]
    fn an_address_is_one_of_a_machine_and_that_of_figures_has_a_port() {
        assert_eq!(tls_address("[fe80::1%7]:0"), Ok("[fe80::1%7]:0".parse().unwrap()));
        assert_eq!(metrics("[::1]:0"), Ok("[::1]:0".parse().unwrap()));
        for wrong in ["fe80::1", "224.0.0.1", "::1", "127.0.0.1"] {
            assert!(metrics(wrong).is_err(), "{wrong}");
        }
        assert!(tls_address("fe80::1").is_err());
    }

    #[test]
    fn sockets_that_are_handed_over_have_a_name() {
        assert_eq!(dot("fd:dot"), Ok(Listening::HandedOver("dot".into())));
        assert_eq!(dot("fd:dot").unwrap().to_string(), "fd:dot");
        assert!(starttls("fd:").is_err());
    }
}
