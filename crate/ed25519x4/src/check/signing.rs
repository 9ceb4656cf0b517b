//! Checks signatures against those of ed25519-dalek.

use super::random::Random;
use crate::SigningKey;
use alloc::vec::Vec;
use ed25519_dalek::Signer as _;

/// Number of messages signed with each key.
const EACH: usize = 64;

/// Checks `count` signatures of random messages, made one by one and in groups.
pub fn signatures(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count.div_ceil(EACH) {
        let seed = random.bytes();
        let (own, dalek) = (SigningKey::from_bytes(&seed), ed25519_dalek::SigningKey::from_bytes(&seed));
        assert_eq!(own.verifying_key().to_bytes(), dalek.verifying_key().to_bytes(), "{seed:?}");
        let messages: Vec<[u8; 200]> = (0..EACH).map(|_| random.bytes()).collect();
        let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..random.below(201)]).collect();
        let expected: Vec<_> = messages.iter().map(|message| dalek.sign(message)).collect();
        assert_eq!(own.sign_many(&messages), expected, "{seed:?}");
        for (message, expected) in messages.iter().zip(&expected) {
            assert_eq!(own.sign(message), *expected, "{seed:?} {message:?}");
        }
    }
}
