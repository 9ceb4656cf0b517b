//! Public keys and their tables.

use crate::encoding::{NotAPoint, decode};
use crate::lanes::Native;
use crate::point::Point;
use crate::straus::is_torsion_free;
use crate::table::{self, OddTable};
use core::fmt;

/// Reason why 32 bytes are not a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The y is not below p, or x is zero and has a sign. RFC 8032 §5.1.3 allows only one encoding of a point.
    NonCanonical,
    /// No point of the curve has this y.
    NotOnCurve,
    /// The point is one of the eight with an order that divides 8. Anyone can sign anything under such a key.
    SmallOrder,
    /// The point has a component of small order. Verifiers disagree on signatures under such keys.
    Torsion,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NonCanonical => "an encoding that is not the canonical one",
            Self::NotOnCurve => "32 bytes that are not a point of the curve",
            Self::SmallOrder => "a point of small order, under which any signature verifies",
            Self::Torsion => "a point with a component of small order, which no signer's key has",
        })
    }
}

impl core::error::Error for KeyError {}

/// A public key, decoded once. The point has the order ℓ.
#[derive(Clone, Copy)]
pub struct VerifyingKey {
    bytes: [u8; 32],
    point: Point,
}

impl VerifyingKey {
    /// Reads a key from 32 bytes, in variable time. This takes about as long as one verification.
    ///
    /// ```
    /// use ed25519x4::{KeyError, SigningKey, VerifyingKey};
    ///
    /// let bytes = SigningKey::from_bytes(&[7; 32]).verifying_key().to_bytes();
    /// assert_eq!(VerifyingKey::from_bytes(&bytes)?.to_bytes(), bytes);
    /// assert_eq!(VerifyingKey::from_bytes(&[0; 32]), Err(KeyError::SmallOrder));
    /// # Ok::<(), KeyError>(())
    /// ```
    ///
    /// # Errors
    /// When the bytes are not the canonical encoding of a point of order ℓ: see [`KeyError`].
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let point = decode::<Native>(bytes).map_err(|error| match error {
            NotAPoint::NonCanonical => KeyError::NonCanonical,
            NotAPoint::NotOnCurve => KeyError::NotOnCurve,
        })?;
        if point.doubled_times(3).is_neutral() {
            return Err(KeyError::SmallOrder);
        }
        if !is_torsion_free(&point) {
            return Err(KeyError::Torsion);
        }
        Ok(Self { bytes: *bytes, point })
    }

    /// Makes the key from a multiple of the base point and from the encoding of that point.
    pub(crate) fn from_multiple(point: Point, bytes: [u8; 32]) -> Self {
        Self { bytes, point }
    }

    /// Returns the key's 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.bytes
    }

    /// Returns the key's 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    pub(crate) fn point(&self) -> &Point {
        &self.point
    }

    /// Computes multiples of the key, for many verifications. This takes about the time that the table saves in five
    /// verifications, and [`KeyTable::BYTES`] of memory.
    pub fn table(&self) -> KeyTable {
        KeyTable { key: *self, table: OddTable::new(&self.point) }
    }
}

impl PartialEq for VerifyingKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for VerifyingKey {}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerifyingKey(")?;
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// A public key with multiples of its point.
pub struct KeyTable {
    key: VerifyingKey,
    table: OddTable,
}

impl KeyTable {
    /// Size of a table on the heap, in bytes.
    pub const BYTES: usize = table::BYTES;

    /// Returns the key for which the table was computed.
    pub fn key(&self) -> &VerifyingKey {
        &self.key
    }

    pub(crate) fn multiples(&self) -> &OddTable {
        &self.table
    }
}

impl fmt::Debug for KeyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyTable").field("key", &self.key).finish_non_exhaustive()
    }
}
