//! Reads the inputs of a bundle from a message.

use super::source::{Key, Source};
use crate::{
    digest::Hash,
    error::Result,
    inputs::{Input, Inputs, Short},
    limits::MAX_INPUTS,
    merkle::Node,
};
use alloc::format;

/// Reads the list of inputs, or only their number and root, which the signature covers.
#[inline(never)]
pub(super) fn read_inputs<'a>(source: &mut dyn Source<'a>) -> Result<Inputs<'a>> {
    let inputs = if source.is_array() {
        Inputs::All(source.list("inputs", MAX_INPUTS, read_input)?)
    } else {
        Inputs::Short(read_short(source)?)
    };
    let count = match &inputs {
        Inputs::All(inputs) => inputs.len(),
        Inputs::Short(short) => short.size,
    };
    if (1..=MAX_INPUTS).contains(&count) {
        return Ok(inputs);
    }
    Err(source.error(&format!("inputs: expected 1 to {MAX_INPUTS}, got {count}")))
}

#[inline(never)]
fn read_input<'a>(source: &mut dyn Source<'a>) -> Result<Input<'a>> {
    let (mut hash, mut key, mut set) = (None, None, None);
    source.object(&mut |source, name| match name {
        "hash" => source.text(name, &mut hash),
        "key" => source.once(name, &mut key, |source| source.key()),
        "set" => source.once(name, &mut set, |source| source.node()),
        _ => Err(source.unknown(name)),
    })?;
    let input = match (hash, key, set) {
        (Some(hash), Some(key), None) => payload(&hash, key),
        (None, None, Some(set)) => Some(Input::Set(set)),
        _ => None,
    };
    input.ok_or_else(|| source.error("inputs: expected hash and a key of it, or a set"))
}

/// Makes an input from a hash and a key. In CBOR, the key must be bytes for a digest, and text otherwise.
fn payload<'a>(hash: &str, key: Key<'a>) -> Option<Input<'a>> {
    let hash = Hash::parse(hash)?;
    let is_digest = hash.digest_length().is_some();
    let fits = hash.is_key(&key.text) && key.is_bytes.is_none_or(|is_bytes| is_bytes == is_digest);
    fits.then_some(Input::Payload { hash, key: key.text })
}

fn read_short<'a>(source: &mut dyn Source<'a>) -> Result<Short> {
    let (mut size, mut root): (_, Option<Node>) = (None, None);
    source.object(&mut |source, name| match name {
        "size" => source.once(name, &mut size, |source| source.unsigned()),
        "root" => source.once(name, &mut root, |source| source.node()),
        _ => Err(source.unknown(name)),
    })?;
    let short = size.zip(root).map(|(size, root)| Short { size, root });
    short.ok_or_else(|| source.error("inputs: expected size and root"))
}
