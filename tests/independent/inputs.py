"""Bundles with inputs, FORMAT.md "bundle/2", written from that page alone.

    inputs.py > ../vectors/bundle-2.json

makes the golden bundles, with the key of RFC 8032, TEST 1.
"""
import base64, hashlib, json, re

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def u32(number):
    return number.to_bytes(4, "big")

def text(value):
    return u32(len(value.encode())) + value.encode()

# ── members of a message ──

def is_input(value):
    import verify
    if type(value) is not dict or value.keys() not in ({"hash", "key"}, {"set"}):
        return False
    if "set" in value:
        return type(value["set"]) is str and re.fullmatch("[0-9a-f]{64}", value["set"])
    is_key = verify.KEYS.get(str(value["hash"]))
    return is_key and is_key(value["key"])

def are_all(value):
    return type(value) is list and 1 <= len(value) <= 65_536 and all(map(is_input, value))

def are_short(value):
    """Returns whether a value has the short form, which is only valid inside a proof."""
    if type(value) is not dict or value.keys() != {"size", "root"} or type(value["size"]) is not int:
        return False
    return 1 <= value["size"] <= 65_536 and type(value["root"]) is str and re.fullmatch("[0-9a-f]{64}", value["root"])

# ── signed bytes ──

def leaf(value):
    if "set" in value:
        return sha256(b"\0", b"\1", bytes.fromhex(value["set"]))
    return sha256(b"\0", b"\0", text(value["hash"]), text(value["key"]))

def signed(value):
    """Returns the number and the root, of a list or of the short form."""
    import verify
    if type(value) is dict:
        return u32(value["size"]) + bytes.fromhex(value["root"])
    return u32(len(value)) + verify.root_of([leaf(one) for one in value])

# ── "Proofs of an input" ──

def verify(message, keyring, payload, need):
    import sets, verify as messages
    members = {"index": sets.is_number, "input": is_input, "path": sets.is_path, "bundle": lambda value: type(value) is dict}
    try:
        json.loads(message.decode(), object_pairs_hook=messages.once)
    except (ValueError, RecursionError):
        need(False)
    proof = sets.content_of(message, "alvarium.InputProof/1", members, 2**21, need)
    need(list(proof["input"]) in (["hash", "key"], ["set"]))
    bundle = proof["bundle"]
    need(messages.is_message(bundle, are_short) and "inputs" in bundle["content"])
    is_signature = keyring.get(bundle["content"]["signer"])
    need(is_signature, "SIGNER_UNKNOWN")
    [said], identity = messages.said_by(bundle)
    need(is_signature(bytes.fromhex(bundle["content"]["signature"]), identity), "SIGNATURE_INVALID")
    need(payload is None or messages.is_about(said, payload), "PAYLOAD_MISMATCH")
    inputs = said["inputs"]
    root = by_path(leaf(proof["input"]), proof["index"], inputs["size"], sets.hashes_in(proof["path"]))
    need(root == bytes.fromhex(inputs["root"]), "PROOF_INVALID")
    shown = {name: proof[name] for name in ("input", "index")}
    others = {name: one for name, one in said.items() if name != "inputs"}
    return {**shown, "size": inputs["size"], "bundle": {**others, "id": sha256(b"\0", messages.identity(said)).hex()}}

def by_path(node, at, size, path):
    """Returns the root, or None (RFC 9162, 2.1.3.2)."""
    last = size - 1
    if at > last:
        return None
    for sibling in path:
        if last == 0:
            return None
        if at % 2 or at == last:
            node = sha256(b"\1", sibling, node)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            node = sha256(b"\1", node, sibling)
        at, last = at // 2, last // 2
    return node if last == 0 else None

# ── writing ──

def golden():
    import sets, verify as messages
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signer = sha256(public)[:16].hex()
    spelt = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def payload(value, hash="sha256"):
        return {"hash": hash, "key": value if hash == "none" else hashlib.new(hash, value.encode()).hexdigest().upper()}

    def levels_of(nodes):
        levels = [nodes]
        while len(levels[-1]) > 1:
            nodes = levels[-1]
            levels.append([sha256(b"\1", *nodes[at:at + 2]) if at + 1 < len(nodes) else nodes[at] for at in range(0, len(nodes), 2)])
        return levels

    def proof_of(short, inputs, index):
        path = sets.path_of(levels_of([leaf(one) for one in inputs]), index, 1)
        content = {"index": index, "input": inputs[index], "path": path, "bundle": short}
        return {"index": index, "proof": spelt({"messageType": "alvarium.InputProof/1", "content": content})}

    def sealed(name, inputs, output="average", hash="sha256", **more):
        members = {"signer": signer, "key": payload(output, hash)["key"], "inputs": inputs, "hash": hash, "host": "edge-7", "layer": "app",
                   "timestamp": "2026-11-20T10:00:00.123456Z",
                   "annotations": [{"id": "01M7W6C3BV03ZH28HK8HAPCXW8", "kind": "src", "tag": "v1", "isSatisfied": True}], **more}
        bundle = {"action": "mutate", **members}
        identity = messages.identity(bundle)
        message = lambda inputs: {"action": "mutate", "messageType": "alvarium.AnnotationBundle/2",
                                  "content": {"signature": private.sign(identity).hex(), **{**members, "inputs": inputs}}}
        number, root = int.from_bytes(signed(inputs)[:4], "big"), signed(inputs)[4:].hex()
        short = message({"size": number, "root": root})
        places = sorted({0, len(inputs) // 2, len(inputs) - 1})
        return {"name": name, "payload": output.encode().hex(), "bundle": bundle, "identity": identity.hex(), "root": root,
                "id": sha256(b"\0", identity).hex(), "message": spelt(message(inputs)),
                "proofs": [proof_of(short, inputs, index) for index in places]}

    rows = [payload(f"reading {at}") for at in range(20)]
    a_set = {"set": sha256(b"a set").hex()}
    cases = [sealed("one input", rows[:1]), sealed("two, of which one is a set", [rows[0], a_set]), sealed("a set alone", [a_set]),
             sealed("one twice, and other hashes", [rows[3], rows[3], payload("reading 3", "md5"), payload("\u00e9 \"quoted\"\n", "none"), payload("", "none")]),
             sealed("twenty, with hash none", rows, "21.3", "none", annotations=[]), sealed("seven", rows[:7], host="")]
    return {"seed": seed.hex(), "publicKey": public.hex(), "keyId": signer, "cases": cases}

if __name__ == "__main__":
    print(json.dumps(golden(), indent=2))
