//! SHA-256 (FIPS 180-4 §6.2) of four payloads at a time, one in each lane of a vector.
//!
//! The rounds of one payload depend on each other, but those of four payloads do not. Thus each vector instruction of
//! WebAssembly (`lanes`) computes a step of four payloads. The code of the rounds is the same on all platforms.
//! Without the feature `simd`, `sha2` hashes one payload after another.

use crate::lanes::{LANES, Lanes};
use alloc::vec::Vec;
use sha2::{Digest as _, Sha256, block_api::compress256};

/// SHA-256 digest of a payload.
pub type Digest = [u8; 32];

const BLOCK: usize = 64;
/// Minimum group size for lanes, which take a little more than twice as long as one payload alone.
const WORTH_LANES: usize = 3;

/// Initial hash value: the first 32 bits of the fractional parts of the square roots of the first 8
/// primes (FIPS 180-4 §5.3.3).
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes
/// (FIPS 180-4 §4.2.2).
const ROUND: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// Returns the digests of all payloads, in order. Groups of four with about the same length are fastest.
pub fn digests(payloads: &[&[u8]]) -> Vec<Digest> {
    let mut digests = Vec::with_capacity(payloads.len());
    for group in payloads.chunks(LANES) {
        if cfg!(not(feature = "simd")) || group.len() < WORTH_LANES {
            digests.extend(group.iter().map(|payload| Digest::from(Sha256::digest(payload))));
        } else {
            // Repeat the last payload if the group is not full, because an idle lane costs the same.
            let lane = |at: usize| Padded::new(group[at.min(group.len() - 1)]);
            let states = digest4(&[lane(0), lane(1), lane(2), lane(3)]);
            digests.extend_from_slice(&states[..group.len()]);
        }
    }
    digests
}

fn digest4(payloads: &[Padded<'_>; LANES]) -> [Digest; LANES] {
    let blocks = |lane: usize| payloads[lane].blocks();
    let common = (0..LANES).map(blocks).min().unwrap_or(0);
    let mut state = INITIAL.map(Lanes::splat);
    for at in 0..common {
        compress4(&mut state, &[0, 1, 2, 3].map(|lane| payloads[lane].block(at)));
    }
    [0, 1, 2, 3].map(|lane| {
        let mut own = state.map(|word| word.to_array()[lane]);
        for at in common..blocks(lane) {
            compress256(&mut own, &[*payloads[lane].block(at)]);
        }
        to_digest(&own)
    })
}

fn to_digest(state: &[u32; 8]) -> Digest {
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// A payload with its padding (FIPS 180-4 §5.1.1): the whole blocks, and one or two blocks with the rest
/// and the padding.
struct Padded<'a> {
    whole: &'a [[u8; BLOCK]],
    tail: [[u8; BLOCK]; 2],
    tail_blocks: usize,
}

impl<'a> Padded<'a> {
    fn new(payload: &'a [u8]) -> Self {
        let (whole, rest) = payload.as_chunks::<BLOCK>();
        let mut tail = [[0; BLOCK]; 2];
        tail[0][..rest.len()].copy_from_slice(rest);
        tail[0][rest.len()] = 0x80;
        let tail_blocks = if rest.len() < BLOCK - 8 { 1 } else { 2 };
        let bits = (payload.len() as u64) * 8;
        tail[tail_blocks - 1][BLOCK - 8..].copy_from_slice(&bits.to_be_bytes());
        Self { whole, tail, tail_blocks }
    }

    fn blocks(&self) -> usize {
        self.whole.len() + self.tail_blocks
    }

    fn block(&self, at: usize) -> &[u8; BLOCK] {
        self.whole.get(at).unwrap_or_else(|| &self.tail[at - self.whole.len()])
    }
}

/// Hashes one block of each payload (FIPS 180-4 §6.2.2). The message schedule has sixteen words, replaced
/// round by round.
fn compress4(state: &mut [Lanes; 8], blocks: &[&[u8; BLOCK]; LANES]) {
    let mut schedule = Lanes::load(blocks);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, constant) in ROUND.into_iter().enumerate() {
        let at = round % 16;
        if round >= 16 {
            schedule[at] = schedule[at]
                + small_sigma0(schedule[(at + 1) % 16])
                + schedule[(at + 9) % 16]
                + small_sigma1(schedule[(at + 14) % 16]);
        }
        let choose = (e & (f ^ g)) ^ g;
        let majority = (a & (b ^ c)) ^ (b & c);
        let first = h + big_sigma1(e) + choose + Lanes::splat(constant) + schedule[at];
        let second = big_sigma0(a) + majority;
        (h, g, f, e, d, c, b, a) = (g, f, e, d + first, c, b, a, first + second);
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = *word + add;
    }
}

#[inline(always)]
fn big_sigma0(x: Lanes) -> Lanes {
    x.rotate_right(2) ^ x.rotate_right(13) ^ x.rotate_right(22)
}

#[inline(always)]
fn big_sigma1(x: Lanes) -> Lanes {
    x.rotate_right(6) ^ x.rotate_right(11) ^ x.rotate_right(25)
}

#[inline(always)]
fn small_sigma0(x: Lanes) -> Lanes {
    x.rotate_right(7) ^ x.rotate_right(18) ^ x.shift_right(3)
}

#[inline(always)]
fn small_sigma1(x: Lanes) -> Lanes {
    x.rotate_right(17) ^ x.rotate_right(19) ^ x.shift_right(10)
}
