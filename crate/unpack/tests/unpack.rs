//! Tests that the decoder restores the input of an independent encoder.

use lzma_rust2::{LzmaOptions, LzmaWriter};
use proptest::{collection::vec, prelude::*};
use std::io::Write;
use unpack::{base64, lzma};

/// Packs bytes like `xtask`: raw LZMA, with the only setting that the decoder accepts.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let smallest = LzmaOptions { dict_size: 1 << 20, ..LzmaOptions::with_preset(9) };
    let options = LzmaOptions { lc: 3, lp: 0, pb: 0, ..smallest };
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0xaa; bytes.len()];
    lzma::unpack(&packed(bytes), &mut out);
    out
}

/// Generates bytes that repeat earlier ones in many ways: from near and far, long and short.
fn repetitive() -> impl Strategy<Value = Vec<u8>> {
    let piece = (vec(any::<u8>(), 0..6), 1usize..70_000, 0usize..400);
    vec(piece, 1..60).prop_map(|pieces| {
        pieces.into_iter().fold(Vec::new(), |mut all, (new, distance, length)| {
            all.extend(new);
            for _ in 0..if all.is_empty() { 0 } else { length } {
                all.push(all[all.len() - 1 - (distance - 1) % all.len()]);
            }
            all
        })
    })
}

#[test]
fn nothing_is_unpacked_to_nothing() {
    assert_eq!(unpacked(b""), b"");
}

#[test]
fn a_megabyte_whose_parts_lie_far_apart() {
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let start: Vec<u8> = (0..500_000).map(|_| random()).collect();
    let bytes = [&start[..], &start[1000..400_000], &start[7..]].concat();
    assert!(packed(&bytes).len() < 520_000);
    assert_eq!(unpacked(&bytes), bytes);
}

#[test]
fn a_long_text() {
    let text = include_bytes!("../../Cargo.lock");
    assert_eq!(unpacked(text), text);
}

#[test]
#[should_panic]
fn what_no_encoder_made_ends() {
    lzma::unpack(&[0xff; 5], &mut [0; 100_000]);
}

proptest! {
    // Run few cases, because packing takes far longer than the tested code.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..4000)) {
        prop_assert_eq!(unpacked(&bytes), bytes);
    }

    #[test]
    fn bytes_that_repeat(bytes in repetitive()) {
        prop_assert_eq!(unpacked(&bytes), bytes);
    }

    #[test]
    fn what_is_damaged_ends(bytes in repetitive(), at in any::<prop::sample::Index>(), with in any::<u8>()) {
        let mut damaged = packed(&bytes);
        *at.get_mut(&mut damaged) ^= with;
        // The decoder must end: it may panic, or return other bytes.
        let _ = std::panic::catch_unwind(|| lzma::unpack(&damaged, &mut vec![0; bytes.len()]));
    }

    #[test]
    fn base64_of_any_bytes(bytes in vec(any::<u8>(), 0..300)) {
        let mut text = base64_of(&bytes).into_bytes();
        let length = base64::decode(&mut text);
        prop_assert_eq!(&text[..length], &bytes[..]);
    }
}

/// Encodes base64 bit by bit (RFC 4648), with padding.
fn base64_of(bytes: &[u8]) -> String {
    let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    let mut text: String = bits
        .chunks(6)
        .map(|six| alphabet[(0..6).fold(0, |value, at| value << 1 | usize::from(*six.get(at).unwrap_or(&0)))])
        .collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}
