//! Functions that Node calls from the scripts next to this crate, and from `npm run bench -- curve`.

#![deny(unsafe_code, missing_docs)]

use ed25519x4::check::{field, points, signing, speed, verdicts};
use ed25519x4::{
    Claim, KeyTable, Signature, Signer as _, SigningKey, Verifier as _, VerifyingKey, verify_many,
};
use wasm_bindgen::prelude::wasm_bindgen;

/// A key pair with its verification table.
#[wasm_bindgen]
pub struct Pair {
    signing: SigningKey,
    verifying: VerifyingKey,
    table: KeyTable,
}

#[wasm_bindgen]
impl Pair {
    /// Makes the key pair of a seed. The seed is padded with zeros or cut to 32 bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(seed: &[u8]) -> Self {
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(seed).for_each(|(to, from)| *to = *from);
        let signing = SigningKey::from_bytes(&bytes);
        let verifying = signing.verifying_key();
        Self { table: verifying.table(), signing, verifying }
    }

    /// Returns the public key's bytes.
    pub fn public_key(&self) -> Vec<u8> {
        self.verifying.to_bytes().to_vec()
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.signing.sign(message).to_vec()
    }

    /// Signs a message and verifies the signature.
    pub fn sign_checked(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.signing.sign_checked(&self.table, message).map(|signature| signature.to_vec())
    }

    /// Signs the same message many times.
    pub fn sign_many(&self, message: &[u8], times: usize) -> usize {
        self.signing.sign_many(&vec![message; times]).len()
    }

    /// Verifies a signature without the table.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.verifying.verify(message, &signature).is_ok())
    }

    /// Verifies a signature with the table.
    pub fn verify_with_table(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|signature| self.table.verify(message, &signature).is_ok())
    }

    /// Verifies many copies of one signature in one group.
    pub fn verify_group(&self, message: &[u8], signature: &[u8], times: usize) -> bool {
        let Ok(signature) = Signature::from_slice(signature) else { return false };
        let claims = vec![Claim { key: (&self.table).into(), message, signature: &signature }; times];
        !verify_many(&claims).contains(&false)
    }

    /// Reads the public key again, with all checks.
    pub fn read_key(&self) -> bool {
        VerifyingKey::from_bytes(self.verifying.as_bytes()).is_ok()
    }

    /// Computes the table again. Returns 1 if it is the table of the public key.
    pub fn make_table(&self) -> usize {
        let table = self.verifying.table();
        usize::from(table.key() == &self.verifying)
    }
}

/// Runs the named check of the crate on this many cases. Throws at the first case that fails.
#[wasm_bindgen]
pub fn check(name: &str, seed: u32, cases: usize) {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
    let seed = u64::from(seed);
    match name {
        "products" => field::products(seed, cases),
        "sums" => field::sums(seed, cases),
        "inversions" => field::inversions(seed, cases),
        "edges" => field::edges(),
        "formulas" => points::formulas(seed, cases),
        "multiples" => points::multiples(seed, cases),
        "digits" => points::digits(seed, cases),
        "encodings" => points::encodings(seed, cases),
        "signatures" => signing::signatures(seed, cases),
        "verdicts" => verdicts::verdicts(seed, cases),
        "keys" => verdicts::keys(seed, cases),
        "orders" => verdicts::orders(seed, cases),
        _ => wasm_bindgen::throw_str(name),
    }
}

/// Repeats the named operation for a benchmark. Returns false if the name is unknown. `parts.mjs` lists the names.
#[wasm_bindgen]
pub fn repeat(part: &str, times: usize) -> bool {
    speed::repeat(part, times)
}
