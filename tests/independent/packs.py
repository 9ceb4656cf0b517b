"""Packs, FORMAT.md "Packs", written from that page alone. Each key has its own signer, whose name is the key id.

    packs.py > ../vectors/pack-1.zip

makes the golden pack, of golden bundles, with the key of RFC 8032, TEST 1.
"""
import base64, hashlib, json, math, re, struct, sys, zlib
import checkpoints, completeness, leases, sets

KINDS = ("leases", "checkpoints", "sets", "proofs", "messages")
LONGEST_LINE, LONGEST_PART, LONGEST = 16_777_216, 17_825_792, 2**32 - 1
FULL_PART, LONGEST_JSON, LONGEST_PROOF, MOST_ANCESTORS = 1_048_576, 2_097_152, 16_384, 100_000
# version, flags, method, time, date, CRC-32, two sizes, bytes of the name and of extra fields
FACTS = "<HHHHHIIIHH"

def sha256(data):
    return hashlib.sha256(data).hexdigest()

def canonical(value):
    """Writes texts, whole numbers and scores as RFC 8785 does: names by their UTF-16 code units."""
    if type(value) is dict:
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if type(value) is list:
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)

# ── the ZIP file ──

def facts(name, content):
    return struct.pack(FACTS, 10, 0, 0, 0, 33, zlib.crc32(content), len(content), len(content), len(name), 0)

def zipped(parts):
    data, directory = b"", b""
    for name, content in parts:
        spelt = name.encode()
        row = struct.pack("<IH", 0x02014B50, 10) + facts(spelt, content) + struct.pack("<HHHII", 0, 0, 0, 0, len(data)) + spelt
        data, directory = data + struct.pack("<I", 0x04034B50) + facts(spelt, content) + spelt + content, directory + row
    count = len(parts)
    return data + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(directory), len(data), 0)

def is_of_another_writer(data):
    """Returns whether another ZIP writer made the file, by its first local header."""
    version, flags, method, time, date = struct.unpack_from("<5H", data, 4)
    extra = struct.unpack_from("<H", data, 28)[0]
    is_usual = 10 <= version <= 63 and flags & ~0x080E == 0 and method in (0, 8) and date & 31 > 0 and 1 <= date >> 5 & 15 <= 12
    return is_usual and sum(bin(bits).count("1") for bits in (version ^ 10, flags, method, time, date ^ 33, extra)) > 1

def parts_in(data, need):
    """Returns the parts of a file, if a writer of packs could have made it."""
    need(len(data) >= 30 and data[:4] == b"PK\3\4" and not is_of_another_writer(data), "PACK_UNREADABLE")
    parts, at = [], 0
    while data[at:at + 4] == b"PK\3\4":
        need(len(data) >= at + 30)
        length, named = struct.unpack_from("<I", data, at + 18)[0], struct.unpack_from("<H", data, at + 26)[0]
        begin = at + 30 + named
        need(length <= LONGEST_PART and len(data) >= begin + length)
        parts.append((data[at + 30:begin].decode("latin-1"), data[begin:begin + length]))
        at = begin + length
    need(len(data) <= LONGEST and all(name.isascii() for name, _ in parts) and zipped(parts) == data)
    names = [name for name, _ in parts]
    numbered = [f"{kind}/{at:05d}.ndjson" for kind in KINDS for at in range(sum(name.startswith(f"{kind}/") for name in names))]
    need(names == ["score.json", "trust.json", *numbered, "verdict.json", "manifest.json"])
    need(all(len(content) <= LONGEST_JSON for name, content in parts if name in ("score.json", "trust.json", "manifest.json")))
    need(all(len(content) >= FULL_PART for (name, content), (other, _) in zip(parts, parts[1:]) if "/" in name and name[:-12] == other[:-12]))
    return parts

def once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name comes twice")
    return dict(pairs)

def json_in(content, need):
    try:
        return json.loads(content.decode(), object_pairs_hook=once)
    except (ValueError, RecursionError):
        need(False)

def lines_in(content, need):
    need(content.endswith(b"\n"))
    lines = content[:-1].split(b"\n")
    need(all(1 <= len(line) <= LONGEST_LINE for line in lines))
    return lines

# ── content ──

def is_lease(line):
    return line.startswith(b'{"messageType":"alvarium.Lease/1"')

def learnt(reader, lines):
    """Returns the same reader with leases, and with the lists of all checkpoints whose signatures verify."""
    import verify
    reader = leases.Reader(reader.keyring, filter(is_lease, lines), (), reader.late, reader.revoked, reader.ends)
    for line in lines:
        try:
            said = checkpoints.verify(line, reader.subjects, verify.need)
            reader.notes += [said] if "peaks" in said else []
        except verify.Refused:
            pass
    return reader

class Shown:
    """The verified content of a pack, line by line."""
    def __init__(self, reader, gives_leases, need, refused):
        self.reader, self.keyring, self.gives_leases, self.need, self.refused = reader, reader.keyring, gives_leases, need, refused
        self.lines = {kind: {"verified": 0, "refused": 0, "unknownSigner": 0} for kind in KINDS}
        self.bundles, self.sets, self.members, self.checkpoints, self.messages = {}, {}, {}, [], []

    def take(self, kind, line):
        if len(line) < 64:
            self.lines[kind]["refused"] += 1
            return
        try:
            getattr(self, f"take_{kind}")(line)
            told = "verified"
        except self.refused as refused:
            told = "unknownSigner" if str(refused) == "SIGNER_UNKNOWN" else "refused"
        self.lines[kind][told] += 1

    def take_leases(self, line):
        self.need(self.gives_leases, "SIGNER_UNKNOWN")
        leases.verified(line, self.keyring)

    def take_checkpoints(self, line):
        self.checkpoints.append(self.reader.checkpoint(line, None))

    def take_sets(self, line):
        content = sets.verify_set(line, self.keyring, self.need)
        leases.of_issuer([content], None, 0, self.reader.ends.get(content["signer"]))
        self.sets[sha256(b"\0" + sets.identity(content))] = content

    def take_proofs(self, line):
        self.need(len(line) <= LONGEST_PROOF)
        value = json_in(line, self.need)
        self.need(sets.having({"set": sets.is_hex(sets.HEX64), "key": sets.is_hex("[0-9A-F]{64}"), "proof": lambda one: type(one) is dict}, value))
        self.need(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() == line)
        self.need(value["set"] in self.sets and "salt" not in self.sets[value["set"]])
        proof = json.dumps(value["proof"], ensure_ascii=False, separators=(",", ":")).encode()
        says = value["proof"].get("content", {}).get("says")
        sets.verify_proof(self.sets[value["set"]], proof, says, bytes.fromhex(value["key"]), None, self.need)
        if says == "member":
            self.members.setdefault(value["set"], set()).add(value["key"])

    def take_messages(self, line):
        import verify
        bundles = self.reader.message(line, False, None, None)
        _, signed = verify.said_by(verify.read(line, False))
        self.messages.append({**completeness.message_of(bundles, signed), "who": bundles[0]["who"]})
        for bundle in bundles:
            self.bundles.setdefault(bundle["id"], bundle)

    def messages_of(self, key):
        """Returns the messages of a key, by the first half of their leaves."""
        return completeness.put_together([one for one in self.messages if one["key"] == key])

    def keys_of(self, who):
        """Returns the keys that count for a signer."""
        return sorted(key for key, owner in completeness.owners_of(self.checkpoints, self.messages).items() if owner == who)

    def about(self, payload):
        return [one for one in self.bundles.values() if (one["hash"], one["key"]) == (payload["hash"], payload["key"])]

WHOLE = 10_000
LAYERS = ("app", "cicd", "os", "host")

def is_text(value):
    return type(value) is str and not re.search("[\ud800-\udfff]", value)

def is_kind(value):
    return is_text(value) and value != ""

def is_whole(most):
    return lambda value: type(value) is int and 0 <= value <= most

def is_share(value):
    """Returns whether a value is a number from 0 to 1 with at most four decimals, in the
    spelling of JSON: 0 and 1 have no point.
    """
    return is_whole(1)(value) or type(value) is float and 0 < value < 1 and share_of(units_of(value)) == value

def units_of(share):
    return round(share * WHOLE)

def share_of(units):
    """Returns ten-thousandths as a JSON number."""
    return units // WHOLE if units % WHOLE == 0 else units / WHOLE

def is_list(is_one):
    return lambda value: type(value) is list and len(value) <= 1000 and all(map(is_one, value))

def is_rule(value):
    kinds = {"signer": is_text, "host": is_text, "layer": lambda one: one in LAYERS, "kind": is_kind, "trust": is_share}
    return type(value) is dict and "trust" in value and all(name in kinds and kinds[name](one) for name, one in value.items())

def is_weights(value):
    return type(value) is dict and len(value) <= 1000 and all(is_kind(kind) and is_whole(1_000_000)(one) for kind, one in value.items())

def is_sorted(kinds):
    return kinds == sorted(set(kinds), key=lambda kind: kind.encode("utf-16-be"))

def policy_in(content, need):
    """Reads the scoring policy: all of its members, in canonical JSON."""
    one_of = lambda *words: lambda value: type(value) is str and value in words
    policy = json_in(content, need)
    need(sets.having({"ancestors": one_of("min", "product", "own"), "layers": one_of("own"), "repeats": one_of("once", "each"),
        "required": is_list(is_kind), "trust": is_list(is_rule), "unknown": one_of("lower", "ignore"),
        "version": lambda one: type(one) is int and one == 1, "weights": is_weights}, policy))
    need(is_sorted(policy["required"]) and canonical(policy).encode() == content)
    return policy

def trust_in(policy, voice):
    fits = lambda rule: all(rule.get(name, voice[name]) == voice[name] for name in ("signer", "host", "layer", "kind"))
    return next((units_of(rule["trust"]) for rule in policy["trust"] if fits(rule)), WHOLE)

def own_score(bundles, policy):
    """Returns a payload's score by its own annotations, in ten-thousandths."""
    said = [(one["kind"], bundle["who"], bundle["host"], bundle["layer"], one["isSatisfied"]) for bundle in bundles for one in bundle["annotations"]]
    if policy["repeats"] == "once":
        said = [(*who, all(one[-1] for one in said if one[:-1] == who)) for who in {one[:-1] for one in said}]
    trusted = [(kind, is_yes, trust_in(policy, {"kind": kind, "signer": signer, "host": host, "layer": layer})) for kind, signer, host, layer, is_yes in said]
    heard = [one for one in trusted if one[2] > 0]
    weigh = lambda kind: policy["weights"].get(kind, 1)
    whole = sum(weigh(kind) * WHOLE for kind, _, _ in heard)
    if whole == 0 or any({is_yes for k, is_yes, _ in heard if k == kind} != {True} for kind in policy["required"]):
        return 0
    return WHOLE * sum(weigh(kind) * trust for kind, is_yes, trust in heard if is_yes) // whole

def is_listed(set_id, shown):
    """Returns whether there are proofs for all payloads of a set."""
    return set_id in shown.sets and len(shown.members.get(set_id, ())) == shown.sets[set_id]["size"]

def score_of(payload, shown, policy):
    """Returns the score of a payload by its whole lineage, in ten-thousandths."""
    if policy["ancestors"] == "own":
        return own_score(shown.about(payload), policy)
    names, has_set = [(payload["hash"], payload["key"])], False
    for hash_, key in names:
        for bundle in shown.about({"hash": hash_, "key": key}):
            before = [{"hash": hash_, "key": bundle["previousKey"]}] if "previousKey" in bundle else bundle.get("inputs", [])
            members = [{"hash": "sha256", "key": key} for one in before if is_listed(one.get("set"), shown) for key in shown.members.get(one["set"], ())]
            has_set = has_set or any("set" in one and not is_listed(one["set"], shown) for one in before)
            names += dict.fromkeys((one["hash"], one["key"]) for one in before + members if "key" in one and (one["hash"], one["key"]) not in names)
    if len(names) > MOST_ANCESTORS + 1:
        return "unknown"
    scores = [own_score(shown.about({"hash": hash_, "key": key}), policy) for hash_, key in names]
    known = min(scores) if policy["ancestors"] == "min" else math.prod(scores) // WHOLE ** (len(scores) - 1)
    return "unknown" if has_set and known > 0 else known

# ── logs ──

def runs_of(shown, signer):
    """Returns the checkpoints of each run that count, in the order of their numbers, and all
    checkpoints.
    """
    runs = {}
    for one in sorted((one for one in shown.checkpoints if one["signer"] == signer), key=lambda one: (one["run"], one["number"], one["text"])):
        runs.setdefault(one["run"], {"all": [], "lists": []})["all"].append(one)
    for run in runs.values():
        run["lists"] = [one for at, one in enumerate(run["all"]) if at == 0 or run["all"][at - 1]["number"] != one["number"]]
    return runs

def counts_in(fates, parts=None):
    """Counts the fates of all messages, or of those between two positions of some runs."""
    told = [fate for run, some in fates.items() for at, fate in some if parts is None or run in parts and parts[run][0] <= at < parts[run][1]]
    return {"missing": len(told), "refused": told.count("refused"), "undecided": told.count("undecided")}

def forks_of(runs):
    """Returns the sizes at which each run has two logs."""
    given, known = ({name: run[which] for name, run in runs.items()} for which in ("all", "lists"))
    forks = {name: completeness.forks_of(given[name], known[name]) for name in runs}
    completeness.links_of(known, given, forks)
    return forks

def log_of(shown, signer):
    found = [findings_of(shown, key) for key in shown.keys_of(signer)]
    total = {name: sum(one[name] for one in found) for name in found[0]}
    missing = total["missing"] + total["refused"] + total["undecided"] + total["inGaps"]
    is_bad = missing + total["unlisted"] + total["forks"] > 0
    is_open = total["gaps"] + total["unknown"] + total["beginnings"] > 0
    return {"signer": signer, "missing": missing, **{name: total[name] for name in ("refused", "undecided", "unlisted", "forks")},
            "verdict": "incomplete" if is_bad else "unknown" if is_open else "complete"}

def findings_of(shown, key):
    lists = sorted((one for one in shown.checkpoints if one["signer"] == key), key=lambda one: (one["run"], one["number"], one["text"]))
    return completeness.findings(lists, [one for one in shown.messages if one["key"] == key], completeness.TOLERANCE)

# ── completeness of the pack ──

NOT_SHOWN = {"word": "not shown", "missing": 0, "refused": 0, "undecided": 0}

def whole_by(word, signer):
    return {"word": word, "by": signer, "missing": 0, "refused": 0, "undecided": 0}

def whole_log(log, shown):
    runs = runs_of(shown, log["signer"])
    if log["run"] not in runs:
        return NOT_SHOWN
    lists, at = runs[log["run"]]["lists"], log["from"]
    counts = counts_in({log["run"]: [*completeness.fates_of(lists, shown.messages_of(log["signer"]))]}, {log["run"]: (log["from"], log["until"])})
    for one in sorted(lists, key=lambda one: one["from"]["size"]):
        at = max(at, one["size"]) if one["from"]["size"] <= at else at
    is_whole = counts["missing"] == 0 and at >= log["until"] and not forks_of(runs)[log["run"]]
    who = completeness.owners_of(shown.checkpoints, shown.messages)[log["signer"]]
    return whole_by("whole by log", who) if is_whole else {**NOT_SHOWN, **counts}

def whole_signer(span, shown):
    since, until = span["from"], span["until"]
    runs, fates, forks = {}, {}, {}
    for key in shown.keys_of(span["id"]):
        own = runs_of(shown, key)
        runs.update({(key, name): run for name, run in own.items()})
        forks.update({(key, name): sizes for name, sizes in forks_of(own).items()})
        fates.update({(key, name): [*completeness.fates_of(run["lists"], shown.messages_of(key))] for name, run in own.items()})
    begin, end = lambda run: run["lists"][0]["from"]["at"], lambda run: run["lists"][-1]["at"]
    overlaps = lambda first, last: first <= until and last >= since
    after_of = lambda run: run["lists"][0].get("after")
    some = {name: run for name, run in runs.items() if overlaps(begin(run), end(run))}
    parts = {}
    for name, run in some.items():
        lists = [one for one in run["lists"] if overlaps(one["from"]["at"], one["at"])]
        parts[name] = (min((one["from"]["size"] for one in lists), default=0), max((one["size"] for one in lists), default=0))
    counts = counts_in(fates, parts)
    same = lambda run, after: (run["lists"][-1]["size"], run["lists"][-1]["root"]) == (after["size"], after["root"])
    afters = [(key, after_of(run)) for (key, _), run in runs.items() if after_of(run)]
    later = {name: run for name, run in some.items() if begin(run) > since}
    def is_known(name, run):
        after = after_of(run)
        return bool(after) and (name[0], after["run"]) in runs and same(runs[name[0], after["run"]], after)
    def is_listed(name, run):
        first, last = run["lists"][0], run["lists"][-1]
        naming = [after for key, after in afters if (key, after["run"]) == name]
        is_begun = first["from"]["size"] == 0 or first["from"]["at"] <= since
        is_ended = last["isLast"] or last["at"] >= until or any(same(run, one) for one in naming)
        has_gap = any(one["from"]["size"] != before["size"] and overlaps(before["at"], one["from"]["at"]) for before, one in zip(run["lists"], run["lists"][1:]))
        further = [one["lists"][0] for (key, _), one in runs.items() if after_of(one) and (key, after_of(one)["run"]) == name and after_of(one)["size"] > last["size"]]
        behind = further and overlaps(last["at"], max(further, key=lambda one: one["after"]["size"])["from"]["at"])
        return is_begun and is_ended and not has_gap and not behind
    is_reached = any(begin(run) <= since for run in some.values()) and any(end(run) >= until for run in some.values())
    is_whole = is_reached and counts["missing"] == 0 and not any(forks[name] for name in some) and all(is_listed(*one) for one in some.items()) \
        and all(is_known(name, run) for name, run in later.items() if after_of(run))
    if not is_whole:
        return {**NOT_SHOWN, **counts}
    is_chain = len(some) - len(later) == 1 and all(is_known(*one) for one in later.items())
    return whole_by("whole by log" if is_chain else "each run whole by log", span["id"])

def whole_payload(payload, shown, confirming):
    ids = sorted(bytes.fromhex(one["id"]) for one in shown.about(payload))
    named = [one for one in shown.sets.values() if one["name"] == f"bundles of {payload['hash']} {payload['key']}"]
    largest = max((one["size"] for one in named), default=0)
    if not named or largest < len(ids):
        return NOT_SHOWN
    if largest > len(ids):
        return {**NOT_SHOWN, "missing": largest - len(ids)}
    root = sets.levels_of(ids)[-1][0].hex() if ids else sets.EMPTY
    comparable = [one for one in named if one["size"] == largest and "salt" not in one]
    if any(one["root"] != root for one in comparable):
        return {**NOT_SHOWN, "missing": 1}
    confirmed = sorted(one["signer"] for one in comparable if one["signer"] in confirming)
    return whole_by("whole by seal", confirmed[0]) if confirmed else NOT_SHOWN

def whole_of(about, shown, confirming):
    if "log" in about:
        return whole_log(about["log"], shown)
    if "signer" in about:
        return whole_signer(about["signer"], shown)
    if "payload" in about:
        return whole_payload(about["payload"], shown, confirming)
    if "set" in about and about["set"] in shown.sets:
        known = {one["key"] for one in shown.bundles.values() if one["hash"] == "sha256"}
        its = shown.sets[about["set"]]
        here = len(shown.members.get(about["set"], set()) & known)
        return whole_by("whole by proofs", its["signer"]) if its["size"] == here else {**NOT_SHOWN, "missing": its["size"] - here}
    return NOT_SHOWN

# ── the manifest ──

def is_time(digits):
    def is_one(value):
        import verify
        return type(value) is str and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{%d}Z" % digits, value, re.ASCII) and verify.is_timestamp(value)
    return is_one

def is_about(value):
    import verify
    is_payload = lambda one: sets.having({"hash": is_text, "key": is_text}, one) and verify.KEYS.get(one["hash"], lambda _: False)(one["key"])
    is_log = lambda one: sets.having({"from": is_whole(2**53 - 1), "run": sets.is_hex(sets.HEX32), "signer": sets.is_hex(sets.HEX32), "until": is_whole(2**53 - 1)}, one) and one["from"] < one["until"]
    is_span = lambda one: sets.having({"from": is_time(6), "id": sets.is_hex(sets.HEX32), "until": is_time(6)}, one) and one["from"] <= one["until"]
    is_query = lambda one: type(one) is str and 1 <= len(one.encode("utf-16-le", "surrogatepass")) // 2 <= 1024
    kinds = {"payload": is_payload, "log": is_log, "signer": is_span, "set": sets.is_hex(sets.HEX64), "query": is_query}
    return type(value) is dict and len(value) == 1 and all(name in kinds and kinds[name](one) for name, one in value.items())

def verify(data, reader, need, refused, confirming=(), gives_leases=False, seen_by=None):
    """Returns the bytes of the verdict, and whether the pack has the same. Some keys may
    confirm completeness.
    """
    *parts, (_, last) = parts_in(data, need)
    manifest = json_in(last, need)
    need(type(manifest) is dict and sorted(manifest) == ["about", "format", "made", "parts"] and manifest["format"] == "alvarium.Pack/1")
    need(canonical(manifest) == last.decode() and is_about(manifest["about"]) and is_time(3)(manifest["made"]))
    need(manifest["parts"] == [{"bytes": len(content), "name": name, "sha256": sha256(content)} for name, content in parts])
    contents = dict(parts)
    lines = [(name.split("/")[0], line) for name, content in parts if "/" in name for line in lines_in(content, need)]
    beside = [line for kind, line in lines if kind in ("leases", "checkpoints") and gives_leases]
    shown = Shown(learnt(reader, beside), gives_leases, need, refused)
    for kind, line in lines:
        shown.take(kind, line)
    policy, about = policy_in(contents["score.json"], need), manifest["about"]
    answers = [one["isSatisfied"] for bundle in shown.bundles.values() for one in bundle["annotations"]]
    payloads = {(one["hash"], one["key"]) for one in shown.bundles.values()}
    scores = [own_score(shown.about({"hash": hash_, "key": key}), policy) for hash_, key in payloads]
    score = score_of(about["payload"], shown, policy) if "payload" in about else min(scores, default=0)
    verdict = canonical({"format": "alvarium.PackVerdict/1", "about": about, "lines": shown.lines, "bundles": len(shown.bundles),
        "annotations": {"satisfied": sum(answers), "notSatisfied": len(answers) - sum(answers)}, "payloads": len(payloads),
        "score": share_of(score) if type(score) is int else score,
        "scoredBy": sha256(contents["score.json"]), "whole": whole_of(about, shown, confirming), "logs": [log_of(shown, one) for one in sorted({completeness.owners_of(shown.checkpoints, ())[one["signer"]] for one in shown.checkpoints})]})
    seen = {"witnessed": judge_runs(shown, about, seen_by)} if seen_by else {}
    return {"verdict": verdict, "matchesStoredVerdict": verdict.encode() == contents["verdict.json"], **seen}

def judge_runs(shown, about, reader):
    """Gives the verdict on the log that the pack is about, up to its end; otherwise on all
    logs in it.
    """
    import cosignatures
    runs, sizes = cosignatures.Runs(reader), {}
    for one in shown.checkpoints:
        name = (one["signer"], one["run"])
        runs.add(*name, one["text"], one["seals"], one["size"], one["root"])
        sizes[name] = max(one["size"], sizes.get(name, 0))
    return runs.judge({(about["log"]["signer"], about["log"]["run"]): about["log"]["until"]} if "log" in about else sizes)

# ── writing ──

def golden():
    import pathlib, verify
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    vectors = json.loads((pathlib.Path(__file__).parent / "../vectors/bundle-1.json").read_text())
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vectors["seed"]))
    messages = [one["message"].encode() for one in vectors["cases"]]
    payload = {"hash": "sha256", "key": vectors["cases"][2]["bundle"]["key"]}
    ids = sorted(bytes.fromhex(one["id"]) for one in vectors["cases"] if (one["bundle"]["hash"], one["bundle"]["key"]) == ("sha256", payload["key"]))
    content = {"signer": vectors["keyId"], "name": f"bundles of sha256 {payload['key']}", "host": "edge-7", "timestamp": "2026-11-20T10:00:00.123456Z",
               "rows": len(ids), "size": len(ids), "root": sets.levels_of(ids)[-1][0].hex()}
    sealed = sets.spelt("alvarium.Set/1", {"signature": private.sign(sets.identity(content)).hex(), **content}).encode()
    trust = {"signers": [{"confirms": True, "keys": [vectors["publicKey"]], "name": vectors["keyId"]}]}
    policy = {"version": 1, "weights": {"src": 2}, "required": ["src"], "trust": [{"signer": vectors["keyId"], "kind": "src", "trust": 0.7}],
              "repeats": "once", "ancestors": "product", "layers": "own", "unknown": "lower"}
    lines = lambda given: b"".join(one + b"\n" for one in given)
    parts = [("score.json", canonical(policy).encode()), ("trust.json", canonical(trust).encode()), ("sets/00000.ndjson", lines([sealed])), ("messages/00000.ndjson", lines(messages))]
    def with_verdict(verdict):
        all_ = [*parts, ("verdict.json", verdict)]
        listed = [{"bytes": len(content), "name": name, "sha256": sha256(content)} for name, content in all_]
        manifest = {"about": {"payload": payload}, "format": "alvarium.Pack/1", "made": "2026-11-20T10:00:00.123Z", "parts": listed}
        return zipped([*all_, ("manifest.json", canonical(manifest).encode())])
    import signatures
    keyring = {vectors["keyId"]: signatures.verifier(bytes.fromhex(vectors["publicKey"]))}
    found = verify_again(with_verdict(b""), leases.Reader(keyring), {vectors["keyId"]})
    return with_verdict(found["verdict"].encode())

def verify_again(data, reader, confirming):
    import verify as messages
    return verify(data, reader, messages.need, messages.Refused, confirming)

if __name__ == "__main__":
    sys.stdout.buffer.write(golden())
