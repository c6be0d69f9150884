//! Every request there is. app/contract/system/helper-protocol.ts says the same in zod.

use serde::{Deserialize, Deserializer};

use crate::failure::{Code, Failure};
use crate::fix::Fix;
use crate::servers::{Search, Servers};
use crate::target::{Link, Only};

/// octets of a request, its line end included
pub const LONGEST: usize = 4096;

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    TakeLink {
        link: Link,
        servers: Servers,
        /// absent: those that were there before are kept
        search: Option<Search>,
    },
    TakeNetworkManager {
        servers: Servers,
        search: Option<Search>,
    },
    TakeResolvconf {
        servers: Servers,
    },
    TakeFile {
        servers: Servers,
    },
    GiveBack {
        #[serde(default, deserialize_with = "given")]
        only: Option<Only>,
    },
    Flush {},
    Status {},
    /// The peer looks after what was taken over, until this connection ends.
    Hold {},
    /// Changes settings of another program, so that its queries come to Sotto.
    Fix {
        fix: Fix,
        /// say what would be written, and write nothing
        #[serde(default)]
        dry: bool,
    },
    UndoFix {
        fix: Fix,
    },
    /// What can be fixed, and what was.
    Fixes {},
    /// The service's ledger has what was given back without it, up to this moment.
    ForgetOrphaned {
        until: u64,
    },
}

/// Reads one line without its end. Only addresses on loopback pass, and only ports that the mechanism can be told.
pub fn read(line: &[u8]) -> Result<Request, Failure> {
    let request = serde_json::from_slice(line).map_err(|error| {
        Failure::new(
            Code::BadRequest,
            format!("that is no request: {error}"),
            "see docs/design/system-dns.md for what can be requested",
        )
    })?;
    match &request {
        Request::TakeLink { servers, .. } => servers.on_loopback()?,
        Request::TakeNetworkManager { servers, .. }
        | Request::TakeResolvconf { servers }
        | Request::TakeFile { servers } => {
            servers.on_loopback()?;
            servers.on_port_53()?;
        }
        Request::GiveBack { .. }
        | Request::Flush {}
        | Request::Status {}
        | Request::Hold {}
        | Request::Fix { .. }
        | Request::UndoFix { .. }
        | Request::Fixes {}
        | Request::ForgetOrphaned { .. } => {}
    }
    Ok(request)
}

/// `"only": null` is a mistake, not everything.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Only>, D::Error> {
    Only::deserialize(value).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Lines {
        accepted: Vec<String>,
        refused: Vec<String>,
    }

    #[test]
    fn the_service_and_the_helper_know_the_same_requests() {
        let lines: Lines = serde_json::from_str(include_str!("../tests/requests.json")).unwrap();
        for line in lines.accepted {
            read(line.as_bytes()).unwrap_or_else(|failure| panic!("{line}: {}", failure.message));
        }
        for line in lines.refused {
            assert_eq!(read(line.as_bytes()).unwrap_err().code, Code::BadRequest, "{line}");
        }
    }

    #[test]
    fn no_other_machine_is_named() {
        for address in
            ["192.0.2.1", "0.0.0.0", "::", "2001:db8::1", "::ffff:127.0.0.1", "fe80::1", "169.254.1.1"]
        {
            for verb in [r#""take-file""#, r#""take-resolvconf""#] {
                let line = format!(
                    r#"{{"verb":{verb},"servers":[{{"address":"127.0.0.1","port":53}},{{"address":"{address}","port":53}}]}}"#
                );
                assert_eq!(read(line.as_bytes()).unwrap_err().code, Code::NotLoopback, "{line}");
            }
        }
    }

    #[test]
    fn a_port_is_for_who_can_be_told_one() {
        let servers = r#""servers":[{"address":"127.0.0.1","port":5300}]"#;
        let link = r#""link":{"index":2,"name":"eth0"}"#;
        assert!(read(format!(r#"{{"verb":"take-link",{link},{servers}}}"#).as_bytes()).is_ok());
        for line in [
            format!(r#"{{"verb":"take-network-manager",{servers}}}"#),
            format!(r#"{{"verb":"take-resolvconf",{servers}}}"#),
            format!(r#"{{"verb":"take-file",{servers}}}"#),
        ] {
            assert_eq!(read(line.as_bytes()).unwrap_err().code, Code::PortNotPossible, "{line}");
        }
    }

    #[test]
    fn a_field_said_twice_is_refused() {
        let line = br#"{"verb":"status","verb":"give-back"}"#;
        assert_eq!(read(line).unwrap_err().code, Code::BadRequest);
        let line = br#"{"verb":"take-file","servers":[{"address":"127.0.0.1","port":53,"port":54}]}"#;
        assert_eq!(read(line).unwrap_err().code, Code::BadRequest);
    }
}
