"""Batches in CBOR, FORMAT.md "Batches in CBOR", written from that page alone.

    batches.py > ../vectors/batch-cbor-1.json

makes the golden batches, with the key of RFC 8032, TEST 1.
"""
import datetime, hashlib, json, re

SHARED, ANSWER = ["action", "hash", "host", "layer", "annotations"], ["kind", "tag", "isSatisfied"]
NEAR = 2**32
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
YEAR_1970 = datetime.datetime(1970, 1, 1)

def ulid(number):
    return "".join(DIGITS[number >> 5 * at & 31] for at in reversed(range(26)))

def number_of(id):
    return sum(DIGITS.index(digit) << 5 * at for at, digit in enumerate(reversed(id)))

def micros_of(timestamp):
    """Reads microseconds since 1970, of a timestamp that has six digits of fraction and Z, from 1970 on and at no leap second."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", timestamp, re.ASCII):
        return None
    try:
        micros = (datetime.datetime.fromisoformat(timestamp[:-1]) - YEAR_1970) // datetime.timedelta(microseconds=1)
    except ValueError:
        return None
    return micros if micros >= 0 else None

def timestamp_of(micros):
    return (YEAR_1970 + datetime.timedelta(microseconds=micros)).isoformat(timespec="microseconds") + "Z"

# ── reading: rows become objects, and each rule that leaves a writer no choice is checked ──

class Rows:
    def __init__(self, need):
        self.need, self.shared, self.spelt, self.id, self.micros = need, [], set(), None, None

    def members(self, item):
        if type(item) is int:
            self.need(item < len(self.shared))
            return self.shared[item]
        self.need(type(item) is dict and list(item) == SHARED and type(item["annotations"]) is list)
        self.need(all(type(one) is dict and list(one) == ANSWER for one in item["annotations"]))
        self.need(repr(item) not in self.spelt)
        self.shared.append(item)
        self.spelt.add(repr(item))
        return item

    def next_id(self, item):
        if type(item) is int:
            self.need(item < NEAR and self.id is not None)
            number = self.id + item
        else:
            self.need(type(item) is bytes and len(item) == 16)
            number = int.from_bytes(item, "big")
            self.need(self.id is None or not 0 <= number - self.id < NEAR)
        self.need(number < 2**128)
        self.id = number
        return ulid(number)

    def next_time(self, item):
        before, self.micros = self.micros, None
        if type(item) is str:
            self.micros = micros_of(item)
            self.need(None in (before, self.micros) or not 0 <= self.micros - before < NEAR)
            return item
        self.need(type(item) is int and item < NEAR and before is not None)
        self.micros = before + item
        try:
            return timestamp_of(self.micros)
        except OverflowError:
            self.need(False)

    def bundle(self, row):
        self.need(type(row) is list and len(row) > 0)
        shared = self.members(row[0])
        answers = shared["annotations"]
        ids, rest = row[1:1 + len(answers)], row[1 + len(answers):]
        self.need(len(rest) in (2, 3))
        annotations = [{"id": self.next_id(one), **answer} for one, answer in zip(ids, answers)]
        own = {"timestamp": self.next_time(rest[0]), "key": rest[1], "annotations": annotations}
        for made_from in rest[2:]:
            own["inputs" if type(made_from) is list else "previousKey"] = made_from
        return {**shared, **own}

def in_objects(value, need):
    """Returns the message of a batch with an object for each row."""
    need(list(value) == ["messageType", "content"])
    content = value["content"]
    need(type(content) is dict and list(content) == ["signature", "signer", "bundles"] and type(content["bundles"]) is list)
    rows = Rows(need)
    return {**value, "content": {**content, "bundles": [rows.bundle(row) for row in content["bundles"]]}}

# ── the other way: what a writer does ──

def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    size, short = next((size, short) for size, short in ((1, 24), (2, 25), (4, 26)) if argument < 256**size)
    return bytes([major << 5 | short]) + argument.to_bytes(size, "big")

def item_of(value):
    """Encodes an item. Keys of a dict are the numbers of members."""
    if type(value) is bool:
        return b"\xf5" if value else b"\xf4"
    if type(value) is int:
        return head(0, value)
    if type(value) is bytes:
        return head(2, len(value)) + value
    if type(value) is str:
        return head(3, len(value.encode())) + value.encode()
    if type(value) is dict:
        return head(5, len(value)) + b"".join(head(0, number) + item_of(one) for number, one in value.items())
    return head(4, len(value)) + b"".join(map(item_of, value))

def key_item(key, hash):
    return key if hash == "none" else bytes.fromhex(key)

def input_item(value):
    return {22: bytes.fromhex(value["set"])} if "set" in value else {5: key_item(value["key"], value["hash"]), 7: value["hash"]}

def rows_of(bundles):
    shared, last_id, last_time = [], None, None
    for one in bundles:
        members = {0: one["action"], 7: one["hash"], 8: one["host"], 9: one["layer"],
                   11: [{13: each["kind"], 14: each["tag"], 15: each["isSatisfied"]} for each in one["annotations"]]}
        row = [shared.index(members) if members in shared else members]
        if members not in shared:
            shared.append(members)
        for each in one["annotations"]:
            number = number_of(each["id"])
            is_near = last_id is not None and 0 <= number - last_id < NEAR
            row.append(number - last_id if is_near else number.to_bytes(16, "big"))
            last_id = number
        time = micros_of(one["timestamp"])
        is_near = None not in (time, last_time) and 0 <= time - last_time < NEAR
        row.append(time - last_time if is_near else one["timestamp"])
        last_time = time
        row.append(key_item(one["key"], one["hash"]))
        if "previousKey" in one:
            row.append(key_item(one["previousKey"], one["hash"]))
        if "inputs" in one:
            row.append([input_item(each) for each in one["inputs"]])
        yield row

def in_cbor(message):
    content = message["content"]
    return item_of({1: message["messageType"], 2: {3: bytes.fromhex(content["signature"]), 4: bytes.fromhex(content["signer"]),
                                                   16: list(rows_of(content["bundles"]))}})

def golden():
    import verify as messages
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signer = hashlib.sha256(public).digest()[:16].hex()
    first_id, first_time = number_of("01M7W6C3BV03ZH28HK8HAPCXW8"), micros_of("2026-11-20T10:00:00.123456Z")

    def key_of(payload, hash="sha256"):
        return payload if hash == "none" else hashlib.new(hash, payload.encode()).hexdigest().upper()

    def bundle(at, payload=None, hash="sha256", action="create", id=None, micros=None, kinds=("src",), tag="v1", no=(), **more):
        own = {"action": action, "key": key_of(payload or f"payload {at}", hash), "hash": hash, "host": "edge-7", "layer": "app",
               "timestamp": timestamp_of(first_time + 17 * at if micros is None else micros)}
        start = first_id + len(kinds) * at if id is None else id
        annotations = [{"id": ulid(start + place), "kind": kind, "tag": tag, "isSatisfied": kind not in no} for place, kind in enumerate(kinds)]
        # In the order in which our writer writes JSON.
        made_from = {name: more.pop(name) for name in ("previousKey", "inputs") if name in more}
        action_and_key = {name: own.pop(name) for name in ("action", "key")}
        return {**action_and_key, **made_from, **{**own, **more}, "annotations": annotations}

    def case_of(name, bundles):
        batch = {"messageType": messages.BATCH, "content": {"signature": "", "signer": signer, "bundles": bundles}}
        said, signed = messages.said_by(batch)
        batch["content"]["signature"] = private.sign(signed).hex()
        return {"name": name, "message": json.dumps(batch, ensure_ascii=False, separators=(",", ":")), "cbor": in_cbor(batch).hex(),
                "identity": signed.hex(), "ids": [hashlib.sha256(b"\0" + messages.identity(one)).hexdigest() for one in said]}

    two = ("src", "tls")
    at_time = lambda at, text: {**bundle(at), "timestamp": text}
    cases = [
        case_of("one bundle", [bundle(0)]),
        case_of("three that differ in key, time and id", [bundle(at) for at in range(3)]),
        case_of("answers that differ, and return", [bundle(0, kinds=two), bundle(1, kinds=two, no=two[1:]), bundle(2, kinds=two), bundle(3, kinds=two, no=two[1:])]),
        case_of("heads of each length", [bundle(0), *(bundle(at, id=first_id + step, micros=first_time + step) for at, step in enumerate((23, 47, 302, 557, 66_092, 131_627, 4_295_098_922), 1))]),
        case_of("ids that are too far, behind, or the same", [bundle(0), bundle(1, id=first_id + 2**32), bundle(2, id=first_id), bundle(3, id=first_id), bundle(4, id=0), bundle(5, id=2**128 - 1)]),
        case_of("times that are too far, behind, or the same", [bundle(at, micros=first_time + step) for at, step in enumerate((0, 2**32, 2**32 - 1, -1, -1, 2**32 - 2, 2**32 - 2 + 2**32))]),
        case_of("times in other forms, and at the ends", [bundle(0), at_time(1, "2026-11-20T10:00:00.123457+00:00"), bundle(2), at_time(3, "2026-11-20T23:59:60.000000Z"),
                                                         at_time(4, "1970-01-01T00:00:00.000000Z"), at_time(5, "1969-12-31T23:59:59.999999Z"), at_time(6, "9999-12-31T23:59:59.999999Z")]),
        case_of("a leap second, and its neighbours", [at_time(at, f"{text}Z") for at, text in enumerate(
            ("2016-12-31T23:59:59.999999", "2016-12-31T23:59:60.000000", "2017-01-01T00:00:00.000000", "2017-01-01T00:00:00.000001"))]),
        case_of("other hashes and actions", [bundle(0, hash="md5"), bundle(1, "\u00e9 \"quoted\"\n", "none", "transit"), bundle(2, action="mutate", previousKey=key_of("before")),
                                            bundle(3, "after", "none", "mutate", previousKey=""), bundle(4, action="publish")]),
        case_of("inputs", [bundle(0, action="mutate", inputs=[{"hash": "sha256", "key": key_of("a")}, {"set": hashlib.sha256(b"a set").hexdigest()}]),
                          bundle(1, action="mutate", inputs=[{"hash": "none", "key": ""}, {"hash": "md5", "key": key_of("b", "md5")}])]),
        case_of("no annotations, and other hosts and layers", [bundle(0, kinds=()), bundle(1, kinds=(), host="", layer="cicd"), bundle(2, kinds=("src",) * 3, tag="")]),
    ]
    origin = "Made by tests/independent/batches.py from crate/FORMAT.md with Python's cryptography; the seed is that of RFC 8032 §7.1 TEST 1."
    return {"origin": origin, "seed": seed.hex(), "publicKey": public.hex(), "keyId": signer, "cases": cases}

if __name__ == "__main__":
    print(json.dumps(golden(), indent=2, ensure_ascii=False))
