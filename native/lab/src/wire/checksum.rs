//! The Internet checksum (RFC 1071).

/// The complement of the sum, ready to be written; `start` is the sum of what else is covered.
pub fn finish(start: u32, octets: &[u8]) -> u16 {
    let mut sum = u64::from(start) + sum(octets);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Of the pseudo-header of RFC 9293 section 3.1 and RFC 8200 section 8.1; `addresses` are source and destination.
pub fn pseudo_header(addresses: &[u8], protocol: u8, length: usize) -> u32 {
    sum(addresses) as u32 + u32::from(protocol) + length as u32
}

fn sum(octets: &[u8]) -> u64 {
    let pairs = octets.chunks_exact(2);
    let odd = pairs.remainder().first().map_or(0, |&last| u64::from(last) << 8);
    pairs.map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]]))).sum::<u64>() + odd
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_as_rfc_1071_does() {
        assert_eq!(finish(0, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
        assert_eq!(finish(0, &[0xff]), !0xff00, "an odd octet is padded behind");
        assert_eq!(finish(0, &[0xff; 65_535]), !0xff00, "carries are added as often as they occur");
    }
}
