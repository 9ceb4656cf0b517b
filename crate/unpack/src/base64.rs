//! Decodes base64 (RFC 4648, section 4) in place. This works because the output is never ahead of the input.

/// Decodes `text` into its own beginning, and returns the number of bytes written. Padding ends the input.
pub fn decode(text: &mut [u8]) -> usize {
    let (mut written, mut bits, mut count) = (0, 0, 0);
    for at in 0..text.len() {
        let Some(value) = value_of(text[at]) else { break };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            text[written] = (bits >> count) as u8;
            written += 1;
        }
    }
    written
}

fn value_of(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
