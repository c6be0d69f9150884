//! What is left behind the last whole record of a file: the beginning of one more, because its writer was stopped or the disk was
//! full; or damage.

/// What programs capture of a packet at most, as libpcap has it.
const LONGEST_PACKET: u32 = 262_144;
/// A captured packet's header in pcap.
const HEADER: usize = 16;
/// Blocks of pcapng: a section, an interface, packets (old, simple, enhanced), names, statistics, a journal, secrets, and what their
/// writers made up.
const BLOCKS: [u32; 11] = [0x0a0d_0d0a, 1, 2, 3, 4, 5, 6, 9, 10, 0x0bad, 0x4000_0bad];

/// How numbers are written in a pcap file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legacy {
    pub big_endian: bool,
    /// fractions of a second count nanoseconds, not microseconds
    pub nanoseconds: bool,
}

impl Legacy {
    pub fn begins_packet(self, rest: &[u8]) -> bool {
        // a part of a header may be anything
        let Some(header) = rest.first_chunk::<HEADER>() else { return true };
        let [_, fraction, captured, original] = [0, 4, 8, 12].map(|at| {
            let word = [header[at], header[at + 1], header[at + 2], header[at + 3]];
            if self.big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
        });
        let fractions = if self.nanoseconds { 1_000_000_000 } else { 1_000_000 };
        fraction < fractions && captured <= LONGEST_PACKET && captured <= original
    }
}

/// A block of pcapng, in either order of octets.
pub fn begins_block(rest: &[u8]) -> bool {
    let Some(kind) = rest.first_chunk() else { return true };
    BLOCKS.contains(&u32::from_le_bytes(*kind)) || BLOCKS.contains(&u32::from_be_bytes(*kind))
}

/// A message of dnstap.proto: identity, version, extra, message or type, in whatever order.
pub fn begins_dnstap(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(0x0a | 0x12 | 0x1a | 0x72 | 0x78))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_packet_is_told_from_damage() {
        let header = |words: [u32; 4]| words.map(u32::to_le_bytes).concat();
        let legacy = Legacy { big_endian: false, nanoseconds: false };
        for (words, begins) in [
            ([100, 999_999, 60, 60], true),
            ([100, 0, 60, 1_500], true),
            ([100, 1_000_000, 60, 60], false),
            ([100, 0, 61, 60], false),
            ([100, 0, 262_144, 262_144], true),
            ([100, 0, 262_145, 300_000], false),
        ] {
            assert_eq!(legacy.begins_packet(&header(words)), begins, "{words:?}");
        }
        assert!(Legacy { nanoseconds: true, ..legacy }.begins_packet(&header([100, 999_999_999, 60, 60])));
        let swapped: Vec<u8> = [100u32, 0, 60, 60].map(u32::to_be_bytes).concat();
        assert!(Legacy { big_endian: true, ..legacy }.begins_packet(&swapped));
        assert!(!legacy.begins_packet(&swapped));
        assert!(legacy.begins_packet(&[0xff; 15]));
    }

    #[test]
    fn the_beginnings_of_blocks_and_frames_are_told_from_damage() {
        assert!(begins_block(&[6, 0, 0, 0, 0xff]) && begins_block(&[0, 0, 0, 6]) && begins_block(&[0xff; 3]));
        assert!(!begins_block(&[0xff; 4]) && !begins_block(&[0; 4]));
        assert!(begins_dnstap(&[]) && begins_dnstap(&[0x72, 0xff]));
        assert!(!begins_dnstap(&[0xff]) && !begins_dnstap(&[0]));
    }
}
