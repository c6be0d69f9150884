//! The PROXY protocol, version 2: a balancer in front says in the first octets of a connection whose connection it is (section 2.2 of
//! proxy-protocol.txt, which the HAProxy project publishes). It is believed from listed addresses alone, and there it is required:
//! elsewhere these octets are what a client sent.

use std::io;
use std::net::{IpAddr, SocketAddr};

use crc::{CRC_32_ISCSI, Crc};
use ipnet::IpNet;
use ppp::v2::{Addresses, Header, PROTOCOL_PREFIX, Protocol};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::typed::{of_no_machine, typed_address};

/// Signature, command, family, and the length of the rest.
const FIXED: usize = 16;
/// "LOCAL" of version 2: the balancer's own connection, such as a look at whether we are there.
const LOCAL: u8 = 0x20;
/// The rest: addresses of up to 216 octets, and whatever the balancer says besides.
const LONGEST: usize = 2048;

/// CRC32c, by which a balancer may prove its header (section 2.2.4), and the kind of the part that has it.
static CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
const CHECKSUM_KIND: u8 = 0x03;
/// Kind and length of a part.
const PART_FIXED: usize = 3;

/// Addresses of balancers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyPrefix {
    addresses: IpNet,
    /// The number of the link behind which they are, where each link has such addresses of its own.
    link: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies(Vec<ProxyPrefix>);

impl From<Vec<ProxyPrefix>> for Proxies {
    fn from(prefixes: Vec<ProxyPrefix>) -> Self {
        Proxies(prefixes)
    }
}

impl Proxies {
    pub fn have(&self, peer: SocketAddr) -> bool {
        let address = peer.ip().to_canonical();
        let is_of_link = |link| matches!(peer, SocketAddr::V6(scoped) if scoped.scope_id() == link);
        self.0.iter().any(|prefix| prefix.addresses.contains(&address) && prefix.link.is_none_or(is_of_link))
    }
}

/// Whose connection it is, which came from `proxy`. Reads the header and not an octet more. Fails where there is no header, where its
/// parts or its checksum are wrong, and where the header is of a connection that cannot be here, such as one over UDP.
pub async fn client(stream: &mut (impl AsyncRead + Unpin), proxy: IpAddr) -> io::Result<IpAddr> {
    let mut header = vec![0; FIXED];
    stream.read_exact(&mut header).await?;
    let rest = usize::from(u16::from_be_bytes([header[14], header[15]]));
    if !header.starts_with(PROTOCOL_PREFIX) || rest > LONGEST {
        return Err(wrong("no header of version 2 that we would read"));
    }
    header.resize(FIXED + rest, 0);
    stream.read_exact(&mut header[FIXED..]).await?;
    // what else it says is to be ignored
    if header[12] == LOCAL {
        return Ok(proxy);
    }
    let header = Header::try_from(&header[..]).map_err(|error| wrong(&error.to_string()))?;
    match (header.addresses, header.protocol) {
        (Addresses::Unspecified, _) => Ok(proxy),
        _ if !is_intact(&header) => Err(wrong("a header whose parts or whose checksum are wrong")),
        (Addresses::IPv4(pair), Protocol::Stream) => Ok(pair.source_address.into()),
        (Addresses::IPv6(pair), Protocol::Stream) => Ok(IpAddr::from(pair.source_address).to_canonical()),
        _ => Err(wrong("a connection that is not TCP")),
    }
}

/// The checksum is counted with zeros in its own place. A header without one is intact.
fn is_intact(header: &Header<'_>) -> bool {
    let octets = header.as_bytes();
    let mut end = octets.len() - header.tlv_bytes().len();
    for part in header.tlvs() {
        let Ok(part) = part else { return false };
        let start = end + PART_FIXED;
        end = start + part.value.len();
        if part.kind == CHECKSUM_KIND {
            let Ok(said) = <[u8; 4]>::try_from(&*part.value) else { return false };
            let mut counted = CHECKSUM.digest();
            counted.update(&octets[..start]);
            counted.update(&[0; 4]);
            counted.update(&octets[end..]);
            return counted.finalize() == u32::from_be_bytes(said);
        }
    }
    true
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// A prefix, or one address. Refused where it has more bits than its length says: which of the two was meant is not known.
pub fn prefix(text: &str) -> Result<ProxyPrefix, String> {
    if let Some(address) = typed_address(text, 0).filter(|address| address.port() == 0) {
        let link = match address {
            SocketAddr::V6(scoped) if scoped.scope_id() > 0 => Some(scoped.scope_id()),
            _ => None,
        };
        let prefix = ProxyPrefix { addresses: address.ip().into(), link };
        return of_no_machine(address).map_or(Ok(prefix), Err);
    }
    let addresses = text
        .parse::<IpNet>()
        .map_err(|_| "not a prefix: write 192.0.2.0/24, 2001:db8::/32 or one address".to_owned())?;
    if addresses != addresses.trunc() {
        return Err(format!("has bits behind its length: write {}", addresses.trunc()));
    }
    Ok(ProxyPrefix { addresses, link: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "192.0.2.200";

    /// `command` and `family` are octets 13 and 14.
    fn header(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let mut octets = b"\r\n\r\n\0\r\nQUIT\n".to_vec();
        octets.extend([command, family]);
        octets.extend((rest.len() as u16).to_be_bytes());
        octets.extend(rest);
        octets
    }

    fn ipv6(source: &str) -> Vec<u8> {
        let octets = |text: &str| text.parse::<std::net::Ipv6Addr>().unwrap().octets();
        [&octets(source)[..], &octets("2001:db8::1"), &[0x10, 0x00, 0x03, 0x55]].concat()
    }

    const IPV4: [u8; 12] = [198, 51, 100, 7, 192, 0, 2, 1, 0x10, 0x00, 0x03, 0x55];

    async fn read(octets: &[u8]) -> (Option<String>, usize) {
        let mut left = octets;
        let found = client(&mut left, PROXY.parse().unwrap()).await;
        (found.ok().map(|address| address.to_string()), left.len())
    }

    #[tokio::test]
    async fn the_address_is_the_one_in_the_header_and_what_follows_is_left() {
        let tlvs = [&IPV4[..], &[0x04, 0, 2, 0, 0], &[0x20, 0, 1, 9]].concat();
        for (octets, address) in [
            (header(0x21, 0x11, &IPV4), "198.51.100.7"),
            (header(0x21, 0x11, &tlvs), "198.51.100.7"),
            (header(0x21, 0x21, &ipv6("2001:db8::7")), "2001:db8::7"),
            (header(0x21, 0x21, &ipv6("::ffff:198.51.100.7")), "198.51.100.7"),
        ] {
            let whole = [&octets[..], b"\x16\x03\x01"].concat();
            assert_eq!(read(&whole).await, (Some(address.into()), 3), "{octets:02x?}");
            for length in 0..octets.len() {
                assert_eq!(read(&octets[..length]).await.0, None, "{length} of {octets:02x?}");
            }
        }
    }

    #[tokio::test]
    async fn where_it_names_nobody_the_connection_is_the_balancer_s_own() {
        for octets in [
            header(0x20, 0x00, &[]),
            header(0x20, 0x11, &IPV4),
            header(0x20, 0xff, &[1, 2, 3]),
            header(0x21, 0x00, &[]),
            header(0x21, 0x00, &[1; LONGEST]),
        ] {
            assert_eq!(read(&octets).await, (Some(PROXY.into()), 0), "{octets:02x?}");
        }
    }

    #[tokio::test]
    async fn anything_else_is_refused() {
        let mut signature = header(0x21, 0x11, &IPV4);
        signature[11] = b'\r';
        for octets in [
            signature,
            b"PROXY TCP4 198.51.100.7 192.0.2.1 4096 853\r\n".to_vec(),
            header(0x11, 0x11, &IPV4),
            header(0x22, 0x11, &IPV4),
            header(0x21, 0x12, &IPV4),
            header(0x21, 0x10, &IPV4),
            header(0x21, 0x41, &IPV4),
            header(0x21, 0x13, &IPV4),
            header(0x21, 0x11, &IPV4[..11]),
            header(0x21, 0x21, &IPV4),
            header(0x21, 0x31, &[0; 216]),
            header(0x21, 0x11, &[0; LONGEST + 1]),
        ] {
            assert_eq!(read(&octets).await.0, None, "{octets:02x?}");
        }
    }

    #[tokio::test]
    async fn a_checksum_must_be_that_of_the_header() {
        let with = |sum: [u8; 4]| [&IPV4[..], &[0x20, 0, 1, 9, 0x03, 0, 4], &sum, &[0x04, 0, 1, 7]].concat();
        let counted = CHECKSUM.checksum(&header(0x21, 0x11, &with([0; 4]))).to_be_bytes();
        let right = header(0x21, 0x11, &with(counted));
        assert_eq!(read(&right).await.0, Some("198.51.100.7".into()));
        let kind = FIXED + IPV4.len() + 4;
        for changed in (FIXED..right.len()).filter(|at| *at != kind) {
            let mut octets = right.clone();
            octets[changed] ^= 0x40;
            assert_eq!(read(&octets).await.0, None, "{changed}");
        }
        for short in [&[][..], &[1, 2, 3], &[1, 2, 3, 4, 5]] {
            let rest = [&IPV4[..], &[0x03, 0, short.len() as u8], short].concat();
            assert_eq!(read(&header(0x21, 0x11, &rest)).await.0, None, "{short:02x?}");
        }
    }

    #[test]
    fn prefixes_hold_their_addresses_and_doubtful_ones_are_refused() {
        let listed = ["192.0.2.128/25", "2001:db8::/32", "198.51.100.1", "fe80::1%7"];
        let proxies = Proxies::from(listed.map(|text| prefix(text).unwrap()).to_vec());
        for (address, is_one) in [
            ("192.0.2.200", true),
            ("::ffff:192.0.2.200", true),
            ("192.0.2.127", false),
            ("2001:db8:5::1", true),
            ("2001:db9::1", false),
            ("198.51.100.1", true),
            ("198.51.100.2", false),
            ("fe80::1%7", true),
            ("fe80::1%8", false),
        ] {
            assert_eq!(proxies.have(typed_address(address, 4096).unwrap()), is_one, "{address}");
        }
        assert!(prefix("fe80::1").unwrap_err().contains("name the link"));
        assert!(prefix("192.0.2.200/24").unwrap_err().contains("192.0.2.0/24"));
        assert!(prefix("balancer.example").is_err() && prefix("192.0.2.0/33").is_err());
    }
}
