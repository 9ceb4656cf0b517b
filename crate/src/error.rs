//! The one error type: a stable code, and a text with the field, the expected value and the actual one.

use alloc::string::String;
use core::fmt;

/// Error codes, spelled as `AlvariumError.code` in TypeScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An option that cannot work: an empty kind, too many annotators, a host name that is too long.
    ConfigInvalid,
    /// A key in no known form, of the wrong length, or whose halves do not belong together.
    KeyInvalid,
    /// A payload that cannot be annotated.
    PayloadInvalid,
    /// Bytes that are not a message of a known type, or break its limits.
    MessageMalformed,
    /// The keyring has no key with the message's key id.
    SignerUnknown,
    /// The signature does not belong to these contents.
    SignatureInvalid,
    /// A genuine message about another payload.
    PayloadMismatch,
}

impl Code {
    /// Returns the code as TypeScript spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConfigInvalid => "CONFIG_INVALID",
            Self::KeyInvalid => "KEY_INVALID",
            Self::PayloadInvalid => "PAYLOAD_INVALID",
            Self::MessageMalformed => "MESSAGE_MALFORMED",
            Self::SignerUnknown => "SIGNER_UNKNOWN",
            Self::SignatureInvalid => "SIGNATURE_INVALID",
            Self::PayloadMismatch => "PAYLOAD_MISMATCH",
        }
    }

    /// Makes an error with this code.
    #[cold]
    pub fn error(self, message: impl Into<String>) -> Error {
        Error { code: self, message: message.into(), signer: None }
    }
}

/// An error whose text may be shown to a user. It never contains private key material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The stable part, for callers to branch on.
    pub code: Code,
    /// The readable part: field, expected value, actual value.
    pub message: String,
    /// The key id that the message names as its signer, if it was read.
    pub signer: Option<String>,
}

impl Error {
    /// Makes the same error about a message that names this signer.
    #[must_use]
    pub fn of(self, signer: &str) -> Self {
        Self { signer: Some(signer.into()), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl core::error::Error for Error {}

/// `Result` with this crate's [`Error`].
pub type Result<T> = core::result::Result<T, Error>;
