//! One key of a set, with what was counted for it. In a key each part fills up four octets; numbers are in the machine's order,
//! ports and addresses in the network's.

use std::net::IpAddr;

use super::table::Kind;

#[derive(Debug, PartialEq, Eq, Clone, Hash)]
pub enum Sender {
    /// `group`: 0 where the kernel did not tell it
    Program { user: u32, group: u64 },
    /// forwarded for a container or another computer; `from`: `None` where too many were to be counted one by one
    Behind { interface: String, from: Option<IpAddr> },
    /// more than could be told apart
    Others,
}

#[derive(Debug, PartialEq, Eq, Clone, Hash)]
pub struct Key {
    pub sender: Sender,
    /// a number of IPPROTO_
    pub protocol: u8,
    pub port: u16,
    /// `None`: too many were to be counted one by one
    pub to: Option<IpAddr>,
}

const INTERFACE: usize = 16;

/// `None`: that is no key of such a set.
pub fn read(kind: Kind, octets: &[u8]) -> Option<Key> {
    let mut octets = octets;
    let sender = match kind {
        Kind::Group | Kind::GroupRest => {
            let user = u32::from_ne_bytes(*take(&mut octets)?);
            Sender::Program { user, group: u64::from_ne_bytes(*take(&mut octets)?) }
        }
        Kind::User | Kind::Rest => {
            Sender::Program { user: u32::from_ne_bytes(*take(&mut octets)?), group: 0 }
        }
        Kind::Forwarded | Kind::ForwardedRest => {
            let name = take::<INTERFACE>(&mut octets)?;
            let end = name.iter().position(|octet| *octet == 0).unwrap_or(INTERFACE);
            Sender::Behind { interface: String::from_utf8_lossy(&name[..end]).into_owned(), from: None }
        }
        Kind::Others => Sender::Others,
    };
    let [protocol, ..] = *take::<4>(&mut octets)?;
    let [high, low, ..] = *take::<4>(&mut octets)?;
    let (sender, to) = match (sender, kind) {
        (sender, Kind::GroupRest | Kind::Rest | Kind::ForwardedRest | Kind::Others) => (sender, None),
        (Sender::Behind { interface, .. }, _) => {
            let (from, to) = octets.split_at_checked(octets.len() / 2)?;
            (Sender::Behind { interface, from: Some(address(from)?) }, Some(address(to)?))
        }
        (sender, _) => (sender, Some(address(octets)?)),
    };
    Some(Key { sender, protocol, port: u16::from_be_bytes([high, low]), to })
}

fn take<'a, const LENGTH: usize>(octets: &mut &'a [u8]) -> Option<&'a [u8; LENGTH]> {
    let (first, rest) = octets.split_first_chunk()?;
    *octets = rest;
    Some(first)
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    match octets.len() {
        4 => Some(IpAddr::from(<[u8; 4]>::try_from(octets).ok()?)),
        16 => Some(IpAddr::from(<[u8; 16]>::try_from(octets).ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }

    #[test]
    fn a_program() {
        let (user, group) = (1000_u32.to_ne_bytes(), 4711_u64.to_ne_bytes());
        let octets = key(&[&user, &group, &[17, 0, 0, 0], &[0, 53, 0, 0], &[192, 0, 2, 1]]);
        let expected = Key {
            sender: Sender::Program { user: 1000, group: 4711 },
            protocol: 17,
            port: 53,
            to: Some([192, 0, 2, 1].into()),
        };
        assert_eq!(read(Kind::Group, &octets), Some(expected));
    }

    #[test]
    fn a_container() {
        let name = *b"docker0\0\0\0\0\0\0\0\0\0";
        let octets = key(&[&name, &[6, 0, 0, 0], &[0x03, 0x55, 0, 0], &[172, 17, 0, 2], &[192, 0, 2, 1]]);
        let read = read(Kind::Forwarded, &octets).unwrap();
        let from = Some([172, 17, 0, 2].into());
        assert_eq!(read.sender, Sender::Behind { interface: "docker0".into(), from });
        assert_eq!((read.protocol, read.port, read.to), (6, 853, Some([192, 0, 2, 1].into())));
    }

    #[test]
    fn without_an_address() {
        let octets = key(&[&1000_u32.to_ne_bytes(), &[17, 0, 0, 0], &[0, 53, 0, 0]]);
        assert_eq!(read(Kind::Rest, &octets).unwrap().to, None);
        let others = read(Kind::Others, &key(&[&[17, 0, 0, 0], &[0, 53, 0, 0]])).unwrap();
        assert_eq!((others.sender, others.port, others.to), (Sender::Others, 53, None));
    }

    #[test]
    fn what_is_cut_off_is_no_key() {
        for kind in [
            Kind::Group,
            Kind::GroupRest,
            Kind::User,
            Kind::Rest,
            Kind::Forwarded,
            Kind::ForwardedRest,
            Kind::Others,
        ] {
            for length in 0..8 {
                assert_eq!(read(kind, &vec![1; length]), None, "{kind:?} {length}");
            }
        }
        assert_eq!(read(Kind::User, &[1; 15]), None);
    }
}
