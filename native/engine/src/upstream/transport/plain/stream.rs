//! The same query by TCP, on a connection of its own: nobody off the path can respond there in the server's name.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::response::{self, NoResponse, Response};
use crate::upstream::clear::lease::Counted;
use crate::upstream::failure::Failure;
use crate::upstream::failure::dial_error::DialError;
use crate::upstream::outgoing::Hop;
use crate::upstream::stream::framing::{FRAMING, framed};
use crate::wire::edns::{self, option};

use super::datagram::Lost;
use super::errand::{Errand, Plain, is_response, unreachable};

impl Plain {
    /// Asks for a `lost` cookie again. If it does not come, it is given up.
    pub(super) async fn by_stream(
        &self,
        errand: &Errand<'_>,
        lost: Option<&Lost>,
    ) -> Result<Response, Failure> {
        let broken = |error: std::io::Error| unreachable(errand.server, &error);
        let stream = self.sockets.stream(errand.server).await;
        let mut stream = stream.map_err(|reason| DialError::new(errand.server, reason))?;
        let id = rand::random();
        let message = match lost {
            Some(lost) => errand.query.with_cookie(id, &lost.sent.option),
            None if self.habits.may_choke_on_edns(errand.server) => errand.query.bare(id),
            None => errand.query.message(id, Hop::Tcp),
        };
        let framed = framed(&message);
        let Counted { .. } = errand.query.spend(errand.lease)?;
        errand.query.leaves(framed.len());
        stream.write_all(&framed).await.map_err(broken)?;
        stream.flush().await.map_err(broken)?;
        loop {
            let length = stream.read_u16().await.map_err(broken)? as usize;
            let mut message = vec![0; length];
            stream.read_exact(&mut message).await.map_err(broken)?;
            if is_response(&message, id) {
                errand.query.is_answered(FRAMING + length);
                if let Some(lost) = lost
                    && edns::option_of(&message, option::COOKIE).is_none()
                {
                    self.cookies.unsupported(errand.server, lost.local);
                }
                let asked = &errand.query.question;
                let message = response::with_question(&message, asked).unwrap_or(message);
                match Response::read(message, asked) {
                    Ok((response, _)) if response.truncated() => return Err(NoResponse::Truncated.into()),
                    Ok((response, _)) => return Ok(response),
                    Err(NoResponse::OtherQuestion) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            self.stray();
        }
    }
}
