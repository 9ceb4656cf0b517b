"""Evidence without an SDK: a hash of each row in a file, and one signature over it.

    rows.py sign DATA HASHES KEY
    rows.py check DATA HASHES KEY
"""
import hashlib, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

command, data, hashes, key = sys.argv[1:]
private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(open(key).read().strip()[:64]))
with open(data, "rb") as file:
    next(file)
    digests = [hashlib.sha256(line.rstrip(b"\n")).digest() for line in file]

if command == "sign":
    signed = b"".join(digests)
    with open(hashes, "wb") as file:
        file.write(private.sign(signed) + signed)
else:
    with open(hashes, "rb") as file:
        signature, signed = file.read(64), file.read()
    private.public_key().verify(signature, signed)
    altered = [at for at, digest in enumerate(digests) if signed[32 * at:32 * at + 32] != digest]
    if altered or len(signed) != 32 * len(digests):
        sys.exit(f"{len(altered)} rows differ")
