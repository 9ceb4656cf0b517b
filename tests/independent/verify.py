"""Verifies Alvarium messages: crate/FORMAT.md in another language, written from that page alone. Checkpoints: checkpoints.py.

    verify.py KEY... < questions > verdicts

A KEY is the hex of 32 bytes of Ed25519, or of a SubjectPublicKeyInfo. A question is a line of JSON with a `message` in
base64, and `cbor` true for a message in CBOR. Optional members are the `payload`, `leases` and `checkpoints` in base64,
and the time when it was `received`. `late` are the milliseconds that it may be late, `revoked` the times since which
serials are revoked, and `ends` the ends of issuers by key id. A verdict is a line with the verified `bundles`, or with the `code` of the error. For a
question with a `lease` alone, it is the content of the lease. The program needs the package `cryptography`, 38 or newer.
"""
import base64, calendar, hashlib, json, re, sys
import batches, checkpoints, inputs, manifests, sets, signatures, store_logs

if __name__ == "__main__":
    sys.modules["verify"] = sys.modules["__main__"]  # for leases.py

class Refused(Exception):
    """An error whose argument is a code of FORMAT.md, "Verification"."""

def need(is_so, code="MESSAGE_MALFORMED"):
    if not is_so:
        raise Refused(code)

# ── "bundle/1" and "batch/1": values of each member ──

BUNDLE, BATCH, BATCHED = (f"alvarium.{name}/1" for name in ("AnnotationBundle", "AnnotationBatch", "BatchedBundle"))
MADE = "alvarium.AnnotationBundle/2"

def kind_of(type_):
    return lambda value: type(value) is type_

def matching(pattern):
    return lambda value: type(value) is str and re.fullmatch(pattern, value)

def text(least, most):
    return lambda value: type(value) is str and least <= len(value.encode()) <= most

def listed(least, most, is_item):
    return lambda value: type(value) is list and least <= len(value) <= most and all(map(is_item, value))

def having(members):
    return lambda value: type(value) is dict and value.keys() == members.keys() and all(
        is_right(value[name]) for name, is_right in members.items())

def is_timestamp(value):
    date, time = r"(\d{4})-(\d\d)-(\d\d)", r"(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))"
    parts = type(value) is str and re.fullmatch(f"{date}T{time}", value, re.ASCII)
    if not parts:
        return False
    year, month, day, *clock = (int(part or 0) for part in parts.groups())
    is_date = 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
    return is_date and all(part <= most for part, most in zip(clock, (23, 59, 60, 23, 59)))

def is_proof(value):
    return having(PROOF)(value) and value["index"] < value["size"] <= 65_536

KEYS = {"sha256": matching("[0-9A-F]{64}"), "md5": matching("[0-9A-F]{32}"), "none": text(0, 65_536)}
ACTION = {"action": matching("create|mutate|transit|publish")}
SEAL = {"signature": matching("[0-9a-f]{128}"), "signer": matching("[0-9a-f]{32}")}
PROOF = {"index": kind_of(int), "size": kind_of(int), "path": listed(0, 16, matching("[0-9a-f]{64}"))}
ANNOTATION = {"id": matching("[0-7][0-9A-HJKMNP-TV-Z]{25}"), "kind": text(1, 255), "tag": text(0, 1024),
              "isSatisfied": kind_of(bool)}
CALL = {"hash": kind_of(str), "host": text(0, 255), "layer": matching("app|cicd|os|host"),
        "timestamp": is_timestamp, "annotations": listed(0, 256, having(ANNOTATION))}

def is_call(value, action, others, inputs=inputs.are_all):
    is_key = KEYS.get(str(value.get("hash")))
    if action == "mutate" and "inputs" in value:
        others = {**others, "inputs": inputs}
    elif action == "mutate":
        others = {**others, "previousKey": is_key}
    return is_key and having({**CALL, "key": is_key, **others})(value)

def is_bundle_of_batch(value):
    return type(value) is dict and is_call(value, value.get("action"), ACTION)

def is_message(value, inputs=inputs.are_all):
    if type(value) is not dict or type(value.get("content")) is not dict:
        return False
    kind, content = value.get("messageType"), value["content"]
    if kind == BATCH:
        is_batch = having({**SEAL, "bundles": listed(1, 65_536, is_bundle_of_batch)})
        return value.keys() == {"messageType", "content"} and is_batch(content)
    others = {BUNDLE: SEAL, MADE: SEAL, BATCHED: {**SEAL, "proof": is_proof}}.get(str(kind))
    is_envelope = having({**ACTION, "messageType": lambda _: others, "content": kind_of(dict)})
    of_its_kind = kind == BATCHED or ("inputs" in content) == (kind == MADE)
    return is_envelope(value) and of_its_kind and is_call(content, value["action"], others, inputs)

# ── Bytes into objects ──

NAMES = ("action messageType content signature signer key previousKey hash host layer timestamp annotations "
         "id kind tag isSatisfied bundles proof index size path inputs set").split()  # by their numbers

def once(pairs):
    need(len(dict(pairs)) == len(pairs))
    return dict(pairs)

def cbor_item(data, at):
    """Returns the item that begins at a position, and its end."""
    major, short = data[at] >> 5, data[at] & 31
    if major == 7:
        need(short in (20, 21))
        return short == 21, at + 1
    size = 0 if short < 24 else 2 ** (short - 24)
    end = at + 1 + size
    number = int.from_bytes(data[at + 1:end], "big") if size else short
    need(major in (0, 2, 3, 4, 5) and short < 28 and end <= len(data))
    need(size == 0 or number >= (24 if size == 1 else 2 ** (4 * size)))  # the shortest form
    if major == 0:
        return number, end
    need(number <= len(data) - end)  # each byte and each item takes one
    if major < 4:
        piece = data[end:end + number]
        return piece if major == 2 else piece.decode(), end + number
    items = []
    for _ in range(number if major == 4 else 2 * number):
        item, end = cbor_item(data, end)
        items.append(item)
    need(major == 4 or all(type(key) is int for key in items[::2]))
    return items if major == 4 else once([(NAMES[key], item) for key, item in zip(items[::2], items[1::2])]), end

def in_hex(value, name="", is_hashed=True):
    """Returns an object as in JSON: byte strings are allowed only in their own members, and
    required there.
    """
    if type(value) is dict:
        return {name: in_hex(one, name, value.get("hash") != "none") for name, one in value.items()}
    if type(value) is list:
        return [in_hex(one, name, is_hashed) for one in value]
    is_key = name in ("key", "previousKey")
    need((type(value) is bytes) == (name in ("signature", "signer", "path", "set") or is_key and is_hashed))
    return value if type(value) is not bytes else value.hex().upper() if is_key else value.hex()

def number_of(spelt):
    return int(spelt) if spelt.isdigit() else None  # no number of the format has a sign

def objects(message, is_cbor):
    if not is_cbor:
        return json.loads(message.decode(), object_pairs_hook=once, parse_int=number_of)
    value, end = cbor_item(message, 0)
    need(end == len(message))
    is_batch = type(value) is dict and value.get("messageType") == BATCH
    return in_hex(batches.in_objects(value, need) if is_batch else value)

def read(message, is_cbor):
    try:
        value = objects(message, is_cbor)
        need(is_message(value))
    except (ValueError, IndexError, RecursionError):
        raise Refused("MESSAGE_MALFORMED") from None
    in_json = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() if is_cbor else message
    is_long = value["messageType"] == BATCH or "inputs" in value["content"]
    need(max(len(message), len(in_json)) <= 2**21 * (8 if is_long else 1))
    return value

# ── "Identity bytes", and the tree of "batch/1" ──

def u32(number):
    return number.to_bytes(4, "big")

def prefixed(*values):
    return b"".join(u32(len(value.encode())) + value.encode() for value in values)

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def identity(bundle):
    previous = b"\1" + prefixed(bundle["previousKey"]) if "previousKey" in bundle else b"\0"
    previous = inputs.signed(bundle["inputs"]) if "inputs" in bundle else previous
    others = prefixed(*(bundle[name] for name in ("hash", "host", "layer", "timestamp", "signer")))
    annotations = [prefixed(one["id"], one["kind"], one["tag"]) + bytes([one["isSatisfied"]])
                   for one in bundle["annotations"]]
    start = (MADE if "inputs" in bundle else BUNDLE).encode() + b"\n" + prefixed(bundle["action"], bundle["key"])
    return b"".join([start, previous, others, u32(len(annotations)), *annotations])

def root_of(leaves):
    if len(leaves) == 1:
        return leaves[0]
    split = 2 ** ((len(leaves) - 1).bit_length() - 1)
    return sha256(b"\1", root_of(leaves[:split]), root_of(leaves[split:]))

def root_by(proof, node):
    at, last = proof["index"], proof["size"] - 1
    for sibling in map(bytes.fromhex, proof["path"]):
        need(last > 0, "SIGNATURE_INVALID")
        node = sha256(b"\1", sibling, node) if at % 2 or at == last else sha256(b"\1", node, sibling)
        while at % 2 == 0 and at == last:
            at, last = at // 2, last // 2
        at, last = at // 2, last // 2
    need(last == 0, "SIGNATURE_INVALID")
    return node

# ── "Verification" ──

def said_by(message):
    """Returns the bundles of a message, each with all of its content, and the signed bytes."""
    content, kind = message["content"], message["messageType"]
    alone = {name: one for name, one in content.items() if name not in ("signature", "proof")}
    said = content.get("bundles", [{**alone, "action": message.get("action")}])
    bundles = [{**one, "signer": content["signer"]} for one in said]
    if kind in (BUNDLE, MADE):
        return bundles, identity(bundles[0])
    leaves = [sha256(b"\0", identity(bundle)) for bundle in bundles]
    size, root = (len(leaves), root_of(leaves)) if kind == BATCH else (
        content["proof"]["size"], root_by(content["proof"], leaves[0]))
    return bundles, BATCH.encode() + b"\n" + prefixed(content["signer"]) + u32(size) + root

def is_about(bundle, payload):
    hashed = bundle["hash"] != "none" and hashlib.new(bundle["hash"], payload).hexdigest().upper().encode()
    return bundle["key"].encode() == (hashed or payload)

def verify(message, is_cbor, keyring, payload):
    """Returns the bundles of a message with their ids, or raises Refused."""
    value = read(message, is_cbor)
    is_signature = keyring.get(value["content"]["signer"])
    need(is_signature, "SIGNER_UNKNOWN")
    bundles, signed = said_by(value)
    need(is_signature(bytes.fromhex(value["content"]["signature"]), signed), "SIGNATURE_INVALID")
    need(payload is None or all(is_about(bundle, payload) for bundle in bundles), "PAYLOAD_MISMATCH")
    return [{**bundle, "id": sha256(b"\0", identity(bundle)).hex()} for bundle in bundles]

def reader_of(question):
    """Returns the witnesses that a question names, and their quorum."""
    if "witnesses" not in question:
        return None
    import cosignatures
    return cosignatures.Reader(question["witnesses"], question.get("quorum"), need)

def answer(question, keyring):
    payload = base64.b64decode(question["payload"]) if "payload" in question else None
    try:
        if "lease" in question:
            return {"lease": leases.read(base64.b64decode(question["lease"]))}
        if question.get("checkpoint"):
            return {"checkpoint": checkpoints.verify(base64.b64decode(question["message"]), keyring, need)}
        if question.get("input"):
            return {"input": inputs.verify(base64.b64decode(question["message"]), keyring, payload, need)}
        if "proof_of" in question:
            return {"log": store_logs.verify(question["text"], bytes.fromhex(question["proof_of"]), question["vkey"], need, reader_of(question))}
        if "notes" in question:
            import cosignatures
            return {"witnessed": cosignatures.judge(question, need)}
        if "pruning" in question:
            return {"pruning": store_logs.pruning(base64.b64decode(question["pruning"]), need)}
        if "classic_record" in question:
            return {"classic": store_logs.classic(base64.b64decode(question["classic_record"]), need)}
        if "report" in question:
            import completeness
            return completeness.answer(question, keyring, need, Refused)
        if "pack" in question:
            import packs
            its = (base64.b64decode(question["pack"]), leases.Reader(keyring), need, Refused, question.get("confirming", ()))
            return {"pack": packs.verify(*its, seen_by=reader_of(question))}
        if "manifest" in question or "record_of" in question:
            return manifests.answer(question, keyring, need)
        if "set" in question:
            return sets.answer(question, keyring, need)
        message = (base64.b64decode(question["message"]), question.get("cbor"))
        given = [base64.b64decode(lease) for lease in question.get("leases", [])]
        notes = [base64.b64decode(one) for one in question.get("checkpoints", [])]
        moment = lambda timestamp: timestamp and leases.nanoseconds(timestamp)
        revoked = {serial: moment(since) for serial, since in question.get("revoked", {}).items()}
        ends = {issuer: moment(end) for issuer, end in question.get("ends", {}).items()}
        known = (notes, moment(question.get("received")), question.get("late", 0) * 10**6, revoked, ends)
        bundles = leases.verify(*message, keyring, payload, given, *known)
        left = {"who"} if "by" in bundles[0] else {"who", "time"}
        return {"bundles": [{name: one for name, one in bundle.items() if name not in left} for bundle in bundles]}
    except Refused as refused:
        return {"code": str(refused)}

if __name__ == "__main__":
    import leases
    known = {sha256(key).hex()[:32]: signatures.verifier(key) for key in map(bytes.fromhex, sys.argv[1:])}
    checkpoints.KEYS.update({sha256(key).hex()[:32]: key for key in map(bytes.fromhex, sys.argv[1:])})
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), known)))
