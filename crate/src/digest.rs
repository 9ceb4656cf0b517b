//! The payload's hash, and its text on the wire: the *key*.

use crate::{
    error::{Code, Result},
    limits::MAX_UNHASHED,
    sha256x4,
};
use alloc::{borrow::ToOwned as _, format, string::String, vec::Vec};
use base16ct::upper::encode_string as upper_hex;
use md5::Md5;
use sha2::{Digest as _, Sha256};

/// A payload, or the digest of one that was hashed elsewhere (by the host's SHA-256, or by a [`Hasher`]).
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// The payload's bytes, to be hashed here.
    Bytes(&'a [u8]),
    /// Its digest. Where the hash is [`Hash::None`], the payload itself.
    Digest(&'a [u8]),
}

/// How a payload becomes its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256 (FIPS 180-4), the default: 64 hexadecimal digits.
    Sha256,
    /// MD5 (RFC 1321), for existing consumers only, collisions are easy to make: 32 digits.
    Md5,
    /// No hash: the key is the payload itself, which must be UTF-8 and at most [`MAX_UNHASHED`] bytes.
    None,
}

impl Hash {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Md5 => "md5",
            Self::None => "none",
        }
    }

    /// The hash of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Sha256, Self::Md5, Self::None].into_iter().find(|hash| hash.as_str() == name)
    }

    /// Length of the digest in bytes; `None` has no digest.
    pub const fn digest_length(self) -> Option<usize> {
        match self {
            Self::Sha256 => Some(32),
            Self::Md5 => Some(16),
            Self::None => None,
        }
    }

    /// The payload's key: its hash in upper-case hexadecimal, or the payload itself for [`Hash::None`].
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` for [`Hash::None`] when the payload is not UTF-8 or too long, and for a digest that
    /// does not have this hash's length.
    pub fn key_of(self, payload: Payload<'_>) -> Result<String> {
        match (self, payload) {
            (Self::Sha256, Payload::Bytes(bytes)) => Ok(upper_hex(&sha256(&[bytes]))),
            (Self::Md5, Payload::Bytes(bytes)) => Ok(upper_hex(&Md5::digest(bytes))),
            (Self::None, Payload::Bytes(text) | Payload::Digest(text)) => text_key(text),
            (_, Payload::Digest(digest)) => self.digest_key(digest),
        }
    }

    /// The digests of those payloads that have not been hashed, in their order: four at a time with SHA-256. None with
    /// another hash: [`Hash::key_of`] takes those payloads as they are.
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

    /// Whether `key` could be the key of some payload: exactly one text per digest.
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

/// The SHA-256 of byte strings that follow one another.
#[inline(never)]
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut state = Sha256::new();
    parts.iter().for_each(|part| state.update(part));
    state.finalize().into()
}

/// Fills `bytes` from exactly twice as many lower-case hexadecimal digits, in constant time, or says that they are none.
#[inline(never)]
pub(crate) fn decode_hex(text: &str, bytes: &mut [u8]) -> bool {
    text.len() == 2 * bytes.len() && base16ct::lower::decode(text, bytes).is_ok()
}

/// SHA-256 or MD5 of a payload that comes in pieces, so that 64 MiB never have to fit in the core's memory.
#[derive(Clone)]
pub enum Hasher {
    /// SHA-256 so far.
    Sha256(Sha256),
    /// MD5 so far.
    Md5(Md5),
}

impl Hasher {
    /// A hasher that has seen nothing yet.
    ///
    /// # Errors
    /// `CONFIG_INVALID` for [`Hash::None`], which has nothing to compute.
    pub fn new(hash: Hash) -> Result<Self> {
        match hash {
            Hash::Sha256 => Ok(Self::Sha256(Sha256::new())),
            Hash::Md5 => Ok(Self::Md5(Md5::new())),
            Hash::None => Err(Code::ConfigInvalid.error("hash: expected sha256 or md5, got none")),
        }
    }

    /// Takes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Sha256(state) => state.update(piece),
            Self::Md5(state) => state.update(piece),
        }
    }

    /// The digest of all pieces: 32 bytes for SHA-256, 16 for MD5.
    pub fn finish(self) -> Vec<u8> {
        match self {
            Self::Sha256(state) => state.finalize().to_vec(),
            Self::Md5(state) => state.finalize().to_vec(),
        }
    }
}
