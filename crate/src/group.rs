//! Many calls in one crossing of the WebAssembly boundary: as numbers and bytes, because whatever else crosses is cloned
//! or read field by field. JavaScript's side of it is `js/group/packer.ts`.
//!
//! Each call has [`NUMBERS`] numbers of 32 bits: action; which annotators were asked, and their answers, as bits; the
//! time's lower and upper half; the entropy, lowest first; the lengths of payload and previous payload, [`ABSENT`] when
//! there is none; and flags, bit 0 when the payload is a digest, bit 1 when the previous one is. The payloads stand one
//! behind the other. A digest is at the beginning of its place, which may be longer: it can be put where its payload was.

use crate::{
    bundle::Action,
    digest::{Hash, Payload},
    error::Result,
    seal::Call,
};
use alloc::vec::Vec;

/// How many numbers a call has.
pub const NUMBERS: usize = 11;
/// The length of a payload that is not there.
pub const ABSENT: u32 = u32::MAX;

/// The calls of a group. Lengths that go beyond the end take what there is.
///
/// # Errors
/// `CONFIG_INVALID` for an action that does not exist.
pub fn calls<'a>(numbers: &[u32], mut bytes: &'a [u8], hash: Hash) -> Result<Vec<Call<'a>>> {
    let (numbers, _) = numbers.as_chunks::<NUMBERS>();
    let mut calls = Vec::with_capacity(numbers.len());
    for call in numbers {
        calls.push(next_call(call, &mut bytes, hash)?);
    }
    Ok(calls)
}

fn next_call<'a>(numbers: &[u32; NUMBERS], bytes: &mut &'a [u8], hash: Hash) -> Result<Call<'a>> {
    let [action, asked, answers, low, high, e0, e1, e2, length, previous_length, flags] = *numbers;
    let mut next = |length: u32, is_digest: bool| {
        let place = take(bytes, length as usize);
        match hash.digest_length() {
            Some(most) if is_digest => Payload::Digest(&place[..most.min(place.len())]),
            None if is_digest => Payload::Digest(place),
            _ => Payload::Bytes(place),
        }
    };
    Ok(Call {
        action: Action::numbered(action as usize)?,
        payload: next(length, flags & 1 == 1),
        previous: (previous_length != ABSENT).then(|| next(previous_length, flags >> 1 & 1 == 1)),
        asked,
        answers,
        micros: u64::from(low) | u64::from(high) << 32,
        entropy: entropy(e0, e1, e2),
    })
}

/// The entropy of an id, out of the numbers it crossed as, lowest first.
pub fn entropy(e0: u32, e1: u32, e2: u32) -> u128 {
    u128::from(e0) | u128::from(e1) << 32 | u128::from(e2) << 64
}

/// Byte strings that stand one behind the other. Lengths that go beyond the end take what there is.
pub fn split<'a>(mut joined: &'a [u8], lengths: &[u32]) -> Vec<&'a [u8]> {
    lengths.iter().map(|&length| take(&mut joined, length as usize)).collect()
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    taken
}

/// Messages one behind the other, after their lengths of 32 bits each, little-endian.
pub fn joined(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(messages.iter().map(|message| 4 + message.len()).sum());
    for message in messages {
        joined.extend_from_slice(&(message.len() as u32).to_le_bytes());
    }
    for message in messages {
        joined.extend_from_slice(message);
    }
    joined
}
