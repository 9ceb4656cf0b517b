use ed25519x4::*;

#[test]
fn like_dalek() {
    use ed25519_dalek::Signer;
    for i in 0..200_u32 {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&i.to_le_bytes());
        let d = ed25519_dalek::SigningKey::from_bytes(&seed);
        let k = SigningKey::from_seed(&seed);
        assert_eq!(d.verifying_key().to_bytes(), k.verifying_key().to_bytes());
        let sig = k.sign(&seed[..(i as usize % 32)]);
        assert_eq!(d.sign(&seed[..(i as usize % 32)]).to_bytes(), sig);
        let v = VerifyingKey::from_bytes(&k.verifying_key().to_bytes()).unwrap();
        assert!(v.verify(&seed[..(i as usize % 32)], &sig));
        assert!(v.table().verify(&seed[..(i as usize % 32)], &sig));
        assert!(!v.table().verify(b"x", &sig));
        assert!(!v.verify(b"x", &sig));
    }
}
