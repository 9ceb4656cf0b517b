//! Searches for special bytes in JSON strings.

/// Returns the length of the first part of a JSON string without quotation marks, backslashes and control characters.
/// It checks sixteen bytes at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<16>();
    let at = |(at, chunk)| match special_bits(chunk) {
        0 => None,
        bits => Some(16 * at + bits.trailing_zeros() as usize),
    };
    let in_rest = || 16 * chunks.len() + rest.iter().take_while(|&&byte| !is_special(byte)).count();
    chunks.iter().enumerate().find_map(at).unwrap_or_else(in_rest)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Returns a mask with bit n set if byte n is special. The compiler makes one vector load of the two halves.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn special_bits(chunk: &[u8; 16]) -> u16 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};
    let [low, high] = [0, 8].map(|at| u64::from_le_bytes(chunk[at..at + 8].try_into().unwrap_or_default()));
    let bytes = u64x2(low, high);
    let is = |byte| u8x16_eq(bytes, u8x16_splat(byte));
    u8x16_bitmask(v128_or(v128_or(is(b'"'), is(b'\\')), u8x16_lt(bytes, u8x16_splat(0x20))))
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn special_bits(chunk: &[u8; 16]) -> u16 {
    chunk.iter().rev().fold(0, |bits, &byte| bits << 1 | u16::from(is_special(byte)))
}
