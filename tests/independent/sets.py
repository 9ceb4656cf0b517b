"""Sets, FORMAT.md "set/1", written from that page alone.

    sets.py > ../vectors/set-1.json

makes the golden sets, with the key of RFC 8032, TEST 1.
"""
import base64, hashlib, json, re

HEX32, HEX64, HEX128 = ("[0-9a-f]{%d}" % digits for digits in (32, 64, 128))
EMPTY = hashlib.sha256().hexdigest()
MOST = 2**53 - 1

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def u64(number):
    return number.to_bytes(8, "big")

def text(value):
    return len(value.encode()).to_bytes(4, "big") + value.encode()

# ── members of a message ──

def is_hex(pattern):
    return lambda value: type(value) is str and re.fullmatch(pattern, value, re.ASCII)

def is_text(value):
    try:
        return type(value) is str and len(value.encode()) <= 255
    except UnicodeEncodeError:
        return False

def is_number(value):
    return type(value) is int and 0 <= value <= MOST

def is_path(value):
    try:
        data = base64.b64decode(value, validate=True) if type(value) is str and len(value) <= 4524 else None
    except ValueError:
        return False
    return data is not None and base64.b64encode(data).decode() == value and len(data) % 32 == 0

def is_entries(value):
    return type(value) is list and len(value) <= 2 and all(map(is_hex(HEX64), value))

def having(members, value):
    """Checks the members in this order; a name that ends with ? is optional."""
    if type(value) is not dict:
        return False
    names = [name for name in members if not name.endswith("?") or name[:-1] in value]
    return [name.rstrip("?") for name in names] == list(value) and all(members[name](value[name.rstrip("?")]) for name in names)

def is_time(value):
    import verify
    return verify.is_timestamp(value)

SET = {"signature": is_hex(HEX128), "signer": is_hex(HEX32), "name": is_text, "host": is_text, "timestamp": is_time,
       "rows": is_number, "size": is_number, "root": is_hex(HEX64), "salt?": is_hex(HEX64)}
PROOF = {"says": lambda value: value in ("member", "absent"), "root": is_hex(HEX64), "index": is_number, "entries": is_entries, "path": is_path}
ABSENT = {"index": is_number, "entries": is_entries, "path": is_path}
MEMBER = {"index": is_number, "path": is_path}
CHANGE = {"entry": is_hex(HEX64), "absent": lambda value: having(ABSENT, value), "member": lambda value: having(MEMBER, value)}

def is_changes(value):
    return type(value) is list and all(having(CHANGE, one) for one in value)

UPDATE = {"before": is_hex(HEX64), "after": is_hex(HEX64), "added": is_changes, "removed": is_changes}

def spelt(kind, content):
    return json.dumps({"messageType": kind, "content": content}, ensure_ascii=False, separators=(",", ":"))

def without_line_end(message):
    end = b"\r\n" if message.endswith(b"\r\n") else b"\n"
    return message.removesuffix(end)

def content_of(message, kind, members, most, need):
    try:
        message = without_line_end(message)
        need(len(message) <= most)
        value = json.loads(message.decode())
        need(type(value) is dict and list(value) == ["messageType", "content"] and value["messageType"] == kind)
        need(having(members, value["content"]) and spelt(kind, value["content"]).encode() == message)
        return value["content"]
    except (ValueError, RecursionError):
        need(False)

# ── sets ──

def read(message, need):
    content = content_of(message, "alvarium.Set/1", SET, 8192, need)
    need(content["size"] <= content["rows"] and (content["size"] == 0) == (content["rows"] == 0))
    need((content["size"] == 0) == (content["root"] == EMPTY))
    return content

def identity(content):
    texts = b"".join(text(content[name]) for name in ("signer", "name", "host", "timestamp"))
    salt = b"\1" + bytes.fromhex(content["salt"]) if "salt" in content else b"\0"
    return b"alvarium.Set/1\n" + texts + u64(content["rows"]) + u64(content["size"]) + bytes.fromhex(content["root"]) + salt

def verify_set(message, keyring, need):
    content = read(message, need)
    assert_signed(content, identity(content), keyring, need)
    return content

def assert_signed(content, signed, keyring, need):
    is_signature = keyring.get(content["signer"])
    need(is_signature, "SIGNER_UNKNOWN")
    need(is_signature(bytes.fromhex(content["signature"]), signed), "SIGNATURE_INVALID")

def commitment(salt):
    return sha256(b"alvarium.Set/1 salt\n", salt).hex()

def entry_of(key, salt):
    return sha256(salt, key) if salt else key

# ── proofs ──

def hashes_in(value):
    data = base64.b64decode(value)
    return [data[at:at + 32] for at in range(0, len(data), 32)]

def root_by(first, entries, size, path):
    """Returns the root, or None."""
    last, end = first + len(entries) - 1, size - 1
    if last > end:
        return None
    nodes, path = [sha256(b"\0", entry) for entry in entries], list(path)
    while end > 0:
        if first % 2:
            nodes, first = [path.pop(0) if path else b""] + nodes, first - 1
        if last % 2 == 0 and last < end:
            nodes.append(path.pop(0) if path else b"")
        nodes = [sha256(b"\1", *nodes[at:at + 2]) if at + 1 < len(nodes) else nodes[at] for at in range(0, len(nodes), 2)]
        first, last, end = first // 2, last // 2, end // 2
    return None if path else nodes[0]

def leads(content, index, entries, path, need):
    hashes = hashes_in(path)
    if not entries:
        return need(content["size"] == 0 and not hashes, "PROOF_INVALID")
    need(root_by(index, entries, content["size"], hashes) == bytes.fromhex(content["root"]), "PROOF_INVALID")

def is_member(content, shown, entry, need):
    entries = [bytes.fromhex(one) for one in shown["entries"]]
    need(entries == [entry], "PROOF_INVALID")
    leads(content, shown["index"], entries, shown["path"], need)

def is_absent(content, shown, entry, need):
    entries, index, size = [bytes.fromhex(one) for one in shown["entries"]], shown["index"], content["size"]
    between = len(entries) == 2 and entries[0] < entry < entries[1]
    begin = len(entries) == 1 and index == 0 and entry < entries[0]
    end = len(entries) == 1 and index == size - 1 and entries[0] < entry
    empty = not entries and index == size == 0
    need(between or begin or end or empty, "PROOF_INVALID")
    leads(content, index, entries, shown["path"], need)

def verify_proof(content, proof, says, key, salt, need):
    shown = content_of(proof, "alvarium.SetProof/1", PROOF, 8192, need)
    need(shown["says"] == says and shown["root"] == content["root"], "PROOF_INVALID")
    (is_member if says == "member" else is_absent)(content, shown, entry_of(key, salt), need)

# ── updates ──

def verify_update(before, after, message, need):
    need(before.get("salt") == after.get("salt"), "PROOF_INVALID")
    update = content_of(message, "alvarium.SetUpdate/1", UPDATE, 2**21, need)
    need(update["before"] == before["root"] and update["after"] == after["root"], "PROOF_INVALID")
    for changes, has, lacks in ((update["added"], after, before), (update["removed"], before, after)):
        entries = [bytes.fromhex(change["entry"]) for change in changes]
        for change, entry in zip(changes, entries):
            is_member(has, {**change["member"], "entries": [change["entry"]]}, entry, need)
            is_absent(lacks, change["absent"], entry, need)
        need(all(one < other for one, other in zip(entries, entries[1:])), "PROOF_INVALID")
    need(before["size"] + len(update["added"]) - len(update["removed"]) == after["size"], "PROOF_INVALID")
    return {name: [change["entry"].upper() for change in update[name]] for name in ("added", "removed")}

def answer(question, keyring, need):
    """Answers a `question` about a set, with a proof of a statement on a key, or with a later
    set and an update.
    """
    given = {name: base64.b64decode(question[name]) for name in ("set", "proof", "key", "salt", "after", "update") if name in question}
    content = verify_set(given["set"], keyring, need)
    need("salt" not in given or content.get("salt") == commitment(given["salt"]), "CONFIG_INVALID")
    if "proof" in given:
        verify_proof(content, given["proof"], question["says"], given["key"], given.get("salt"), need)
        return {"set": question["says"]}
    if "update" in given:
        return {"set": verify_update(content, verify_set(given["after"], keyring, need), given["update"], need)}
    return {"set": {name: one for name, one in content.items() if name != "signature"} | {"id": sha256(b"\0", identity(content)).hex()}}

# ── writing ──

def levels_of(entries):
    levels = [[sha256(b"\0", entry) for entry in entries]]
    while len(levels[-1]) > 1:
        nodes = levels[-1]
        levels.append([sha256(b"\1", *nodes[at:at + 2]) if at + 1 < len(nodes) else nodes[at] for at in range(0, len(nodes), 2)])
    return levels

def path_of(levels, first, count):
    last, path = first + count - 1, []
    for nodes in levels[:-1]:
        path += [nodes[first - 1]] if first % 2 else []
        path += [nodes[last + 1]] if last % 2 == 0 and last + 1 < len(nodes) else []
        first, last = first // 2, last // 2
    return base64.b64encode(b"".join(path)).decode()

def shown_of(entries, first, count):
    path = path_of(levels_of(entries), first, count) if count else ""
    return {"index": first, "entries": [entry.hex() for entry in entries[first:first + count]], "path": path}

def proof_of(entries, entry):
    root = levels_of(entries)[-1][0].hex() if entries else EMPTY
    if entry in entries:
        return spelt("alvarium.SetProof/1", {"says": "member", "root": root, **shown_of(entries, entries.index(entry), 1)})
    place = sum(one < entry for one in entries)
    first, until = max(place - 1, 0), min(place + 1, len(entries))
    return spelt("alvarium.SetProof/1", {"says": "absent", "root": root, **shown_of(entries, first, until - first)})

def golden():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signer = sha256(public)[:16].hex()

    def sealed(name, payloads, salt=None, **more):
        entries = sorted({entry_of(sha256(payload), salt) for payload in payloads})
        root = levels_of(entries)[-1][0].hex() if entries else EMPTY
        content = {"signer": signer, "name": name, "host": "edge-7", "timestamp": "2026-11-20T10:00:00.123456Z", **more,
                   "rows": len(payloads), "size": len(entries), "root": root, **({"salt": commitment(salt)} if salt else {})}
        signature = private.sign(identity(content)).hex()
        asked = [b"payload 0", b"payload 3", b"nothing", b"", b"payload 17"]
        return {"name": name, "payloads": [payload.decode() for payload in payloads], **({"saltBytes": salt.hex()} if salt else {}),
                "message": spelt("alvarium.Set/1", {"signature": signature, **content}), "identity": identity(content).hex(),
                "id": sha256(b"\0", identity(content)).hex(), "list": b"".join(entries).hex(),
                "proofs": [{"payload": payload.decode(), "says": "member" if entry_of(sha256(payload), salt) in entries else "absent",
                            "proof": proof_of(entries, entry_of(sha256(payload), salt))} for payload in asked]}

    rows = [f"payload {at}".encode() for at in range(20)]
    cases = [sealed("", []), sealed("one", rows[:1]), sealed("two", rows[:2]), sealed("seven", rows[:7]),
             sealed("repeated", rows[:3] + rows[:3]), sealed("twenty \u00fc \"quoted\"", rows, host="", timestamp="2026-11-20T12:00:00+02:00"),
             sealed("with a salt", rows[:7], bytes(range(32)))]
    return {"seed": seed.hex(), "publicKey": public.hex(), "keyId": signer, "cases": cases}

if __name__ == "__main__":
    print(json.dumps(golden(), indent=2))
