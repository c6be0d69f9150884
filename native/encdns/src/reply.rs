//! The data of the TXT record that carries a boxed response.

use crate::HalfNonce;

/// The record's data may have 65,535 octets, of which each character string takes one for its length (RFC 1035 section 3.3).
const LONGEST_STRING: usize = 255;
const NONCES: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxedReply {
    pub client: HalfNonce,
    pub server: HalfNonce,
    pub boxed: Vec<u8>,
}

impl BoxedReply {
    pub fn data(&self) -> Vec<u8> {
        let octets = [&self.client[..], &self.server, &self.boxed].concat();
        let strings = octets.chunks(LONGEST_STRING);
        strings.flat_map(|string| std::iter::once(string.len() as u8).chain(string.iter().copied())).collect()
    }

    /// `None`: these are no character strings, or too few octets.
    pub fn read(mut data: &[u8]) -> Option<Self> {
        let mut octets = Vec::with_capacity(data.len());
        while let Some((length, rest)) = data.split_first() {
            let (string, behind) = rest.split_at_checked(usize::from(*length))?;
            octets.extend_from_slice(string);
            data = behind;
        }
        let (nonces, boxed) = octets.split_at_checked(NONCES)?;
        let (client, server) = nonces.split_at(12);
        Some(Self { client: client.try_into().ok()?, server: server.try_into().ok()?, boxed: boxed.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written_whatever_its_length() {
        for length in [0, 1, 231, 232, 486, 60_000] {
            let reply = BoxedReply { client: [1; 12], server: [2; 12], boxed: vec![3; length] };
            let data = reply.data();
            assert_eq!(BoxedReply::read(&data), Some(reply), "{length}");
            assert_eq!(BoxedReply::read(&data[..data.len() - 1]), None, "{length}, cut");
        }
        assert_eq!(BoxedReply::read(&[]), None);
    }
}
