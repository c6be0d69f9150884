//! Sockets that somebody else has bound for us. They stay bound while this server ends and another one starts, and connections wait in
//! them.

use std::io;

use socket2::{Socket, Type};
use tokio::net::{TcpListener, UdpSocket};

use crate::fast_open;
use crate::listen::{bound_buffers, enlarge_buffers};

/// By the door that they are for.
#[derive(Debug, Default)]
pub struct HandedOver {
    /// Listeners, and sockets for datagrams.
    pub starttls: Vec<Socket>,
    /// Listeners.
    pub dot: Vec<Socket>,
}

#[derive(Debug, thiserror::Error)]
pub enum HandedOverError {
    #[error("a socket that was handed over for {door} {what}")]
    Unfit { door: &'static str, what: &'static str },
    #[error("a socket that was handed over cannot be used: {0}")]
    System(#[from] io::Error),
}

impl HandedOver {
    pub(crate) fn join(
        self,
        starttls: &mut Vec<TcpListener>,
        datagrams: &mut Vec<UdpSocket>,
        dot: &mut Vec<TcpListener>,
    ) -> Result<(), HandedOverError> {
        for socket in self.starttls {
            if prepare(&socket, "starttls")? == Type::DGRAM {
                enlarge_buffers(&socket);
                datagrams.push(UdpSocket::from_std(socket.into())?);
            } else {
                starttls.push(listener(socket, "starttls")?);
            }
        }
        for socket in self.dot {
            if prepare(&socket, "dot")? == Type::DGRAM {
                let what = "is for datagrams, which TLS is not sent in: remove ListenDatagram= from its .socket unit";
                return Err(HandedOverError::Unfit { door: "dot", what });
            }
            dot.push(listener(socket, "dot")?);
        }
        Ok(())
    }
}

/// Its type.
fn prepare(socket: &Socket, door: &'static str) -> Result<Type, HandedOverError> {
    #[cfg(unix)]
    socket.set_cloexec(true)?;
    socket.set_nonblocking(true)?;
    let is_of_the_network = socket.local_addr()?.as_socket().is_some();
    let what = "has no IP address: name one in ListenStream= of its .socket unit";
    is_of_the_network.then_some(()).ok_or(HandedOverError::Unfit { door, what })?;
    Ok(socket.r#type()?)
}

fn listener(socket: Socket, door: &'static str) -> Result<TcpListener, HandedOverError> {
    #[cfg(target_os = "linux")]
    if !socket.is_listener()? {
        let what = "is one connection: remove Accept=yes from its .socket unit";
        return Err(HandedOverError::Unfit { door, what });
    }
    bound_buffers(&socket);
    // where Fast Open is impossible, connections open without it
    let _ = fast_open::allow(&socket);
    Ok(TcpListener::from_std(socket.into())?)
}
