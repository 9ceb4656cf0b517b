//! Verification: a list of checks, each with a code of its own.

use crate::{
    bundle::{Bundle, quote},
    digest::{Hash, Payload},
    error::{Code, Result},
    identity::identity_bytes,
    keys::Keyring,
    message::{SignedBundle, json},
};

/// Verifies that a message is sound, and signed by a key in the keyring.
///
/// # Errors
/// - `MESSAGE_MALFORMED`: not a message, or not a sound one
/// - `SIGNER_UNKNOWN`: signed by nobody in the keyring
/// - `SIGNATURE_INVALID`: not what was signed
pub fn verify<'a>(message: &'a [u8], keyring: &Keyring) -> Result<Bundle<'a>> {
    let signed = json::decode(message)?;
    check_signature(&signed, keyring)?;
    Ok(signed.bundle)
}

fn check_signature(signed: &SignedBundle<'_>, keyring: &Keyring) -> Result<()> {
    let key = keyring.find(signed.bundle.signer)?;
    if key.verifies(&identity_bytes(&signed.bundle), &signed.signature) {
        return Ok(());
    }
    let (expected, got) = (key.id(), "one that does not verify: something was altered");
    Err(Code::SignatureInvalid
        .error(format!("signature: expected one by {} over these contents, got {got}", expected.as_str())))
}

/// Verifies that a bundle with this hash and key speaks about `payload`.
///
/// # Errors
/// `PAYLOAD_MISMATCH` when it speaks about another one.
pub fn check_payload(hash: Hash, key: &str, payload: Payload<'_>) -> Result<()> {
    // A payload that this hash cannot take has no key, so it is another one.
    if hash.key_of(payload).is_ok_and(|own| own == key) {
        return Ok(());
    }
    let (hash, key) = (hash.as_str(), quote(key));
    Err(Code::PayloadMismatch.error(format!("payload: expected the one with {hash} key {key}, got another")))
}
