//! Layout of calls at the WebAssembly boundary. Calls consist of numbers and bytes, because other values are
//! cloned or read field by field. [`Field`] and [`Flag`] are the only definition of the numbers. JavaScript
//! (`js/signing/seal/layout.ts`) reads them from the generated glue code.
//!
//! A single call passes two byte strings: first its payload, and second the previous payload followed by the tag. A
//! group passes one byte string, with the payloads and tags of all its calls. A digest is at the start of the place
//! of its payload. The place may be longer than the digest, because the digest can overwrite the payload.

use crate::{
    bundle::Action,
    digest::{Hash, Payload},
    error::{Code, Result},
    inputs::Short,
    limits::MAX_INPUTS,
    seal::Call,
};
use alloc::{format, vec::Vec};
use core::str;
use wasm_bindgen::prelude::wasm_bindgen;

/// Indices of a call's 32-bit numbers.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Number of the action.
    Action = 0,
    /// Bits of the annotators. Bit n is set if annotator n was asked.
    Asked = 1,
    /// Bits of the annotators. Bit n is set if annotator n is satisfied.
    Answers = 2,
    /// Lower half of the time in microseconds.
    MicrosLow = 3,
    /// Upper half of the time in microseconds.
    MicrosHigh = 4,
    /// First of three numbers with 96 fresh random bits, the lowest first.
    Entropy = 5,
    /// Length of the payload in bytes, for a call in a group.
    Length = 8,
    /// Length in bytes of the previous payload, or of the inputs in its place. 0 without either.
    PreviousLength = 9,
    /// Bits of [`Flag`].
    Flags = 10,
    /// Length in bytes of the call's own tag. 0 without a tag.
    TagLength = 11,
    /// Number of fields, not a field.
    Numbers = 12,
}

/// Number of 32-bit numbers in a call.
pub const NUMBERS: usize = Field::Numbers as usize;

/// Flags of a call: its optional parts, and the form of its payloads.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// The payload is a digest.
    Digest = 1,
    /// The call has a previous payload.
    Previous = 2,
    /// The previous payload is a digest.
    PreviousDigest = 4,
    /// The call has its own tag.
    Tag = 8,
    /// The call has inputs in the place of a previous payload: their number, in four bytes, least significant first,
    /// and their root. The signature covers the number and the root.
    Inputs = 16,
}

/// Reads a single call.
///
/// `more` has the bytes that would follow the payload in a group.
///
/// # Errors
/// `CONFIG_INVALID` for an action that does not exist, or a wrong number of 32-bit numbers.
pub fn call<'a>(numbers: &[u32], payload: &'a [u8], mut more: &'a [u8], hash: Hash) -> Result<Call<'a>> {
    let numbers: &[u32; NUMBERS] = numbers.try_into().map_err(|_| {
        Code::ConfigInvalid.error(format!("call: expected {NUMBERS} numbers, got {}", numbers.len()))
    })?;
    call_of(numbers, payload, &mut more, hash)
}

/// Reads the calls of a group. If a length goes beyond the end, the remaining bytes are used.
///
/// # Errors
/// `CONFIG_INVALID` for an action that does not exist.
pub fn calls<'a>(numbers: &[u32], mut bytes: &'a [u8], hash: Hash) -> Result<Vec<Call<'a>>> {
    let (numbers, _) = numbers.as_chunks::<NUMBERS>();
    let mut calls = Vec::with_capacity(numbers.len());
    for call in numbers {
        let payload = take(&mut bytes, call[Field::Length as usize] as usize);
        calls.push(call_of(call, payload, &mut bytes, hash)?);
    }
    Ok(calls)
}

fn call_of<'a>(
    numbers: &[u32; NUMBERS],
    payload: &'a [u8],
    more: &mut &'a [u8],
    hash: Hash,
) -> Result<Call<'a>> {
    let number = |field: Field| numbers[field as usize];
    let has = |flag: Flag| number(Field::Flags) & flag as u32 != 0;
    let entropy = |at: usize| u128::from(numbers[Field::Entropy as usize + at]) << (32 * at);
    let previous = take(more, number(Field::PreviousLength) as usize);
    let tag = take(more, number(Field::TagLength) as usize);
    Ok(Call {
        action: Action::numbered(number(Field::Action) as usize)?,
        payload: payload_of(payload, has(Flag::Digest), hash),
        previous: has(Flag::Previous).then(|| payload_of(previous, has(Flag::PreviousDigest), hash)),
        inputs: if has(Flag::Inputs) { Some(inputs_of(previous)?) } else { None },
        asked: number(Field::Asked),
        answers: number(Field::Answers),
        micros: u64::from(number(Field::MicrosLow)) | u64::from(number(Field::MicrosHigh)) << 32,
        entropy: entropy(0) | entropy(1) | entropy(2),
        // JavaScript writes only valid UTF-8.
        tag: has(Flag::Tag).then(|| str::from_utf8(tag).unwrap_or_default()),
    })
}

#[inline(never)]
fn inputs_of(place: &[u8]) -> Result<Short> {
    let inputs = place.split_first_chunk().and_then(|(size, root)| {
        let size = u32::from_le_bytes(*size) as usize;
        Some(Short { size, root: root.try_into().ok()? }).filter(|_| (1..=MAX_INPUTS).contains(&size))
    });
    inputs.ok_or_else(|| {
        Code::PayloadInvalid.error(format!("inputs: expected 1 to {MAX_INPUTS}, and their root"))
    })
}

fn payload_of(place: &[u8], is_digest: bool, hash: Hash) -> Payload<'_> {
    match hash.digest_length() {
        Some(most) if is_digest => Payload::Digest(&place[..most.min(place.len())]),
        _ => Payload::Bytes(place),
    }
}

/// Splits concatenated byte strings. If a length goes beyond the end, the remaining bytes are used.
pub fn split<'a>(mut joined: &'a [u8], lengths: &[u32]) -> Vec<&'a [u8]> {
    lengths.iter().map(|&length| take(&mut joined, length as usize)).collect()
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    taken
}

/// Concatenates the lengths of messages, 32 bits each and little-endian, and then the messages.
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
