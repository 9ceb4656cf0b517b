//! Runs the steps of one Rust SDK call with one annotator, in native code and with the Rust SDK's crates.
//! `npm run bench -- native` compares these steps with a whole call of this SDK. Reads lines such as
//! `sign 1000`, which repeats a step 1,000 times, and answers each line with `done`.

#![deny(unsafe_code, missing_docs)]

use ed25519_dalek::{Signer as _, SigningKey};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::hint::black_box;
use std::io::{self, Write as _};

static PAYLOAD: [u8; 20_000] = [0x5a; 20_000];
static NAMES: [&[u8]; 2] = [b"edge-7.plant.example", b"01JDXB2F5W6Z3N9QK8R4T7Y1MA"];

/// An annotation in the form in which it is signed and published.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotation {
    id: &'static str,
    key: String,
    hash: &'static str,
    host: &'static str,
    tag: &'static str,
    layer: &'static str,
    kind: &'static str,
    signature: String,
    is_satisfied: bool,
    timestamp: &'static str,
}

fn main() -> io::Result<()> {
    let key = SigningKey::from_bytes(&[7; 32]);
    let annotation = Annotation {
        id: "01JDXB2F5W6Z3N9QK8R4T7Y1MA",
        key: "BA7816BF".repeat(8),
        hash: "sha256",
        host: "edge-7.plant.example",
        tag: "",
        layer: "app",
        kind: "src",
        signature: "5d41402a".repeat(16),
        is_satisfied: true,
        timestamp: "2026-11-24T10:00:00.123456Z",
    };
    let signed = serde_json::to_vec(&annotation)?;
    let steps: [(&str, &dyn Fn()); 4] = [
        ("hash", &|| hash(&PAYLOAD)),
        ("names", &|| NAMES.iter().for_each(|name| hash(name))),
        ("sign", &|| _ = black_box(key.sign(black_box(&signed)))),
        ("json", &|| _ = black_box(serde_json::to_vec(black_box(&annotation)))),
    ];
    for line in io::stdin().lines() {
        let line = line?;
        let (wanted, times) = line.split_once(' ').unwrap_or((&line, "1"));
        for _ in 0..times.parse().unwrap_or(1) {
            steps.iter().filter(|(name, _)| [*name, "all"].contains(&wanted)).for_each(|(_, step)| step());
        }
        writeln!(io::stdout(), "done")?;
    }
    Ok(())
}

fn hash(bytes: &[u8]) {
    black_box(Sha256::digest(black_box(bytes)));
}
