//! How a server behind is written: `192.0.2.1`, `dot://192.0.2.1#dns.example`, `tdns://192.0.2.1:53#sha256/PIN`.

use std::fmt;
use std::net::SocketAddr;

use sotto_engine::upstream::dial::certificate::Pin;
use sotto_wire::name::Name;

use crate::typed::{of_no_machine, typed_address, typed_name};

/// RFC 1035 section 4.2, and RFC 7858 section 3.1.
const DNS: u16 = 53;
pub const TLS: u16 = 853;

/// By which way a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// with TCP for what is truncated
    Udp,
    Tcp,
    Tdns,
    Dot,
    /// TLS without authentication where the server has it, else cleartext (RFC 9539)
    Opportunistic,
}

/// What a server has to prove. Without either: that its certificate is for its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identified {
    ByAddress,
    ByName(String),
    /// base64 SHA-256 of a SubjectPublicKeyInfo (RFC 7858 section 4.2)
    ByPin(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    pub way: Way,
    pub address: SocketAddr,
    pub identified: Identified,
}

/// A zone whose authorities are asked without recursion.
#[derive(Debug, Clone)]
pub struct StubZone {
    pub name: Name,
    pub authorities: Vec<ServerAddress>,
}

const WAYS: [(&str, Way); 5] = [
    ("udp", Way::Udp),
    ("tcp", Way::Tcp),
    ("tdns", Way::Tdns),
    ("dot", Way::Dot),
    ("opportunistic", Way::Opportunistic),
];

impl Way {
    fn port(self) -> u16 {
        if self == Way::Dot { TLS } else { DNS }
    }

    fn authenticates(self) -> bool {
        matches!(self, Way::Tdns | Way::Dot)
    }
}

impl ServerAddress {
    /// Where it may be asked.
    pub fn places(&self) -> impl Iterator<Item = SocketAddr> {
        let also_tls = self.way == Way::Opportunistic;
        std::iter::once(self.address).chain(also_tls.then(|| self.at(TLS)))
    }

    /// Another port there, by the same link.
    pub fn at(&self, port: u16) -> SocketAddr {
        let mut address = self.address;
        address.set_port(port);
        address
    }

    /// `bare`: the way of an address for which none is written.
    pub fn parse(text: &str, bare: Way) -> Result<Self, String> {
        let (way, rest) = match text.split_once("://") {
            None => (bare, text),
            Some((word, rest)) => match WAYS.iter().find(|(known, _)| *known == word) {
                Some((_, way)) => (*way, rest),
                None => {
                    return Err(format!(
                        "{word}:// is none of {}; DNS over TLS is dot://",
                        WAYS.map(|(word, _)| word).join(", ")
                    ));
                }
            },
        };
        let (place, proof) = rest.split_once('#').map_or((rest, None), |(place, proof)| (place, Some(proof)));
        if proof.is_some() && !way.authenticates() {
            return Err(
                "only dot:// and tdns:// prove a name or a pin: leave out what is behind \"#\"".into()
            );
        }
        let address = address(place, way.port())?;
        let identified = match proof {
            None => Identified::ByAddress,
            Some(proof) if proof.starts_with("sha256/") => match Pin::parse(proof) {
                Ok(pin) => Identified::ByPin(pin.to_string()),
                Err(why) => return Err(format!("the pin {proof:?}: {why}")),
            },
            Some(name) => Identified::ByName(host_name(name)?),
        };
        Ok(ServerAddress { way, address, identified })
    }
}

fn host_name(text: &str) -> Result<String, String> {
    const REMEDY: &str = "write #dns.example, or #sha256/ and a pin";
    match typed_name(text) {
        Ok(name) if name.is_root() => Err(format!("{text:?} is no host name: {REMEDY}")),
        Ok(_) => Ok(text.trim_end_matches('.').to_owned()),
        Err(why) => Err(format!("behind \"#\" is no host name ({why}): {REMEDY}")),
    }
}

fn address(text: &str, port: u16) -> Result<SocketAddr, String> {
    let Some(address) = typed_address(text, port) else {
        return Err(format!(
            "{text:?} is not an address: write 192.0.2.53, 192.0.2.53:5300 or [2001:db8::53], each by itself"
        ));
    };
    if address.port() == 0 {
        return Err("nothing is reached at port 0".into());
    }
    if address.ip().is_unspecified() {
        return Err(format!("{} is no server's address", address.ip()));
    }
    of_no_machine(address).map_or(Ok(address), Err)
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, _) = WAYS.iter().find(|(_, way)| *way == self.way).expect("every way has a word");
        write!(f, "{word}://{}", self.address)?;
        match &self.identified {
            Identified::ByAddress => Ok(()),
            Identified::ByName(name) => write!(f, "#{name}"),
            Identified::ByPin(pin) => write!(f, "#sha256/{pin}"),
        }
    }
}

impl StubZone {
    /// `ZONE=SERVER[,SERVER...]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, authorities) =
            text.split_once('=').ok_or("write ZONE=SERVER, as in example.org=192.0.2.1,192.0.2.2")?;
        let name = typed_name(name)?;
        let authorities = authorities.split(',').map(|text| ServerAddress::parse(text, Way::Opportunistic));
        Ok(StubZone { name, authorities: authorities.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_has_its_word_its_port_and_its_proof() {
        for (text, whole) in [
            ("192.0.2.1", "udp://192.0.2.1:53"),
            ("[2001:db8::1]", "udp://[2001:db8::1]:53"),
            ("2001:db8::1", "udp://[2001:db8::1]:53"),
            ("tcp://192.0.2.1:5300", "tcp://192.0.2.1:5300"),
            ("tdns://192.0.2.1#dns.example.", "tdns://192.0.2.1:53#dns.example"),
            ("dot://[2001:db8::1]", "dot://[2001:db8::1]:853"),
            ("opportunistic://192.0.2.1", "opportunistic://192.0.2.1:53"),
            ("dot://fe80::1%7", "dot://[fe80::1%7]:853"),
            (
                "dot://192.0.2.1#sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "dot://192.0.2.1:853#sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            ),
        ] {
            let read = ServerAddress::parse(text, Way::Udp).unwrap();
            assert_eq!(read.to_string(), whole);
            assert_eq!(ServerAddress::parse(whole, Way::Tcp), Ok(read), "what is written is read");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_remedy() {
        for (text, words) in [
            ("localhost", "\"localhost\" is not an address: write"),
            ("192.0.2.1:0", "port 0"),
            ("0.0.0.0", "0.0.0.0 is no server's address"),
            (
                "tls://192.0.2.1",
                "tls:// is none of udp, tcp, tdns, dot, opportunistic; DNS over TLS is dot://",
            ),
            ("udp://192.0.2.1#dns.example", "only dot:// and tdns://"),
            ("opportunistic://192.0.2.1#dns.example", "only dot:// and tdns://"),
            ("224.0.0.1", "of many machines"),
            ("fe80::1", "name the link behind it"),
            ("dot://192.0.2.1#", "is no host name"),
            ("dot://192.0.2.1#.", "is no host name"),
            ("dot://192.0.2.1#dns.bücher.example", "with \"xn--\""),
            ("dot://192.0.2.1#sha256/AAAA", "is not the base64 of 32 octets"),
            ("dot://192.0.2.1#sha256/?", "is not base64"),
        ] {
            let why = ServerAddress::parse(text, Way::Udp).unwrap_err();
            assert!(why.contains(words), "{text}: {why}");
        }
    }

    #[test]
    fn a_stub_zone_names_its_authorities() {
        let zone = StubZone::parse("Example.org.=192.0.2.1,dot://192.0.2.2#ns.example").unwrap();
        let authorities: Vec<_> = zone.authorities.iter().map(ToString::to_string).collect();
        assert_eq!(zone.name.to_string(), Name::parse("example.org").unwrap().to_string());
        assert_eq!(authorities, ["opportunistic://192.0.2.1:53", "dot://192.0.2.2:853#ns.example"]);
        for text in [
            "example.org",
            "example.org=",
            "=192.0.2.1",
            "a..b=192.0.2.1",
            "example.org=192.0.2.1,",
            "example.org =192.0.2.1",
            "*.example.org=192.0.2.1",
            "bücher.example=192.0.2.1",
        ] {
            assert!(StubZone::parse(text).is_err(), "{text}");
        }
    }
}
