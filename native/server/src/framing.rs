//! Messages behind their length in two octets (RFC 1035 section 4.2.2).

/// The first message, if it is whole.
pub fn frame(input: &[u8]) -> Option<&[u8]> {
    let length = input.get(..2)?;
    input.get(2..2 + usize::from(u16::from_be_bytes([length[0], length[1]])))
}

/// Of the message that is the last in `output`.
pub fn set_length(output: &mut [u8], frame_at: usize) {
    let octets = (output.len() - frame_at - 2) as u16;
    output[frame_at..frame_at + 2].copy_from_slice(&octets.to_be_bytes());
}
