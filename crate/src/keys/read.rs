//! Reads keys from files and other programs, and recognises them by their form.
//!
//! The caller decodes text containers (PEM, JWK), and passes bytes or hexadecimal.

use super::{signing::SigningKey, verifying::VerifyingKey};
use crate::{
    digest::decode_hex,
    error::{Code, Error, Result},
};
use alloc::{format, vec, vec::Vec};
use zeroize::Zeroizing;

const PRIVATE: Field = Field {
    name: "signingKey",
    forms: "seed and public key of 64 bytes, their hexadecimal, or PKCS#8",
    digits: "128 hexadecimal digits",
};
const PUBLIC: Field = Field {
    name: "verifyingKey",
    forms: "32 bytes, their hexadecimal, or SubjectPublicKeyInfo",
    digits: "64 hexadecimal digits",
};

/// Prefix of the SubjectPublicKeyInfo of an Ed25519 key (RFC 8410 §4). DER allows no other encoding.
const SPKI: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
/// Bytes of the PKCS#8 of an Ed25519 key between the version and the seed (RFC 8410 §7).
const PKCS8: &[u8] = b"\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
/// Encodings between the seed and the optional public key: `[1] IMPLICIT BIT STRING` (RFC 5958 §2), and the explicit
/// tag that ring wrote until version 0.17.
const PUBLIC_TAGS: [&[u8]; 2] = [b"\x81\x21\x00", b"\xa1\x23\x03\x21\x00"];

/// Option name and accepted forms of a key, for error messages.
struct Field {
    name: &'static str,
    forms: &'static str,
    digits: &'static str,
}

impl Field {
    #[cold]
    fn invalid(&self, expected: &str, got: &str) -> Error {
        Code::KeyInvalid.error(format!("{}: expected {expected}, got {got}", self.name))
    }

    #[cold]
    fn wrong_length(&self, expected: &str, bytes: &[u8]) -> Error {
        self.invalid(expected, &format!("{} bytes", bytes.len()))
    }
}

impl SigningKey {
    /// Reads a private key in any usual form that cannot be mistaken for a public key: 64 bytes with seed and public
    /// key, their hexadecimal, or PKCS#8 (RFC 8410). White space around hexadecimal is ignored, because `private.key`
    /// files of other SDKs have it. The caller decodes PEM and JWK.
    ///
    /// A seed alone looks like a public key, so only `from_seed` reads it. If a public key were used as a seed,
    /// everyone could forge the signatures.
    ///
    /// # Errors
    /// `KEY_INVALID` with the expected and the actual form, never with any part of the key.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        match text_of(bytes) {
            Some(text) if is_digits(text, 64) => Err(either_half("64 hexadecimal digits")),
            Some(text) => seed_and_public(&from_hex(text, 128, &PRIVATE)?),
            None if bytes.len() == 32 => Err(either_half("32 bytes")),
            None if bytes.len() == 64 => seed_and_public(bytes),
            None => from_pkcs8(bytes),
        }
    }
}

impl VerifyingKey {
    /// Reads a public key in any usual form: 32 bytes, their hexadecimal, or SubjectPublicKeyInfo in DER (RFC 8410).
    /// White space around hexadecimal is ignored, because `public.key` files of other SDKs have it. The caller
    /// decodes PEM and JWK (RFC 8037).
    ///
    /// # Errors
    /// `KEY_INVALID` with the expected and the actual form.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        match text_of(bytes) {
            Some(text) if is_digits(text, 128) => Err(private("128 hexadecimal digits")),
            Some(text) => public(&from_hex(text, 64, &PUBLIC)?),
            None if bytes.len() == 32 => public(bytes),
            None if bytes.len() == 64 => Err(private("64 bytes")),
            None if is_pkcs8(bytes) => Err(private("PKCS#8")),
            None => {
                let key = bytes.strip_prefix(SPKI);
                public(key.ok_or_else(|| other_der(&PUBLIC, "SubjectPublicKeyInfo", bytes))?)
            }
        }
    }
}

/// Returns the text of a key file, or `None` for binary. Text is recognised first, because the hexadecimal of 32
/// bytes is as long as a seed with its public key. Random bytes are almost never all text: for 32 bytes, the
/// probability is below 10⁻¹³.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let text = core::str::from_utf8(bytes).ok()?;
    let is_text = text.bytes().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
    let is_digits = text.bytes().all(|b| b.is_ascii_hexdigit());
    (is_text && (bytes.len() != 32 || is_digits)).then(|| text.trim_ascii())
}

/// Returns true if a text consists of this number of hexadecimal digits.
fn is_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns true if the bytes begin like a private key in DER: a version follows the header. In a public
/// key, an algorithm follows.
fn is_pkcs8(bytes: &[u8]) -> bool {
    matches!(bytes, [0x30, _, 0x02, ..])
}

/// Returns the error for a private key in place of a public one. Without this error, the owner would pass
/// the private key to verifiers.
#[cold]
fn private(got: &str) -> Error {
    PUBLIC.invalid("a public key", &format!("{got}, which looks like a private key"))
}

#[cold]
fn either_half(got: &str) -> Error {
    let named = "a seed is asked for by name, { seed } or readKey(path, { seed: true })";
    PRIVATE.invalid("seed and public key", &format!("{got}, which may be a public key ({named})"))
}

fn from_hex(text: &str, length: usize, field: &Field) -> Result<Zeroizing<Vec<u8>>> {
    if let Some(at) = text.bytes().position(|b| !b.is_ascii_hexdigit()) {
        return Err(field.invalid(field.digits, &format!("an invalid character at position {at}")));
    }
    let wrong_length = || field.invalid(field.digits, &format!("{} of them", text.len()));
    if text.len() != length {
        return Err(wrong_length());
    }
    // Convert to lower case, because `decode_hex` reads only lower case.
    let lower = Zeroizing::new(text.to_ascii_lowercase());
    let mut bytes = Zeroizing::new(vec![0; text.len() / 2]);
    if decode_hex(&lower, &mut bytes) { Ok(bytes) } else { Err(wrong_length()) }
}

/// Reads a seed of 32 bytes, or a seed with its public key, which must match.
fn seed_and_public(bytes: &[u8]) -> Result<SigningKey> {
    let (seed, public) = bytes.split_at(bytes.len().min(32));
    let seed: &[u8; 32] = seed.try_into().map_err(|_| PRIVATE.wrong_length(PRIVATE.forms, bytes))?;
    let key = SigningKey::from_seed(seed);
    match public.len() {
        0 => Ok(key),
        32 if public == key.verifying_key().to_bytes() => Ok(key),
        32 => Err(PRIVATE.invalid("the public half of the seed", "the public half of another key")),
        _ => Err(PRIVATE.wrong_length(PRIVATE.forms, bytes)),
    }
}

/// Reads PKCS#8: `30 length 02 01 version`, algorithm, seed, optional attributes and public key (RFC 5958 §2).
fn from_pkcs8(bytes: &[u8]) -> Result<SigningKey> {
    let unknown = || other_der(&PRIVATE, "PKCS#8", bytes);
    let [0x30, length, 0x02, 0x01, 0x00 | 0x01, rest @ ..] = bytes else { return Err(unknown()) };
    let seed_on = rest.strip_prefix(PKCS8).filter(|_| usize::from(*length) == bytes.len() - 2);
    let (seed, rest) = seed_on.and_then(|bytes| bytes.split_at_checked(32)).ok_or_else(unknown)?;
    let public = match without_attributes(rest).ok_or_else(unknown)? {
        [] => &[],
        tagged => PUBLIC_TAGS.iter().find_map(|tag| tagged.strip_prefix(*tag)).ok_or_else(unknown)?,
    };
    seed_and_public(&Zeroizing::new([seed, public].concat()))
}

/// Skips the optional `[0] attributes`, which do not affect the key.
fn without_attributes(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [0xa0, length @ 0..0x80, rest @ ..] => rest.get(usize::from(*length)..),
        _ => Some(bytes),
    }
}

#[cold]
fn other_der(field: &Field, container: &str, bytes: &[u8]) -> Error {
    match bytes {
        [0x30, ..] => {
            let got = format!("another key, or damaged DER, of {} bytes", bytes.len());
            field.invalid(&format!("{container} of an Ed25519 key"), &got)
        }
        _ => field.wrong_length(field.forms, bytes),
    }
}

fn public(bytes: &[u8]) -> Result<VerifyingKey> {
    VerifyingKey::from_bytes(bytes.try_into().map_err(|_| PUBLIC.wrong_length(PUBLIC.forms, bytes))?)
}
