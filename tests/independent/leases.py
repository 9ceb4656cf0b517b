"""Leases: FORMAT.md "lease/1", in another language, written from that page alone. A signer of the keyring may state
everything until its end.

    leases.py > ../vectors/lease-log-1.json

makes golden leases, the second of which states the log of the first, with the keys of RFC 8032, TEST 1 and TEST 2.
"""
import calendar, functools, hashlib, json, re
import checkpoints, signatures, verify as messages
from verify import CALL, Refused, matching, listed, need, once, text, u32, prefixed

TYPE = "alvarium.Lease/1"

MAX_STARS, MAX_SEARCHES, MAX_LEASES = 8, 8, 4

def is_pattern(value):
    is_text = text(0, 1024)(value) and re.fullmatch(r"(?:[^\\]|\\[*\\])*", value, re.DOTALL)
    return is_text and parts_of(value).count("*") <= MAX_STARS

def parts_of(pattern):
    """Returns the characters of a pattern, with the backslash before them, and its stars."""
    return re.findall(r"\\.|[^\\]", pattern, re.DOTALL)

def is_search(pattern):
    """Returns whether a pattern with a star is neither `text*` nor `*text`."""
    parts = parts_of(pattern)
    return parts.count("*") > 1 or "*" in parts[1:-1]

def has_few_searches(content):
    patterns = [content.get(name, []) for name in ("hosts", "kinds", "tags")]
    return all(sum(map(is_search, some)) <= MAX_SEARCHES for some in patterns)

LISTS = {"hosts": is_pattern, "layers": CALL["layer"], "actions": messages.ACTION["action"], "kinds": is_pattern, "tags": is_pattern}
MEMBERS = {"signature": matching("[0-9a-f]{128}"), "subjectSignature": matching("[0-9a-f]{128}"),
           "issuer": matching("[0-9a-f]{32}"), "subject": matching("(?:[0-9a-f]{2})+"), "name": text(0, 255),
           "serial": matching("[0-9a-f]{32}"), "from": messages.is_timestamp, "until": messages.is_timestamp}

verifier_of = functools.cache(signatures.verifier)  # checking a key takes long

is_log = messages.having({"run": matching("[0-9a-f]{32}"), "size": lambda value: type(value) is int and 1 <= value < 2**53,
                          "root": matching("[0-9a-f]{64}")})

def key_id(subject):
    return hashlib.sha256(bytes.fromhex(subject)).hexdigest()[:32]

def nanoseconds(timestamp):
    date, fraction, offset = re.fullmatch(r"(.{19})(?:\.(\d+))?(.+)", timestamp).groups()
    year, month, day, hour, minute, second = map(int, re.split("[-T:]", date))
    sign, east = (-1 if offset[0] == "-" else 1), [0, 0] if offset == "Z" else [int(part) for part in offset[1:].split(":")]
    shift = 0 if year else 400  # Python has no year 0; the calendar repeats after 400 years
    days = calendar.timegm((year + shift, month, day, 0, 0, 0)) - (146_097 * 86_400 if shift else 0)
    seconds = days + hour * 3600 + minute * 60 + second - sign * (east[0] * 3600 + east[1] * 60)
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))

def spelt(content):
    order = [*MEMBERS, *LISTS, "log"]
    said = {name: content[name] for name in order if name in content}
    if "log" in said:
        said["log"] = {name: said["log"][name] for name in ("run", "size", "root")}
    value = {"messageType": TYPE, "content": said}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

def read(message):
    """Returns the content of a lease, or raises Refused."""
    try:
        need(len(message) <= 65_536)
        value = json.loads(message.decode(), object_pairs_hook=once)
        need(type(value) is dict and value.get("messageType") == TYPE and type(value.get("content")) is dict)
        content = value["content"]
        lists = {name: listed(0, 256, is_item) for name, is_item in LISTS.items() if name in content}
        log = {"log": is_log} if "log" in content else {}
        need(messages.having({**MEMBERS, **lists, **log})(content))
        need(has_few_searches(content))
        need(spelt(content).encode() == message)
        verifier_of(bytes.fromhex(content["subject"]))
        need(key_id(content["subject"]) != content["issuer"])
        need(nanoseconds(content["from"]) <= nanoseconds(content["until"]))
        return content
    except (ValueError, RecursionError):
        raise Refused("MESSAGE_MALFORMED") from None

def identity(lease):
    texts = prefixed(*(lease[name] for name in ("issuer", "subject", "name", "serial", "from", "until")))
    lists = [b"\0" if name not in lease else b"\1" + u32(len(lease[name])) + prefixed(*lease[name]) for name in LISTS]
    return f"{TYPE}\n".encode() + texts + b"".join(lists) + b"".join(logged(**lease["log"]) for _ in "1" if "log" in lease)

def logged(run, size, root):
    return prefixed(run) + size.to_bytes(8, "big") + prefixed(root)

def verified(message, keyring):
    """Returns the content of a good lease, and the verifier of its subject's signatures."""
    lease = read(message)
    is_issuers = keyring.get(lease["issuer"])
    need(is_issuers, "SIGNER_UNKNOWN")
    need(key_id(lease["subject"]) not in keyring, "SIGNER_NOT_ALLOWED")
    is_subjects, signed = verifier_of(bytes.fromhex(lease["subject"])), identity(lease)
    need(is_issuers(bytes.fromhex(lease["signature"]), signed), "SIGNATURE_INVALID")
    need(is_subjects(bytes.fromhex(lease["subjectSignature"]), signed), "SIGNATURE_INVALID")
    return lease, is_subjects

def allows(patterns, value):
    return any(re.fullmatch("".join(".*" if one == "*" else re.escape(one[-1]) for one in parts_of(pattern)), value, re.DOTALL)
               for pattern in patterns)

def holds(lease, bundle):
    """Returns whether a lease covers the time of a bundle, in milliseconds."""
    moment = lambda timestamp: nanoseconds(timestamp) // 10**6
    return moment(lease["from"]) <= moment(bundle["timestamp"]) <= moment(lease["until"])

def counting(good, bundle):
    """Returns the leases of the subject that count: of those valid at the time of the bundle,
    the four that begin last.
    """
    of_subject = [one for one in good if key_id(one[0]["subject"]) == bundle["signer"]]
    holding = sorted((nanoseconds(lease["from"]) // 10**6, lease["serial"], at) for at, (lease, _) in enumerate(of_subject) if holds(lease, bundle))
    left_out = {at for _, _, at in holding[:-MAX_LEASES]}
    return [one for at, one in enumerate(of_subject) if at not in left_out]

def states_log(lease, received, late, revoked, ends):
    """Returns whether a lease states a log for a message that was received then: leases here
    came with the messages.
    """
    end = ends.get(lease["issuer"])
    is_within = end is None or (nanoseconds(lease["from"]) <= end and received is not None and received <= end + late)
    return "log" in lease and lease["serial"] not in revoked and is_within

def proved(given, states):
    """Returns the latest possible time of each log of these checkpoints, and of each leaf, by
    the leases that state logs: both by the signer's key id.
    """
    roots, leaves = {}, {}
    for lease in states:
        log, at = lease["log"], nanoseconds(lease["from"])
        place = (key_id(lease["subject"]), log["run"], log["size"], log["root"])
        roots[place] = min(at, roots.get(place, at))
    # Walk backwards, once per checkpoint: each proves its predecessor.
    for _ in given if states else []:
        for one in given:
            at = roots.get((one["signer"], one["run"], one["size"], one["root"]))
            if at is not None:
                before = (one["signer"], one["run"], one["from"]["size"], one["from"]["root"])
                roots[before] = min(at, roots.get(before, at))
                for entry in one["entries"]:
                    place = (one["signer"], entry["leaf"])
                    leaves[place] = min(at, leaves.get(place, at))
    return roots, leaves

def of_issuer(bundles, received, late, end):
    """Checks the end of the issuer, in nanoseconds. None in `received` stands for an unknown time,
    in `end` for an unlimited one.
    """
    need(None in (end, received) or received <= end + late, "SIGNER_EXPIRED")
    need(end is None or all(nanoseconds(bundle["timestamp"]) <= end for bundle in bundles), "SIGNER_EXPIRED")

def in_time(lease, received, late, revoked):
    since = revoked.get(lease["serial"])
    need(since is None or (received is not None and received < since), "SIGNER_REVOKED")
    need(received is None or received <= nanoseconds(lease["until"]) + late, "SIGNER_EXPIRED")

def need_within(lease, said):
    is_in_time = nanoseconds(lease["from"]) <= nanoseconds(said["timestamp"]) <= nanoseconds(lease["until"])
    need(is_in_time, "SIGNER_EXPIRED")

def allow(lease, bundle):
    need_within(lease, bundle)
    said = {"hosts": [bundle["host"]], "layers": [bundle["layer"]], "actions": [bundle["action"]],
            "kinds": [one["kind"] for one in bundle["annotations"]], "tags": [one["tag"] for one in bundle["annotations"]]}
    for name, values in said.items():
        need(name not in lease or all(allows(lease[name], value) for value in values), "SIGNER_NOT_ALLOWED")

def read_checkpoints(given):
    """Returns the checkpoints that can prove a log."""
    for message in given:
        try:
            said = checkpoints.unsigned(message, need)
            if "peaks" in said:
                yield said
        except Refused:
            pass

def good_of(given, keyring):
    """Returns the content of good leases, each once, with the verifier of its subject's
    signatures.
    """
    good = {}
    for message in given:
        try:
            lease, is_subjects = verified(message, keyring)
            good.setdefault(identity(lease), (lease, is_subjects))
        except Refused:
            pass
    return [*good.values()]

class Reader:
    """A reader with public keys, a policy that ends issuers and revokes leases, and leases and
    checkpoints in any order. Times are in nanoseconds.
    """
    def __init__(self, keyring, given=(), notes=(), late=0, revoked={}, ends={}):
        self.keyring, self.late, self.revoked, self.ends = keyring, late, revoked, ends
        self.good, self.notes, self.logs = good_of(given, keyring), list(notes), {}
        self.subjects = {key_id(lease["subject"]): is_subjects for lease, is_subjects in self.good}
        checkpoints.KEYS.update({key_id(lease["subject"]): bytes.fromhex(lease["subject"]) for lease, _ in self.good})

    def logs_at(self, received):
        if received not in self.logs:
            states = [lease for lease, _ in self.good if states_log(lease, received, self.late, self.revoked, self.ends)]
            self.logs[received] = proved(self.notes, states)
        return self.logs[received]

    def message(self, message, is_cbor, payload, received):
        """Returns the bundles of a message, with `by` (the serial of a lease) and `time` (the
        time word).
        """
        signer = messages.read(message, is_cbor)["content"]["signer"]
        if signer not in self.subjects:
            bundles = messages.verify(message, is_cbor, self.keyring, payload)
            of_issuer(bundles, received, self.late, self.ends.get(signer))
            return [{**bundle, "who": signer, "time": "signed" if received is None else "received"} for bundle in bundles]
        bundles = messages.verify(message, is_cbor, self.subjects, payload)
        leaf = messages.sha256(b"\0", messages.said_by(messages.read(message, is_cbor))[1]).hex()
        lease, time = self.lease_for(bundles, received, self.logs_at(received)[1].get((signer, leaf)), True)
        return [{**bundle, "by": lease["serial"], "who": lease["issuer"], "time": time} for bundle in bundles]

    def checkpoint(self, message, received):
        """Returns the content of a checkpoint, with `who` and `time`."""
        text, seals, _, signer, _ = checkpoints.opened(message, need)
        said = {**checkpoints.verify(message, self.subjects if signer in self.subjects else self.keyring, need), "text": text, "seals": seals}
        at = [{"signer": signer, "timestamp": said["at"][:23] + "Z"}]
        if signer not in self.subjects:
            of_issuer(at, received, self.late, self.ends.get(signer))
            return {**said, "who": signer, "time": "signed" if received is None else "received"}
        stated = self.logs_at(received)[0].get((signer, said["run"], said["size"], said["root"]))
        lease, time = self.lease_for(at, received, stated, False)
        return {**said, "who": lease["issuer"], "time": time}

    def lease_for(self, said, received, stated, has_lists):
        """Returns the first lease that allows all bundles, and the time word. If none does,
        the code is that of the first lease that is valid then but refuses the time, or else
        of the first lease.
        """
        leases = [lease for lease, _ in counting(self.good, said[0])]
        def allow_at(lease, existed):
            of_issuer(said, existed, self.late, self.ends.get(lease["issuer"]))
            in_time(lease, existed, self.late, self.revoked)
            for one in said:
                (allow if has_lists else need_within)(lease, one)
        tries = [("signed" if received is None else "received", received)]
        if stated is not None:
            tries.append(("logged", min(at for at in (received, stated) if at is not None)))
        for time, existed in tries:
            refusals = []
            for lease in leases:
                try:
                    allow_at(lease, existed)
                    return lease, time
                except Refused as refused:
                    refusals.append((lease, refused))
        late = (refused for lease, refused in refusals if str(refused) != "SIGNER_NOT_ALLOWED" and holds(lease, said[0]))
        raise next(late, refusals[0][1])

def verify(message, is_cbor, keyring, payload, given, notes=(), received=None, late=0, revoked={}, ends={}):
    """Verifies like `verify` of verify.py. For a signer outside the keyring, it uses the first
    lease that allows all bundles.
    """
    return Reader(keyring, given, read_checkpoints(notes), late, revoked, ends).message(message, is_cbor, payload, received)

# ── Golden leases with stated logs ──

def golden():
    issuer, subject = (holder(seed) for seed in checkpoints.SEEDS)
    times = {"from": "2026-11-20T10:00:00Z", "until": "2026-11-20T11:00:00Z"}
    minutes = [1, 20, 44, 50]
    signed = [bundle_of(subject, f"2026-11-20T10:{minute:02}:00.000000Z") for minute in minutes]
    leaves = [messages.sha256(b"\0", messages.said_by(messages.read(message.encode(), False))[1]) for message in signed]
    notes = [checkpoints.signed_by(subject, leaves, *sizes) for sizes in ((0, 2), (2, 3), (3, 4))]
    log = {"run": bytes(range(16)).hex(), "size": 3, "root": checkpoints.root_of(leaves[:3]).hex()}
    given = [lease_of(issuer, subject, {"name": "edge-7", "serial": "1" * 32, **times}),
             lease_of(issuer, subject, {"name": "edge-7", "serial": "2" * 32, "from": "2026-11-20T10:45:00Z",
                                        "until": "2026-11-20T11:45:00Z", "log": log})]
    return {"publicKey": issuer[1].hex(), "leases": given, "checkpoints": notes,
            "messages": [{"message": message, "isStated": at < 3} for at, message in enumerate(signed)]}

def holder(seed):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
    return private, private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

def lease_of(issuer, subject, said):
    lease = {"issuer": key_id(issuer[1].hex()), "subject": subject[1].hex(), **said}
    signatures = {name: one[0].sign(identity(lease)).hex() for name, one in (("signature", issuer), ("subjectSignature", subject))}
    return spelt({**signatures, **lease})

def bundle_of(subject, timestamp):
    annotation = {"id": "0" * 26, "kind": "src", "tag": "v1", "isSatisfied": True}
    said = {"signer": key_id(subject[1].hex()), "key": hashlib.sha256(b"hello").hexdigest().upper(), "hash": "sha256", "host": "edge-7",
            "layer": "app", "timestamp": timestamp, "annotations": [annotation]}
    signature = subject[0].sign(messages.identity({"action": "create", **said})).hex()
    message = {"action": "create", "messageType": messages.BUNDLE, "content": {"signature": signature, **said}}
    return json.dumps(message, separators=(",", ":"))

if __name__ == "__main__":
    print(json.dumps(golden(), indent=2, ensure_ascii=False))
