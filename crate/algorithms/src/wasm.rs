//! Boundary to JavaScript, without logic. A private key is passed as the bytes of [`KeyPair::to_bytes`], and a public
//! key as the number of an [`Algorithm`] and a point. Only `js/foundation/algorithms` calls these functions, and
//! documents them.

#![allow(missing_docs, reason = "the documentation is that of the items each one calls")]

use crate::{algorithm::Algorithm, ecdsa, keys::KeyPair, secrets::wipe_stack, signature};
use alloc::vec::Vec;
use wasm_bindgen::prelude::wasm_bindgen;

/// Runs code that uses a private key, and then wipes the stack.
fn wiping<T>(run: impl FnOnce() -> T) -> T {
    let result = below(run);
    wipe_stack();
    result
}

/// Runs code in a separate stack frame, because [`wipe_stack`] could not wipe the caller's frame.
#[inline(never)]
fn below<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// Returns the bytes of the pair, or a zero and the text of the fault. No algorithm has the number zero.
fn pair_or_fault(pair: Result<KeyPair, &str>) -> Vec<u8> {
    pair.map_or_else(|fault| [&[0], fault.as_bytes()].concat(), |pair| pair.to_bytes())
}

#[wasm_bindgen(js_name = readKeyPair)]
pub fn read_key_pair(der: &[u8]) -> Vec<u8> {
    wiping(|| pair_or_fault(KeyPair::read(der)))
}

#[wasm_bindgen(js_name = generatedKeyPair)]
pub fn generated_key_pair(algorithm: u8, candidates: &[u8]) -> Option<Vec<u8>> {
    wiping(|| Some(KeyPair::generate(Algorithm::numbered(algorithm)?, candidates)?.to_bytes()))
}

#[wasm_bindgen(js_name = pkcs8Of)]
pub fn pkcs8_of(pair: &[u8]) -> Option<Vec<u8>> {
    wiping(|| KeyPair::from_bytes(pair)?.to_pkcs8())
}

/// Returns the 64 bytes of the signature, followed by the recovery id.
#[wasm_bindgen]
pub fn sign(pair: &[u8], bytes: &[u8], entropy: &[u8]) -> Option<Vec<u8>> {
    let (signature, id) = wiping(|| KeyPair::from_bytes(pair)?.sign(bytes, entropy))?;
    Some([&signature[..], &[id]].concat())
}

#[wasm_bindgen]
pub fn verifies(algorithm: u8, point: &[u8], bytes: &[u8], signature: &[u8]) -> bool {
    let (Ok(point), Ok(signature)) = (point.try_into(), signature.try_into()) else { return false };
    Algorithm::numbered(algorithm).is_some_and(|own| signature::verifies(own, point, bytes, signature))
}

#[wasm_bindgen]
pub fn recovered(bytes: &[u8], signature: &[u8], id: u8) -> Option<Vec<u8>> {
    Some(ecdsa::recovered(bytes, signature.try_into().ok()?, id)?.to_vec())
}

#[wasm_bindgen]
pub fn canonical(algorithm: u8, signature: &[u8]) -> Option<Vec<u8>> {
    Some(signature::canonical(Algorithm::numbered(algorithm)?, signature)?.to_vec())
}
