//! The other private transport of the same server. Where the TLS port is blocked, it is STARTTLS on the DNS port; where STARTTLS is
//! blocked, TLS on its own port. The server proves the same on both, so using it is no downgrade.

use crate::config::{Alternative, UpstreamConfig};
use crate::endpoint::Endpoint;
use crate::upstream::transport::list;

/// The upstream with its alternative transport; `None` where it has none.
pub fn of(config: &UpstreamConfig) -> Option<UpstreamConfig> {
    let own = list::of(config.transport)?;
    let other = list::of(own.alternative?)?;
    let port = match config.alternative {
        Alternative::None => return None,
        Alternative::Port(port) => port,
        // a server with a port of its own does not show where the other port is
        Alternative::Standard if config.addresses.iter().any(|address| address.port() != own.port) => {
            return None;
        }
        Alternative::Standard => other.port,
    };
    let moved = |endpoint: &Endpoint| endpoint.at_port(port);
    let addresses = config.addresses.iter().map(moved).collect();
    Some(UpstreamConfig {
        transport: other.kind,
        addresses,
        alternative: Alternative::None,
        ..config.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::TransportKind;

    fn alternative(
        transport: &str,
        address: &str,
        alternative: Option<&str>,
    ) -> Option<(TransportKind, String)> {
        let field = alternative.map_or_else(String::new, |value| format!(r#", "alternative": {value}"#));
        let json =
            format!(r#"{{"id": "one", "transport": "{transport}", "addresses": ["{address}"]{field}}}"#);
        let other = of(&serde_json::from_str(&json).unwrap())?;
        Some((other.transport, other.addresses[0].to_string()))
    }

    #[test]
    fn each_private_transport_has_the_other() {
        let (tdns, dot) = (TransportKind::Tdns, TransportKind::Dot);
        for (transport, address, configured, expected) in [
            ("dot", "192.0.2.1:853", None, Some((tdns, "192.0.2.1:53"))),
            ("tdns", "[2001:db8::1]:53", None, Some((dot, "[2001:db8::1]:853"))),
            ("dot", "192.0.2.1:8853", None, None),
            ("dot", "192.0.2.1:8853", Some("8053"), Some((tdns, "192.0.2.1:8053"))),
            ("dot", "192.0.2.1:853", Some("null"), None),
            ("tcp", "192.0.2.1:53", Some("853"), None),
        ] {
            let expected = expected.map(|(kind, address)| (kind, address.to_owned()));
            assert_eq!(alternative(transport, address, configured), expected, "{transport} {address}");
        }
    }
}
