//! SM2 signatures (GB/T 32918.2-2016) with SM3. Unlike ECDSA, each r has only one valid s.

use crate::lengths::{POINT_LENGTH, SCALAR_LENGTH, Signature};
use alloc::vec::Vec;
use core::convert::Infallible;
use sm2::dsa::{
    Signature as Sm2Signature, SigningKey, VerifyingKey,
    signature::{RandomizedSigner as _, Signer as _, Verifier as _, rand_core},
};

/// Default identity of a signer without a name (GB/T 35276, RFC 8998).
pub const IDENTITY: &str = "1234567812345678";

/// −G, the public key for the private key n − 1. This private key cannot sign, because signing needs (1 + d)⁻¹.
pub const NO_KEY: &[u8; POINT_LENGTH] =
    b"\x04\x32\xc4\xae\x2c\x1f\x19\x81\x19\x5f\x99\x04\x46\x6a\x39\xc9\x94\x8f\xe3\x0b\xbf\xf2\
    \x66\x0b\xe1\x71\x5a\x45\x89\x33\x4c\x74\xc7\x43\xc8\xc9\x5c\x0b\x09\x88\x63\xa6\x42\x31\
    \x1c\x94\x96\xde\xac\x2f\x56\x78\x82\x39\xd5\xb8\xc0\xfd\x20\xcd\x1a\xde\xc6\x0f\x5f";

/// Signs bytes with the nonce of RFC 6979.
pub fn sign(scalar: &[u8; SCALAR_LENGTH], bytes: &[u8], entropy: &[u8]) -> Option<Signature> {
    let key = SigningKey::from_slice(IDENTITY, scalar).ok()?;
    let signature: Sm2Signature = match entropy {
        [] => key.try_sign(bytes).ok()?,
        _ => key.try_sign_with_rng(&mut Given(entropy.to_vec()), bytes).ok()?,
    };
    signature.to_bytes().as_slice().try_into().ok()
}

/// Returns true if the signature verifies. r and s must be from 1 to n − 1, and r + s must not be n.
pub fn verifies(point: &[u8; POINT_LENGTH], bytes: &[u8], signature: &Signature) -> bool {
    let key = VerifyingKey::from_sec1_bytes(IDENTITY, point);
    let signature = Sm2Signature::from_slice(signature);
    matches!((key, signature), (Ok(key), Ok(signature)) if key.verify(bytes, &signature).is_ok())
}

/// Returns the signature if r and s are from 1 to n − 1.
pub fn canonical(signature: &Signature) -> Option<Signature> {
    Sm2Signature::from_slice(signature).ok().map(|_| *signature)
}

/// Random source that returns the bytes that the call got as entropy. The signer asks for random bytes only once.
struct Given(Vec<u8>);

impl rand_core::TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, place: &mut [u8]) -> Result<(), Infallible> {
        for (byte, given) in place.iter_mut().zip(self.0.iter().cycle()) {
            *byte = *given;
        }
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Given {}
