//! Datagrams: one out and one in, and more only where the server asks for another manner. Whether what came can be believed.

use std::net::{IpAddr, SocketAddr};

use crate::response::{NoResponse, Response};
use crate::upstream::clear::cookies::{Sent, Verdict};
use crate::upstream::clear::lease::Counted;
use crate::upstream::dial::sockets::Datagrams;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::{Hop, Outgoing};
use crate::wire::edns::{self, option};
use crate::wire::header::{Header, rcode};

use super::errand::{Errand, Plain, is_response, unreachable};
use super::habits::Attempt;

/// In one attempt: with a cookie, without, without EDNS.
const MOST_SENDS: usize = 3;
const LARGEST: usize = 65_535;

/// How the server is addressed; each step down is taken once.
enum Manner {
    Cookie(Sent),
    Edns,
    Bare,
}

/// A datagram that came, and what it is.
enum Heard {
    Response(Response),
    /// no response to this query, whoever sent it
    Stray,
    /// the query has to be sent again, in this manner
    Again(Manner),
    /// TCP can tell
    ByStream(Doubt),
}

/// Why TCP is asked, and what is left where it brings nothing.
pub(super) enum Doubt {
    None,
    /// a part of the response
    Truncated(Response),
    /// it could be forged: a cookie that the server had before was missing
    Lost(Lost),
    /// it can't be read; something may have cut it on the way
    Unusable(NoResponse),
}

/// A cookie that a server had before and did not send this time.
pub(super) struct Lost {
    pub sent: Sent,
    pub local: IpAddr,
}

/// One datagram that came, with what it was sent for.
struct Came<'a> {
    server: SocketAddr,
    local: IpAddr,
    manner: &'a Manner,
    message: &'a [u8],
    /// the cookie's
    verdict: Option<Verdict>,
    /// the same query with EDNS had an error before
    chokes: bool,
}

impl Doubt {
    pub fn lost(&self) -> Option<&Lost> {
        match self {
            Self::Lost(lost) => Some(lost),
            _ => None,
        }
    }

    pub fn instead_of(self, failure: Failure) -> Result<Response, Failure> {
        match self {
            _ if matches!(failure, Failure::NotPermitted(_)) => Err(failure),
            Self::Truncated(response) => Ok(response),
            Self::Unusable(why) => Err(why.into()),
            Self::None | Self::Lost(_) => Err(failure),
        }
    }
}

impl Plain {
    /// The inner error: TCP has to tell.
    pub(super) async fn by_datagram(
        &self,
        errand: &Errand<'_>,
        attempt: Attempt,
    ) -> Result<Result<Response, Doubt>, Failure> {
        let broken = |error: std::io::Error| unreachable(errand.server, &error);
        let socket = self.sockets.datagrams(errand.server).await.map_err(broken)?;
        let mut manner = self.first_manner(errand.server, socket.local(), attempt);
        let mut buffer = vec![0; LARGEST];
        let mut chokes = false;
        for _ in 0..MOST_SENDS {
            let id = rand::random();
            let message = manner.message(errand.query, id);
            errand.query.leaves(message.len());
            send(&*socket, &message, errand.server, errand.query.spend(errand.lease)?)
                .await
                .map_err(broken)?;
            manner = loop {
                let (length, from) = socket.receive(&mut buffer).await.map_err(broken)?;
                let message = &buffer[..length];
                let heard = match from == errand.server && is_response(message, id) {
                    true => {
                        errand.query.is_answered(length);
                        let came = self.came(errand.server, socket.local(), &manner, message, chokes);
                        self.judge(errand.query, came)?
                    }
                    false => Heard::Stray,
                };
                match heard {
                    Heard::Response(response) if response.truncated() => {
                        return Ok(Err(Doubt::Truncated(response)));
                    }
                    Heard::Response(response) => return Ok(Ok(response)),
                    Heard::ByStream(doubt) => return Ok(Err(doubt)),
                    Heard::Again(next) => break next,
                    Heard::Stray => self.stray(),
                }
            };
            chokes |= matches!(manner, Manner::Bare);
        }
        Ok(Err(Doubt::None))
    }

    fn first_manner(&self, server: SocketAddr, local: IpAddr, attempt: Attempt) -> Manner {
        match attempt {
            Attempt::Bare => Manner::Bare,
            _ => self.cookies.towards(server, local).map_or(Manner::Edns, Manner::Cookie),
        }
    }

    fn came<'a>(
        &self,
        server: SocketAddr,
        local: IpAddr,
        manner: &'a Manner,
        message: &'a [u8],
        chokes: bool,
    ) -> Came<'a> {
        let returned = edns::option_of(message, option::COOKIE);
        let verdict = manner.cookie().map(|sent| self.cookies.judge((server, local), sent, returned));
        Came { server, local, manner, message, verdict, chokes }
    }

    /// Judges the cookie first: without it nothing else in the message can be believed.
    fn judge(&self, query: &Outgoing, came: Came<'_>) -> Result<Heard, Failure> {
        match came.verdict {
            Some(Verdict::Forged) => return Ok(Heard::Stray),
            Some(Verdict::Missing) => {
                self.stray();
                let lost = came.manner.cookie().map(|sent| Lost { sent: sent.clone(), local: came.local });
                return Ok(Heard::ByStream(lost.map_or(Doubt::None, Doubt::Lost)));
            }
            Some(Verdict::Genuine) => self.habits.edns_passes(came.server),
            Some(Verdict::Without) => self.cookies.unsupported(came.server, came.local),
            None => {}
        }
        let names_no_question = Header::read(came.message).is_ok_and(|header| header.counts[0] == 0);
        match Response::read(came.message.to_vec(), &query.question) {
            Ok((response, _)) if is_error(&response) => Ok(self.error(query, came, response)),
            Ok((response, _)) => {
                match came.manner {
                    Manner::Bare if came.chokes => self.habits.edns_fails(came.server),
                    Manner::Bare => {}
                    _ => self.habits.edns_passes(came.server),
                }
                Ok(Heard::Response(response))
            }
            Err(NoResponse::ExtendedCode(rcode::BADCOOKIE)) => Ok(self.bad_cookie(&came)),
            Err(NoResponse::ExtendedCode(rcode::BADVERS)) => Ok(Heard::Again(Manner::Bare)),
            // somebody off the path would have to guess less
            Err(NoResponse::OtherQuestion) if names_no_question => Ok(Heard::ByStream(Doubt::None)),
            Err(NoResponse::OtherQuestion) => Ok(Heard::Stray),
            Err(error @ (NoResponse::Malformed(_) | NoResponse::NotAResponse)) => {
                Ok(Heard::ByStream(Doubt::Unusable(error)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// An error may be about EDNS (RFC 6891 section 7), whatever its code: servers that do not know it have several, and some send our
    /// OPT back with them.
    fn error(&self, query: &Outgoing, came: Came<'_>, response: Response) -> Heard {
        let misunderstood = matches!(response.rcode(), rcode::FORMERR | rcode::NOTIMP);
        let is_suspect = query.by_program && self.habits.may_choke_on_edns(came.server);
        match (came.manner, came.verdict) {
            (Manner::Bare, _) => {
                if came.chokes {
                    self.habits.edns_passes(came.server);
                }
                Heard::Response(response)
            }
            (Manner::Cookie(_), Some(Verdict::Without)) if misunderstood => Heard::Again(Manner::Edns),
            (_, Some(Verdict::Genuine)) => Heard::Response(response),
            _ if misunderstood && edns::Edns::find(came.message) == Ok(None) => Heard::Again(Manner::Bare),
            _ if is_suspect => Heard::Again(Manner::Bare),
            _ => Heard::Response(response),
        }
    }

    /// Once more with the cookie that came in the response, then by TCP (RFC 7873 section 5.3).
    fn bad_cookie(&self, came: &Came<'_>) -> Heard {
        match (came.manner, came.verdict, self.cookies.towards(came.server, came.local)) {
            (Manner::Cookie(sent), Some(Verdict::Genuine), Some(next)) if next.option != sent.option => {
                Heard::Again(Manner::Cookie(next))
            }
            _ => Heard::ByStream(Doubt::None),
        }
    }
}

fn is_error(response: &Response) -> bool {
    matches!(response.rcode(), rcode::FORMERR | rcode::SERVFAIL | rcode::NOTIMP | rcode::REFUSED)
}

impl Manner {
    fn cookie(&self) -> Option<&Sent> {
        match self {
            Self::Cookie(sent) => Some(sent),
            Self::Edns | Self::Bare => None,
        }
    }

    fn message(&self, query: &Outgoing, id: u16) -> Vec<u8> {
        match self {
            Self::Cookie(sent) => query.with_cookie(id, &sent.option),
            Self::Edns => query.message(id, Hop::Udp),
            Self::Bare => query.bare(id),
        }
    }
}

async fn send(
    socket: &dyn Datagrams,
    message: &[u8],
    to: SocketAddr,
    _counted: Counted,
) -> std::io::Result<()> {
    socket.send(message, to).await
}
