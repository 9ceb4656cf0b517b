//! Tests that hashing in four lanes has the same digests as the crate sha2.

use alvarium_core::sha256x4::digests;
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

fn assert_same(payloads: &[Vec<u8>]) {
    let slices: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
    let expected: Vec<[u8; 32]> = slices.iter().map(|payload| Sha256::digest(payload).into()).collect();
    assert_eq!(digests(&slices), expected);
}

#[test]
fn every_length_around_the_block_boundaries() {
    for length in (0..200).chain([511, 512, 513, 4095, 20_000]) {
        let payload: Vec<u8> = (0..length).map(|at: usize| at as u8).collect();
        assert_same(&vec![payload; 4]);
    }
}

proptest! {
    #[test]
    fn any_number_of_payloads_of_any_lengths(payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..700), 0..13)) {
        assert_same(&payloads);
    }
}
