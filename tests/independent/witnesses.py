"""Makes tests/vectors/witness-1.json from crate/FORMAT.md (Witnesses) with Python's cryptography, without code of the SDK.

    python3 tests/independent/witnesses.py > tests/vectors/witness-1.json
"""

import base64
import hashlib
import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

LOG, WITNESS = 1, 4


def b64(data):
    return base64.b64encode(data).decode()


class Key:
    """A key of notes, by its name and type."""

    def __init__(self, name, kind, seed):
        self.name, self.kind = name, kind
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.typed = bytes([kind]) + public
        self.id = hashlib.sha256(name.encode() + b"\n" + self.typed).digest()[:4]

    @property
    def vkey(self):
        return f"{self.name}+{self.id.hex()}+{b64(self.typed)}"

    def line(self, text, time=None):
        before = b"" if time is None else time.to_bytes(8, "big")
        signed = text if time is None else f"cosignature/v1\ntime {time}\n{text}"
        return f"\u2014 {self.name} {b64(self.id + before + self.private.sign(signed.encode()))}\n"


def leaf(number):
    return hashlib.sha256(b"\0" + number.to_bytes(32, "big")).digest()


def root(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return hashlib.sha256(b"\1" + root(leaves[:left]) + root(leaves[left:])).digest()


def path(leaves, older, known=True):
    """Returns the path from a smaller log: RFC 6962, 2.1.2."""
    if older == len(leaves):
        return [] if known else [root(leaves)]
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    if older <= left:
        return path(leaves[:left], older, known) + [root(leaves[left:])]
    return path(leaves[left:], older - left, False) + [root(leaves[:left])]


def main():
    log = Key("log.example/golden", LOG, bytes([1]) * 32)
    witnesses = [Key(f"witness.example/w{at}", WITNESS, bytes([1 + at]) * 32) for at in (1, 2, 3)]
    leaves = [leaf(number) for number in range(7)]
    times = [1_777_629_600, 1_777_629_540, 1_777_633_200]
    text = f"{log.name}\n7\n{b64(root(leaves))}\n"
    note = f"{text}\n{log.line(text)}"
    hashes = "".join(f"{b64(one)}\n" for one in path(leaves, 3))
    print(
        json.dumps(
            {
                "log": log.vkey,
                "witnesses": [one.vkey for one in witnesses],
                "seeds": [(bytes([1 + at]) * 32).hex() for at in (1, 2, 3)],
                "note": note + "".join(one.line(text, time) for one, time in zip(witnesses, times)),
                "times": times,
                "quorum": 2,
                "by": "2026-05-01T10:00:00Z",
                "older": f"old 0\n\n{older(log, leaves[:3])}",
                "request": f"old 3\n{hashes}\n{note}",
            },
            indent=1,
            ensure_ascii=False,
        )
    )


def older(log, leaves):
    text = f"{log.name}\n{len(leaves)}\n{b64(root(leaves))}\n"
    return f"{text}\n{log.line(text)}"


if __name__ == "__main__":
    main()
