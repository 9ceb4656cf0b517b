"""Leases: FORMAT.md "lease/1", in another language, written from that page alone. Whom the keyring trusts may say everything."""
import calendar, functools, hashlib, json, re
import signatures, verify as messages
from verify import CALL, Refused, matching, listed, need, once, text, u32, prefixed

TYPE = "alvarium.Lease/1"

def is_pattern(value):
    return text(0, 1024)(value) and re.fullmatch(r"(?:[^\\]|\\[*\\])*", value, re.DOTALL)

LISTS = {"hosts": is_pattern, "layers": CALL["layer"], "actions": messages.ACTION["action"], "kinds": is_pattern, "tags": is_pattern}
MEMBERS = {"signature": matching("[0-9a-f]{128}"), "subjectSignature": matching("[0-9a-f]{128}"),
           "issuer": matching("[0-9a-f]{32}"), "subject": matching("(?:[0-9a-f]{2})+"), "name": text(0, 255),
           "serial": matching("[0-9a-f]{32}"), "from": messages.is_timestamp, "until": messages.is_timestamp}

verifier_of = functools.cache(signatures.verifier)  # to check a key takes long

def key_id(subject):
    return hashlib.sha256(bytes.fromhex(subject)).hexdigest()[:32]

def nanoseconds(timestamp):
    date, fraction, offset = re.fullmatch(r"(.{19})(?:\.(\d+))?(.+)", timestamp).groups()
    year, month, day, hour, minute, second = map(int, re.split("[-T:]", date))
    sign, east = (-1 if offset[0] == "-" else 1), [0, 0] if offset == "Z" else [int(part) for part in offset[1:].split(":")]
    shift = 0 if year else 400  # which Python has no year 0 for; the calendar repeats after so many
    days = calendar.timegm((year + shift, month, day, 0, 0, 0)) - (146_097 * 86_400 if shift else 0)
    seconds = days + hour * 3600 + minute * 60 + second - sign * (east[0] * 3600 + east[1] * 60)
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))

def spelt(content):
    order = [*MEMBERS, *LISTS]
    value = {"messageType": TYPE, "content": {name: content[name] for name in order if name in content}}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

def read(message):
    """What a lease says, or Refused."""
    try:
        need(len(message) <= 65_536)
        value = json.loads(message.decode(), object_pairs_hook=once, parse_int=str)
        need(type(value) is dict and value.get("messageType") == TYPE and type(value.get("content")) is dict)
        content = value["content"]
        lists = {name: listed(0, 256, is_item) for name, is_item in LISTS.items() if name in content}
        need(messages.having({**MEMBERS, **lists})(content))
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
    return f"{TYPE}\n".encode() + texts + b"".join(lists)

def verified(message, keyring):
    """What a good lease says, and what tells of its subject's signatures."""
    lease = read(message)
    is_issuers = keyring.get(lease["issuer"])
    need(is_issuers, "SIGNER_UNKNOWN")
    is_subjects, signed = verifier_of(bytes.fromhex(lease["subject"])), identity(lease)
    need(is_issuers(bytes.fromhex(lease["signature"]), signed), "SIGNATURE_INVALID")
    need(is_subjects(bytes.fromhex(lease["subjectSignature"]), signed), "SIGNATURE_INVALID")
    return lease, is_subjects

def allows(patterns, value):
    parts = (re.findall(r"\\.|[^\\]", pattern, re.DOTALL) for pattern in patterns)
    return any(re.fullmatch("".join(".*" if one == "*" else re.escape(one[-1]) for one in pattern), value, re.DOTALL)
               for pattern in parts)

def allow(lease, bundle):
    is_in_time = nanoseconds(lease["from"]) <= nanoseconds(bundle["timestamp"]) <= nanoseconds(lease["until"])
    need(is_in_time, "SIGNER_EXPIRED")
    said = {"hosts": [bundle["host"]], "layers": [bundle["layer"]], "actions": [bundle["action"]],
            "kinds": [one["kind"] for one in bundle["annotations"]], "tags": [one["tag"] for one in bundle["annotations"]]}
    for name, values in said.items():
        need(name not in lease or all(allows(lease[name], value) for value in values), "SIGNER_NOT_ALLOWED")

def verify(message, is_cbor, keyring, payload, given):
    """As `verify` of verify.py; for a signer whom the keyring does not know, by the first lease that allows all of it."""
    try:
        return messages.verify(message, is_cbor, keyring, payload)
    except Refused as refused:
        if str(refused) != "SIGNER_UNKNOWN":
            raise
    good = []
    for lease in given:
        try:
            lease, is_subjects = verified(lease, keyring)
            good += [(lease, is_subjects)] if key_id(lease["subject"]) not in keyring else []
        except Refused:
            pass
    known = {key_id(lease["subject"]): is_subjects for lease, is_subjects in good}
    bundles = messages.verify(message, is_cbor, known, payload)
    refusals = []
    for lease, _ in good:
        if key_id(lease["subject"]) == bundles[0]["signer"]:
            try:
                for bundle in bundles:
                    allow(lease, bundle)
                return [{**bundle, "by": lease["serial"]} for bundle in bundles]
            except Refused as refused:
                refusals.append(refused)
    raise refusals[0]
