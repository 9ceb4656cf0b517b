"""Checkpoints, FORMAT.md "Checkpoints", written from that page alone.

    checkpoints.py > ../vectors/checkpoint-1.json

makes the golden checkpoints, with the key of RFC 8032, TEST 1.
"""
import base64, calendar, hashlib, json, re

KEYS = {}  # by key id

MOST = 16_384
NUMBER = "(?:0|[1-9][0-9]{0,15})"
HEX = "[0-9a-f]{32}"
TIME = r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{6}Z"
EMPTY = hashlib.sha256().digest()

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def note_key_id(name, key):
    kind = b"\1" + key if len(key) == 32 else b"\xffalvarium.Checkpoint/1"
    return sha256(name.encode() + b"\n" + kind)[:4]

def opened(message, need):
    """Returns the text of a checkpoint, its signatures, its origin, the key id of its signer,
    and its run.
    """
    note = note_in(message, need)
    text, separator, seals = note.rpartition("\n\n")
    text += "\n"
    need(separator)
    lines = seals.split("\n")
    need(lines.pop() == "" and 1 <= len(lines) <= 16)
    seals = [seal(line, need) for line in lines]
    origin = re.fullmatch(f"checkpoint.alvarium/1/({HEX})/({HEX})".replace(".", "[.]"), text.split("\n")[0])
    need(origin)
    return text, seals, *origin.group(0, 1, 2)

def verify(message, keyring, need):
    """Returns the content of a checkpoint; `need` raises a code."""
    text, seals, name, signer, run = opened(message, need)
    need(signer in keyring, "SIGNER_UNKNOWN")
    own = [one for whose, id_, one in seals if (whose, id_) == (name, note_key_id(name, KEYS[signer]))]
    need(len(own) == 1 and len(own[0]) == 64)
    need(keyring[signer](own[0], text.encode()), "SIGNATURE_INVALID")
    return {"signer": signer, "run": run, **said(text, need)}

def unsigned(message, need):
    """Returns the content of a checkpoint whose log a lease proves, without verifying the
    signature, which adds nothing.
    """
    text, _, _, signer, run = opened(message, need)
    return {"signer": signer, "run": run, **said(text, need)}

def note_in(message, need):
    need(len(message) <= 2**21)
    try:
        value = json.loads(message.decode())
        note = value["content"]
        canonical = json.dumps({"messageType": "alvarium.Checkpoint/1", "content": note}, ensure_ascii=False, separators=(",", ":"))
        need(message.decode().strip(" \t\r\n") == canonical)
        need(not re.search("[\0-\x09\x0b-\x1f]", note) and note.encode())
    except (ValueError, KeyError, TypeError, RecursionError):
        need(False)
    return note

def seal(line, need):
    parts = line[2:].split(" ")
    need(line.startswith("\u2014 ") and len(line) <= 8192 and len(parts) == 2 and parts[0])
    sealed = base64_in(parts[1], need)
    need(len(sealed) > 4)
    return parts[0], sealed[:4], sealed[4:]

def base64_in(text, need):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        need(False)
    need(base64.b64encode(data).decode() == text)
    return data

def number(text, need):
    need(re.fullmatch(NUMBER, text) and int(text) < 2**53)
    return int(text)

def root(text, need):
    data = base64_in(text, need)
    need(len(data) == 32)
    return data.hex()

def time(text, need):
    parts = re.fullmatch(TIME, text, re.ASCII)
    need(parts)
    year, month, day, *clock = map(int, parts.groups())
    need(1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1])
    need(all(part <= most for part, most in zip(clock, (23, 59, 60))))
    return text

def ranges(text, size, need):
    found, least = [], 0
    for part in text.split(" "):
        need(re.fullmatch(f"{NUMBER}(-{NUMBER})?", part))
        first, *last = (number(one, need) for one in part.split("-"))
        last = last[0] if last else first
        need(least <= first and (first < last or "-" not in part) and last < size)
        found.append({"first": first, "last": last})
        least = last + 2
    need(len(found) <= MOST)
    return found

def said(text, need):
    lines = text.split("\n")
    need(lines.pop() == "")
    lines = lines[1:]

    def take(word=None):
        need(lines and (word is None or lines[0].startswith(word + " ")))
        return lines.pop(0)[len(word) + 1 if word else 0:]

    def has(word):
        return bool(lines) and lines[0].startswith(word + " ")

    def sized(parts, count):
        need(len(parts) == count)
        return {"size": number(parts[0], need), "root": root(parts[1], need)}

    size, own_root = number(take(), need), root(take(), need)
    said = {"size": size, "root": own_root, "number": number(take("number"), need)}
    parts = take("from").split(" ")
    said["from"] = {**sized(parts, 3), "at": time(parts[2], need)}
    width = 8
    if has("peaks") or lines[:1] == ["peaks"]:
        width = 32
        peaks = base64_in(take("peaks"), need) if has("peaks") else lines.pop(0) and b""
        said["peaks"] = [peaks[at:at + 32].hex() for at in range(0, len(peaks), 32)]
    if has("after"):
        run, *parts = take("after").split(" ")
        need(re.fullmatch(HEX, run))
        said["after"] = {"run": run, **sized(parts, 2)}
    said["at"] = time(take("at"), need)
    said["entries"] = []
    while has("bundles") or has("batch"):
        if has("bundles"):
            ids = base64_in(take("bundles"), need)
            need(ids and len(ids) % width == 0)
            said["entries"] += [entry(ids[at:at + width], 1) for at in range(0, len(ids), width)]
        else:
            parts = take("batch").split(" ")
            need(len(parts) == 2)
            count, id_ = number(parts[0], need), base64_in(parts[1], need)
            need(1 <= count <= 65_536 and len(id_) == width)
            said["entries"].append(entry(id_, count))
        need(len(said["entries"]) <= MOST)
    for word in ("pending", "refused"):
        said[word] = ranges(take(word), size, need) if has(word) else []
    said["isLast"] = lines[:1] == ["end"]
    need(lines == (["end"] if said["isLast"] else []))
    before = said["from"]
    need(size - before["size"] == len(said["entries"]) and said["at"] >= before["at"])
    need(before["size"] != size or before["root"] == own_root)
    need(before["size"] != 0 or before["root"] == EMPTY.hex())
    need(said["number"] != 0 or before["size"] == 0)
    if width == 32:
        subtrees = list(zip(heights(before["size"]), map(bytes.fromhex, said["peaks"])))
        need(len(subtrees) == len(said["peaks"]) == bin(before["size"]).count("1") and all(len(one) == 32 for _, one in subtrees))
        need(folded(subtrees).hex() == before["root"])
        for one in said["entries"]:
            subtrees = grown(subtrees, bytes.fromhex(one["leaf"]))
        need(folded(subtrees).hex() == own_root)
    return said

def entry(leaf, bundles):
    return {"id": leaf[:8].hex(), "bundles": bundles, **({"leaf": leaf.hex()} if len(leaf) == 32 else {})}

def heights(size):
    """Returns the heights of the complete subtrees of a log, the largest first."""
    return [height for height in range(size.bit_length() - 1, -1, -1) if size >> height & 1]

def grown(subtrees, leaf):
    """Adds a leaf: two complete subtrees of one height become one of the next."""
    subtrees = [*subtrees, (0, leaf)]
    while len(subtrees) > 1 and subtrees[-1][0] == subtrees[-2][0]:
        (height, left), (_, right) = subtrees[-2:]
        subtrees[-2:] = [(height + 1, sha256(b"\1", left, right))]
    return subtrees

def folded(subtrees):
    """Returns the root over subtrees."""
    if not subtrees:
        return EMPTY
    *others, (_, node) = subtrees
    for _, left in reversed(others):
        node = sha256(b"\1", left, node)
    return node

# ── Golden checkpoints ──

SEEDS = ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
         "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")

def b64(data):
    return base64.b64encode(data).decode()

def subtrees(leaves):
    """Returns the hashes of the complete subtrees of a log, the largest first."""
    at = 0
    for height in heights(len(leaves)):
        yield root_of(leaves[at:at + 2**height])
        at += 2**height

def peaks(leaves):
    return f"peaks {b64(b''.join(subtrees(leaves)))}" if leaves else "peaks"

def noted(private, public, name, text):
    """Returns the message of a text."""
    line = f"\u2014 {name} {b64(note_key_id(name, public) + private.sign(text.encode()))}"
    note = f"{text}\n{line}\n"
    message = json.dumps({"messageType": "alvarium.Checkpoint/1", "content": note}, ensure_ascii=False, separators=(",", ":"))
    return {"text": text, "note": note, "message": message}

def signed_by(holder, leaves, first, last):
    """Returns a checkpoint of single bundles from one size to another, with whole leaves."""
    private, public = holder
    name = f"checkpoint.alvarium/1/{sha256(public).hex()[:32]}/{bytes(range(16)).hex()}"
    size, before = (f"{one} {b64(root_of(leaves[:one]))}" for one in (last, first))
    at = "2026-11-20T10:44:30.000000Z"
    lines = [name, *size.split(" "), f"number {first}", f"from {before} {at}", peaks(leaves[:first]), f"at {at}",
             f"bundles {b64(b''.join(leaves[first:last]))}"]
    return noted(private, public, name, "\n".join(lines) + "\n")["message"]

def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY
    split = 2 ** ((len(leaves) - 1).bit_length() - 1)
    return sha256(b"\1", root_of(leaves[:split]), root_of(leaves[split:]))

def golden():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    seed = bytes.fromhex(SEEDS[0])
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    name = f"checkpoint.alvarium/1/{sha256(public).hex()[:32]}/{bytes(range(16)).hex()}"
    leaves = [sha256(b"\0", f"leaf {at}".encode()) for at in range(13)]

    def log(size):
        return f"{size} {b64(root_of(leaves[:size]))}"

    def ids(first, last):
        return b64(b"".join(leaf[:8] for leaf in leaves[first:last]))

    def clock(second):
        return f"2026-11-20T10:00:{second:02}.000000Z"

    def checkpoint(size, *lines):
        text = "\n".join([name, *log(size).split(" "), *lines]) + "\n"
        return noted(private, public, name, text)

    cases = [
        checkpoint(0, "number 0", f"from {log(0)} {clock(0)}", f"after {'f' * 32} {log(12)}", f"at {clock(0)}"),
        checkpoint(5, "number 1", f"from {log(0)} {clock(0)}", f"at {clock(10)}", f"bundles {ids(0, 5)}", "pending 1 3-4"),
        checkpoint(9, "number 2", f"from {log(5)} {clock(10)}", f"at {clock(20)}", f"batch 256 {ids(5, 6)}",
                   f"bundles {ids(6, 8)}", f"batch 2 {ids(8, 9)}", "pending 4", "refused 1 6-7"),
        checkpoint(9, "number 3", f"from {log(9)} {clock(20)}", f"at {clock(20)}", "refused 4"),
        checkpoint(13, "number 4", f"from {log(9)} {clock(20)}", f"at {clock(59)}", f"bundles {ids(9, 13)}", "end"),
    ]
    def whole(first, last):
        return b64(b"".join(leaves[first:last]))

    cases += [
        checkpoint(0, "number 0", f"from {log(0)} {clock(0)}", peaks([]), f"at {clock(0)}"),
        checkpoint(7, "number 1", f"from {log(0)} {clock(0)}", peaks([]), f"after {'f' * 32} {log(12)}", f"at {clock(10)}",
                   f"bundles {whole(0, 6)}", f"batch 3 {whole(6, 7)}", "pending 1 3-4"),
        checkpoint(13, "number 2", f"from {log(7)} {clock(10)}", peaks(leaves[:7]), f"at {clock(20)}", f"bundles {whole(7, 13)}", "end"),
    ]
    vkey = f"{name}+{note_key_id(name, public).hex()}+{b64(bytes([1]) + public)}"
    return {"publicKey": public.hex(), "seed": seed.hex(), "vkey": vkey,
            "leaves": [leaf.hex() for leaf in leaves],
            "roots": [root_of(leaves[:size]).hex() for size in range(14)], "cases": cases}

if __name__ == "__main__":
    print(json.dumps(golden(), indent=2, ensure_ascii=False))
