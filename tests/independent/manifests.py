"""Manifests, FORMAT.md "manifest/1", written from that page alone.

    manifests.py > ../vectors/manifest-1.json

makes the golden manifests, with the key of RFC 8032, TEST 1.
"""
import base64, json
from collections import Counter
from sets import EMPTY, PROOF, SET, assert_signed, commitment, content_of, entry_of, is_member, levels_of, sha256, shown_of, spelt, text, u64

MANIFEST = {name: check for name, check in SET.items() if name != "rows"}

def read(message, need):
    content = content_of(message, "alvarium.Manifest/1", MANIFEST, 8192, need)
    need((content["size"] == 0) == (content["root"] == EMPTY))
    return content

def identity(content):
    texts = b"".join(text(content[name]) for name in ("signer", "name", "host", "timestamp"))
    salt = b"\1" + bytes.fromhex(content["salt"]) if "salt" in content else b"\0"
    return b"alvarium.Manifest/1\n" + texts + u64(content["size"]) + bytes.fromhex(content["root"]) + salt

def id_of(content):
    return sha256(b"\0", identity(content)).hex()

def verify_message(message, keyring, need):
    content = read(message, need)
    assert_signed(content, identity(content), keyring, need)
    return content

def root_of(entries):
    return levels_of(entries)[-1][0].hex() if entries else EMPTY

def verify_file(data, keyring, need):
    """Returns the statement and the entries."""
    message, line_feed, rest = data.partition(b"\n")
    need(line_feed and len(message) <= 8192)
    content = verify_message(message, keyring, need)
    need(len(rest) == 32 * content["size"])
    entries = [rest[at:at + 32] for at in range(0, len(rest), 32)]
    need(root_of(entries) == content["root"], "PROOF_INVALID")
    return content, entries

def verify_proof(content, proof, key, salt, need):
    """Returns the number of the record."""
    shown = content_of(proof, "alvarium.SetProof/1", PROOF, 8192, need)
    need(shown["says"] == "member" and shown["root"] == content["root"], "PROOF_INVALID")
    is_member(content, shown, entry_of(key, salt), need)
    return shown["index"] + 1

def compare(entries, found):
    """Returns the number of listed records that are missing, the number of unlisted records,
    and whether all match in order.
    """
    listed, there = Counter(entries), Counter(found)
    return {"gone": (listed - there).total(), "new": (there - listed).total(), "isSame": entries == found}

def answer(question, keyring, need):
    """Answers a question. `manifest` is a file; `record_of` its first line, with a proof about
    a record. `records` are the bytes of records.
    """
    given = {name: base64.b64decode(question[name]) for name in ("manifest", "record_of", "proof", "key", "salt") if name in question}
    salt = given.get("salt")
    if "proof" in given:
        content = verify_message(given["record_of"], keyring, need)
        need(salt is None or content.get("salt") == commitment(salt), "CONFIG_INVALID")
        return {"manifest": verify_proof(content, given["proof"], given["key"], salt, need)}
    content, entries = verify_file(given["manifest"], keyring, need)
    need(salt is None or content.get("salt") == commitment(salt), "CONFIG_INVALID")
    statement = {name: one for name, one in content.items() if name != "signature"} | {"id": id_of(content)}
    if "records" not in question:
        return {"manifest": statement}
    found = [entry_of(sha256(base64.b64decode(record)), salt) for record in question["records"]]
    return {"manifest": statement | compare(entries, found)}

# ── writing ──

def golden():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signer = sha256(public)[:16].hex()

    def seal(name, records, salt=None, **more):
        entries = [entry_of(sha256(record), salt) for record in records]
        content = {"signer": signer, "name": name, "host": "edge-7", "timestamp": "2026-11-20T10:00:00.123456Z", **more,
                   "size": len(entries), "root": root_of(entries), **({"salt": commitment(salt)} if salt else {})}
        signature = private.sign(identity(content)).hex()
        message = spelt("alvarium.Manifest/1", {"signature": signature, **content})
        proof = lambda at: spelt("alvarium.SetProof/1", {"says": "member", "root": content["root"], **shown_of(entries, at, 1)})
        return {"name": name, "records": [record.decode() for record in records], **({"saltBytes": salt.hex()} if salt else {}),
                "message": message, "identity": identity(content).hex(), "id": id_of(content),
                "file": (message.encode() + b"\n" + b"".join(entries)).hex(), "proofs": [proof(at) for at in range(len(entries))]}

    rows = [f"{at},{20 + at / 10}".encode() for at in range(20)]
    cases = [seal("", []), seal("one", rows[:1]), seal("readings.csv", [b"1,21.4", b"2,19.8"]), seal("seven", rows[:7]),
             seal("seven, from the last to the first", rows[6::-1]), seal("repeated", rows[:3] + rows[:3]),
             seal("twenty \u00fc \"quoted\"", rows, host="", timestamp="2026-11-20T12:00:00+02:00"),
             seal("with a salt", rows[:7], bytes(range(32)))]
    return {"seed": seed.hex(), "publicKey": public.hex(), "keyId": signer, "cases": cases}

if __name__ == "__main__":
    print(json.dumps(golden(), indent=2))
