//! Names and addresses as people type them. What no name and no address can be is refused, because it would be taken and never apply.

use std::net::{IpAddr, SocketAddr};

use sotto_engine::zone;
use sotto_wire::name::Name;

/// A name of a host or a zone. Letters beyond ASCII are no octets of it, and escapes of zone files are none either.
pub fn typed_name(text: &str) -> Result<Name, String> {
    if !text.is_ascii() {
        return Err(format!(
            "{text:?} has letters beyond ASCII: write it with \"xn--\", as \"idn2 {text}\" prints it"
        ));
    }
    if text.starts_with("*.") {
        return Err(format!("{text:?} begins with \"*.\": leave that out, all names below are meant anyway"));
    }
    // a zone of a part of a network has a "/" (RFC 2317)
    let is_usual = |letter: &char| letter.is_ascii_alphanumeric() || "-_./".contains(*letter);
    if let Some(letter) = text.chars().find(|letter| !is_usual(letter)) {
        return Err(format!("{text:?} is no name: {letter:?} is in none"));
    }
    if text.is_empty() {
        return Err("the name is missing".into());
    }
    Name::parse(text).map_err(|malformed| format!("{text:?} is no name: {malformed}"))
}

/// `IP`, `[IP]`, `IP:PORT` or `[IP]:PORT`, where an IPv6 address of one link has the link's name or number behind "%" (RFC 4007).
/// `None`: it is none of these.
pub fn typed_address(text: &str, default_port: u16) -> Option<SocketAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match bare.parse::<IpAddr>() {
        Ok(ip) => Some(SocketAddr::new(ip, default_port)),
        Err(_) => zone::parse(text).or_else(|| zone::parse(&format!("[{bare}]:{default_port}"))),
    }
}

/// Why nobody can be asked there, and nobody can listen there.
pub fn of_no_machine(address: SocketAddr) -> Option<String> {
    let ip = address.ip();
    match address {
        _ if ip.is_multicast() || ip == IpAddr::from([255; 4]) => {
            Some(format!("{ip} is an address of many machines: give one of a single machine"))
        }
        SocketAddr::V6(scoped) if scoped.ip().is_unicast_link_local() && scoped.scope_id() == 0 => {
            Some(format!("{ip} is an address of one link: name the link behind it, as in {ip}%eth0"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_as_it_is_or_refused() {
        for text in
            ["Corp.Example.", "xn--bcher-kva.example", "_tcp.corp.example", "0/25.2.0.192.in-addr.arpa", "."]
        {
            assert_eq!(typed_name(text).unwrap().to_string(), Name::parse(text).unwrap().to_string());
        }
        for (text, why) in [
            ("bücher.example", "xn--"),
            ("corp.example ", "' ' is in none"),
            ("corp\\.example", "'\\\\' is in none"),
            ("*.corp.example", "leave that out"),
            ("corp.*.example", "'*' is in none"),
            ("corp..example", "is no name"),
            ("", "missing"),
        ] {
            let said = typed_name(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_address_of_one_link_names_it() {
        for (text, whole) in [
            ("192.0.2.1", "192.0.2.1:53"),
            ("[192.0.2.1]", "192.0.2.1:53"),
            ("192.0.2.1:5300", "192.0.2.1:5300"),
            ("::1", "[::1]:53"),
            ("[::1]:5300", "[::1]:5300"),
            ("fe80::1%lo", "[fe80::1%1]:53"),
            ("[fe80::1%lo]", "[fe80::1%1]:53"),
            ("[fe80::1%lo]:5300", "[fe80::1%1]:5300"),
            ("fe80::1%1", "[fe80::1%1]:53"),
        ] {
            assert_eq!(
                typed_address(text, 53).map(|address| address.to_string()),
                Some(whole.into()),
                "{text}"
            );
        }
        for text in ["localhost", "192.0.2.1%lo", "fe80::1%", "[::1", "::1]:53", "192.0.2.1:", ""] {
            assert_eq!(typed_address(text, 53), None, "{text}");
        }
    }

    #[test]
    fn some_addresses_are_of_no_machine() {
        for (text, is_one) in [
            ("192.0.2.1", true),
            ("fe80::1%7", true),
            ("fe80::1", false),
            ("224.0.0.1", false),
            ("ff02::1%7", false),
            ("255.255.255.255", false),
        ] {
            assert_eq!(of_no_machine(typed_address(text, 53).unwrap()).is_none(), is_one, "{text}");
        }
    }
}
