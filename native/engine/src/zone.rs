//! Addresses of one link, such as `fe80::1%eth0` (RFC 4007): as configurations write them, with the link's name or number. The number
//! is what sockets take. It is read when a configuration comes, and the control plane sends the same one again where a link that it names
//! appears, goes or has another number.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Deserializer, de};

use crate::intern;

/// Links that were not there. Each has a number that no link has, downwards from the largest: so its address can't be reached, leads
/// nowhere else, and can still be shown with its name.
static ABSENT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
const MOST_ABSENT: usize = 1 << 16;

/// `ip:port`, the zone of an IPv6 address inside its brackets.
pub fn parse(text: &str) -> Option<SocketAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let (ip, behind) = text.split_once('%')?;
    let (zone, behind) = behind.split_once(']')?;
    let mut address: SocketAddr = format!("{ip}]{behind}").parse().ok()?;
    match &mut address {
        SocketAddr::V6(scoped) if !zone.is_empty() => scoped.set_scope_id(number(zone)),
        _ => return None,
    }
    Some(address)
}

/// With the link's name, as people know it, also where it was not there; with its number where it has gone.
pub fn written(address: &SocketAddr) -> String {
    match address {
        SocketAddr::V6(scoped) if scoped.scope_id() != 0 => {
            let number = scoped.scope_id();
            match name(number).or_else(|| name_of_absent(number)) {
                Some(link) => format!("[{}%{link}]:{}", scoped.ip(), scoped.port()),
                None => address.to_string(),
            }
        }
        _ => address.to_string(),
    }
}

#[cfg(unix)]
fn name(number: u32) -> Option<String> {
    let mut name = [0; libc::IF_NAMESIZE];
    // SAFETY: the buffer has the length that if_indextoname(3) asks for
    if unsafe { libc::if_indextoname(number, name.as_mut_ptr()) }.is_null() {
        return None;
    }
    // SAFETY: it has written a text with a zero behind it
    unsafe { std::ffi::CStr::from_ptr(name.as_ptr()) }.to_str().ok().map(String::from)
}

#[cfg(not(unix))]
fn name(_: u32) -> Option<String> {
    None
}

#[cfg(unix)]
fn number(name: &str) -> u32 {
    let Ok(link) = std::ffi::CString::new(name) else { return absent(name) };
    // SAFETY: the text ends with a zero and outlives the call
    match unsafe { libc::if_nametoindex(link.as_ptr()) } {
        0 => absent(name),
        number => number,
    }
}

#[cfg(not(unix))]
fn number(name: &str) -> u32 {
    absent(name)
}

fn absent(name: &str) -> u32 {
    let mut links = absent_links();
    let known = links.iter().position(|link| *link == name);
    // the numbers of links that are there begin at 1: the last place is shared, rather than one of theirs given away
    let place = known.unwrap_or(links.len()).min(MOST_ABSENT);
    if place == links.len() {
        links.push(intern::word(name));
    }
    u32::MAX - place as u32
}

/// Whether it is of a link that was not there.
pub fn is_absent(address: SocketAddr) -> bool {
    // the kernel's numbers are positive
    matches!(address, SocketAddr::V6(scoped) if scoped.scope_id() > i32::MAX as u32)
}

fn name_of_absent(number: u32) -> Option<String> {
    absent_links().get((u32::MAX - number) as usize).map(|link| (*link).to_owned())
}

fn absent_links() -> MutexGuard<'static, Vec<&'static str>> {
    ABSENT.lock().expect("nothing panics while holding the links")
}

pub fn addresses<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SocketAddr>, D::Error> {
    Vec::<String>::deserialize(from)?.iter().map(|text| read(text)).collect()
}

pub fn address<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SocketAddr>, D::Error> {
    Option::<String>::deserialize(from)?.map(|text| read(&text)).transpose()
}

fn read<E: de::Error>(text: &str) -> Result<SocketAddr, E> {
    parse(text).ok_or_else(|| E::custom(format!("{text:?} is no address with a port")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_with_the_name_of_its_link() {
        let again = |text: &str| parse(text).map(|address| written(&address));
        for text in ["192.0.2.1:53", "[2001:db8::1]:53", "[fe80::1]:53"] {
            assert_eq!(again(text).as_deref(), Some(text));
        }
        #[cfg(target_os = "linux")]
        for text in ["[fe80::1%lo]:53", "[fe80::1%1]:53"] {
            assert_eq!(again(text).as_deref(), Some("[fe80::1%lo]:53"));
        }
        for text in ["[fe80::1%no-such-link]:53", "[fe80::2%nor-this-one]:5353"] {
            assert_eq!(again(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_zone_is_a_name_or_a_number() {
        let scope = |text: &str| match parse(text) {
            Some(SocketAddr::V6(address)) => Some(address.scope_id()),
            _ => None,
        };
        assert_eq!(scope("[fe80::1%7]:53"), Some(7));
        assert_eq!(scope("[fe80::1]:53"), Some(0));
        let absent = scope("[fe80::1%no-such-link]:53").unwrap();
        assert!(absent > i32::MAX as u32 && scope("[fe80::1%nor-this-one]:53").unwrap() > i32::MAX as u32);
        assert_eq!(scope("[fe80::1%no-such-link]:54"), Some(absent));
        #[cfg(target_os = "linux")]
        assert_eq!(scope("[fe80::1%lo]:53"), Some(1));
        for text in ["[fe80::1%]:53", "192.0.2.1%lo:53", "[fe80::1%lo]", "[fe80::1%lo]:x", "fe80::1%lo"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
