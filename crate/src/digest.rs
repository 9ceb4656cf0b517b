//! Hashes of payloads, and payload keys, which are the hashes as text in messages.

use crate::{
    error::{Code, Result},
    limits::MAX_UNHASHED,
    sha256x4,
};
use alloc::{borrow::ToOwned as _, format, string::String, vec::Vec};
use base16ct::upper::encode_string as upper_hex;
use md5::Md5;
use sha2::{Digest as _, Sha256};

/// A payload, or a digest that was computed elsewhere (the host's SHA-256, or a [`Hasher`]).
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// Bytes of the payload, which [`Hash::key_of`] hashes.
    Bytes(&'a [u8]),
    /// Digest of the payload. With [`Hash::None`], the payload itself.
    Digest(&'a [u8]),
}

/// Hash function that makes a payload's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256 (FIPS 180-4), the default: 64 hexadecimal digits.
    Sha256,
    /// MD5 (RFC 1321), 32 digits. Use it only for existing consumers, because collisions are easy to make.
    Md5,
    /// No hash. The key is the payload itself, which must be UTF-8 and at most [`MAX_UNHASHED`] bytes.
    None,
}

impl Hash {
    /// Returns the hash's name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Md5 => "md5",
            Self::None => "none",
        }
    }

    /// Returns the hash with this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Sha256, Self::Md5, Self::None].into_iter().find(|hash| hash.as_str() == name)
    }

    /// Returns the length of the digest in bytes. Returns `None` for [`Hash::None`].
    pub const fn digest_length(self) -> Option<usize> {
        match self {
            Self::Sha256 => Some(32),
            Self::Md5 => Some(16),
            Self::None => None,
        }
    }

    /// Returns the payload's key: the hash in upper-case hexadecimal, or the payload itself for [`Hash::None`].
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` for [`Hash::None`] when the payload is not UTF-8 or too long. `PAYLOAD_INVALID` for a digest
    /// with another length than this hash.
    pub fn key_of(self, payload: Payload<'_>) -> Result<String> {
        match (self, payload) {
            (Self::Sha256, Payload::Bytes(bytes)) => Ok(upper_hex(&sha256(&[bytes]))),
            (Self::Md5, Payload::Bytes(bytes)) => Ok(upper_hex(&Md5::digest(bytes))),
            (Self::None, Payload::Bytes(text) | Payload::Digest(text)) => text_key(text),
            (_, Payload::Digest(digest)) => self.digest_key(digest),
        }
    }

    /// Returns the SHA-256 digests of the payloads that are given as bytes, in order, hashed four at a time. Returns
    /// no digests for other hashes, because [`Hash::key_of`] hashes those payloads.
    pub fn digests<'a>(self, payloads: impl Iterator<Item = Payload<'a>>) -> Vec<sha256x4::Digest> {
        let bytes = payloads.filter_map(|payload| match payload {
            Payload::Bytes(bytes) if self == Self::Sha256 => Some(bytes),
            _ => None,
        });
        sha256x4::digests(&bytes.collect::<Vec<_>>())
    }

    fn digest_key(self, digest: &[u8]) -> Result<String> {
        match self.digest_length() {
            Some(length) if length != digest.len() => Err(Code::PayloadInvalid.error(format!(
                "digest: expected {length} bytes for {}, got {}",
                self.as_str(),
                digest.len()
            ))),
            _ => Ok(upper_hex(digest)),
        }
    }

    /// Returns true if `key` can be the key of a payload. Each digest has exactly one valid text.
    pub fn is_key(self, key: &str) -> bool {
        match self.digest_length() {
            None => key.len() <= MAX_UNHASHED,
            Some(length) => {
                key.len() == 2 * length
                    && key.bytes().fold(true, |all, b| all & matches!(b, b'0'..=b'9' | b'A'..=b'F'))
            }
        }
    }
}

fn text_key(payload: &[u8]) -> Result<String> {
    if payload.len() > MAX_UNHASHED {
        return Err(Code::PayloadInvalid.error(format!(
            "payload: expected at most {MAX_UNHASHED} bytes with hash none, got {}",
            payload.len()
        )));
    }
    let text = core::str::from_utf8(payload).map_err(|error| {
        Code::PayloadInvalid.error(format!("payload: expected UTF-8 text with hash none, got {error}"))
    })?;
    Ok(text.to_owned())
}

/// Returns the SHA-256 of the concatenated byte strings.
#[inline(never)]
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut state = Sha256::new();
    parts.iter().for_each(|part| state.update(part));
    state.finalize().into()
}

/// Decodes lower-case hexadecimal digits into `bytes`, in constant time. Returns true if `text` has exactly twice as
/// many digits as `bytes` is long.
#[inline(never)]
pub(crate) fn decode_hex(text: &str, bytes: &mut [u8]) -> bool {
    text.len() == 2 * bytes.len() && base16ct::lower::decode(text, bytes).is_ok()
}

/// Computes SHA-256 or MD5 of a payload in pieces, so that 64 MiB need not fit in the core's memory.
#[derive(Clone)]
pub enum Hasher {
    /// State of SHA-256.
    Sha256(Sha256),
    /// State of MD5.
    Md5(Md5),
}

impl Hasher {
    /// Makes a hasher without input.
    ///
    /// # Errors
    /// `CONFIG_INVALID` for [`Hash::None`], because it computes no digest.
    pub fn new(hash: Hash) -> Result<Self> {
        match hash {
            Hash::Sha256 => Ok(Self::Sha256(Sha256::new())),
            Hash::Md5 => Ok(Self::Md5(Md5::new())),
            Hash::None => Err(Code::ConfigInvalid.error("hash: expected sha256 or md5, got none")),
        }
    }

    /// Hashes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Sha256(state) => state.update(piece),
            Self::Md5(state) => state.update(piece),
        }
    }

    /// Returns the digest of all pieces: 32 bytes for SHA-256, 16 for MD5.
    pub fn finish(self) -> Vec<u8> {
        match self {
            Self::Sha256(state) => state.finalize().to_vec(),
            Self::Md5(state) => state.finalize().to_vec(),
        }
    }
}
