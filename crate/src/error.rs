//! Error type of this crate: a stable code, and a text with the field, the expected value and the actual value.

use alloc::string::String;
use core::fmt;

/// Error codes, with the same names as `AlvariumError.code` in TypeScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An option is invalid, such as an empty kind, too many annotators, or a host name that is too long.
    ConfigInvalid,
    /// A key has no known form or the wrong length, or the private key and the public key do not match.
    KeyInvalid,
    /// The payload cannot be annotated.
    PayloadInvalid,
    /// The bytes are not a message of a known type, or break its limits.
    MessageMalformed,
    /// The keyring has no key with the message's key id.
    SignerUnknown,
    /// The signature does not verify for these contents.
    SignatureInvalid,
    /// The message is genuine, but about another payload.
    PayloadMismatch,
}

impl Code {
    /// Returns the name of the code in TypeScript.
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

/// An error with a text that may be shown to a user. The text never contains private key material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Stable code, for callers to branch on.
    pub code: Code,
    /// Readable text: field, expected value, actual value.
    pub message: String,
    /// Key id of the signer that the message names, if the id was read.
    pub signer: Option<String>,
}

impl Error {
    /// Returns the error with the key id of the signer that the message names.
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
