"""Completeness: FORMAT.md "Checkpoints", from "What follows from checkpoints" on, written from that page alone."""
import leases

TOLERANCE = 60_000
EVER, NEVER = float("-inf"), float("inf")

def ms(timestamp):
    return leases.nanoseconds(timestamp) // 10**6

def message_of(bundles, signed):
    """Describes a message as a log entry, by its verified bundles and the signed bytes."""
    line = b"alvarium.AnnotationBatch/1\n"
    at = len(line) + 4 + 32
    size = int.from_bytes(signed[at:at + 4], "big") if signed.startswith(line) else 1
    leaf = leases.messages.sha256(b"\0", signed).hex()
    return {"key": bundles[0]["signer"], "leaf": leaf, "size": size, "bundles": {one["id"]: one["timestamp"] for one in bundles}}

def put_together(messages):
    """Joins the messages of one key, each once: the bundles of a batch may arrive separately."""
    whole = {}
    for one in messages:
        whole.setdefault(one["leaf"][:16], {**one, "bundles": {}})["bundles"].update(one["bundles"])
    return whole

def owners_of(checkpoints, messages):
    """Returns the signer for whom each key counts: the issuer of its checkpoints' leases, or
    of its messages' if it has no checkpoint. Of several, it is the first in order.
    """
    owners, logged = {}, {one["signer"] for one in checkpoints}
    for key, who in [(one["signer"], one["who"]) for one in checkpoints] + [(one["key"], one["who"]) for one in messages if one["key"] not in logged]:
        owners[key] = min(who, owners.get(key, who))
    return owners

def time_of(message):
    return ms(message["bundles"][min(message["bundles"])])

def signers(checkpoints, messages, tolerance=TOLERANCE, issuer=lambda key: key):
    """Reports on each signer of a checkpoint, in the order of their key ids."""
    keys = {one["signer"] for one in checkpoints} | {one["key"] for one in messages}
    found = {key: findings([one for one in checkpoints if one["signer"] == key], [one for one in messages if one["key"] == key], tolerance) for key in keys}
    for signer in sorted({issuer(one["signer"]) for one in checkpoints}):
        own = [one for key, one in found.items() if issuer(key) == signer]
        total = {name: sum(one[name] for one in own) for name in own[0]}
        is_incomplete = total["missing"] + total["inGaps"] + total["unlisted"] + total["forks"] > 0
        is_unknown = total["gaps"] + total["beginnings"] + total["undecided"] + total["unknown"] > 0
        yield {"signer": signer, "verdict": "incomplete" if is_incomplete else "unknown" if is_unknown else "complete", **total}

def findings(checkpoints, messages, tolerance):
    """Compares the messages of one key with its checkpoints."""
    runs, here = {}, put_together(messages)
    for one in checkpoints:
        runs.setdefault(one["run"], []).append(one)
    known = {run: in_order(given) for run, given in runs.items()}
    forks = {run: forks_of(given, known[run]) for run, given in runs.items()}
    linking, over, behind = links_of(known, runs, forks)
    counted = [gap for run in known.values() for gap in between(run)] + linking
    gaps = counted + hidden_runs(known)
    fates = [fate for run in known.values() for _, fate in fates_of(run, here)]
    listed = {entry["id"] for run in known.values() for one in run for entry in one["entries"]}
    rest = sorted(time_of(one) for leaf, one in here.items() if leaf not in listed)
    spans = hidden(known, over, behind, gaps)
    is_hidden = lambda time: any(since - tolerance <= time <= until + tolerance for since, until in spans)
    unlisted = sum(not is_hidden(time) for time in rest)
    return {"missing": fates.count("missing"), "refused": fates.count("refused"), "undecided": fates.count("undecided"),
            "inGaps": left_in(counted, rest, tolerance), "gaps": len(gaps), "unlisted": unlisted, "unknown": len(rest) - unlisted,
            "forks": sum(map(len, forks.values())), "beginnings": sum(run[0]["from"]["size"] > 0 for run in known.values())}

def in_order(given):
    numbers = {}
    for one in given:
        numbers.setdefault(one["number"], one)
    return [numbers[number] for number in sorted(numbers)]

def text_of(one):
    return {name: value for name, value in one.items() if name not in ("note", "who", "time", "seals")}

def forks_of(given, run):
    """Returns the sizes at which a run has two logs."""
    roots, sizes = {}, set()
    for one in given:
        for log in (one, one["from"]):
            if roots.setdefault(log["size"], log["root"]) != log["root"]:
                sizes.add(log["size"])
    for one in given:
        first = next(other for other in run if other["number"] == one["number"])
        if text_of(first) != text_of(one):
            sizes.add(min(first["size"], one["size"]))
    for before, one in zip(run, run[1:]):
        size = one["from"]["size"]
        if size < before["size"] or (size > before["size"] and one["number"] == before["number"] + 1):
            sizes.add(size)
    return sizes

def between(run):
    return [{"since": ms(before["at"]), "until": one["from"]["at"], "count": one["from"]["size"] - before["size"]}
            for before, one in zip(run, run[1:]) if one["from"]["size"] > before["size"] and one["number"] > before["number"] + 1]

def links_of(known, runs, forks):
    """Compares runs with the runs that they name: returns gaps, ends of runs, and the runs whose beginning is a gap."""
    ends, beginnings, over, told = {}, [], {}, {}
    for run, ordered in known.items():
        first = ordered[0]
        after = first.get("after")
        if not after or after["run"] not in known:
            continue
        before = known[after["run"]][-1]
        roots = {log["size"]: log["root"] for one in reversed(runs[after["run"]]) for log in (one["from"], one)}
        own = roots.get(after["size"], after["root"])
        if own != after["root"] or told.setdefault((after["run"], after["size"]), after["root"]) != after["root"]:
            forks[after["run"]].add(after["size"])
        over[after["run"]] = min(over.get(after["run"], NEVER), ms(first["from"]["at"]))
        if after["size"] > max(before["size"], ends.get(after["run"], {"size": 0})["size"]):
            ends[after["run"]] = {"since": ms(before["at"]), "until": first["from"]["at"], "count": after["size"] - before["size"], "size": after["size"]}
        if first["from"]["size"] > 0:
            beginnings.append({"since": ms(before["at"]), "until": first["from"]["at"], "count": first["from"]["size"], "run": run})
    return [*ends.values(), *beginnings], over, {one["run"] for one in beginnings}

def hidden_runs(known):
    """Returns the unknown runs that others name, if two known runs follow no known one."""
    firsts = [run[0] for run in known.values()]
    begun = min((one["from"]["at"] for one in firsts), default=None)
    named = {}
    for one in firsts:
        after = one.get("after")
        if after and after["run"] not in known and after["size"] > 0:
            named.setdefault(after["run"], []).append((after["size"], one["from"]["at"]))
    beginnings = [one for one in firsts if not one.get("after") or one["after"]["run"] not in known]
    gaps = [{"since": ms(begun), "until": max(at for _, at in of), "count": max(size for size, _ in of)} for of in named.values()]
    return gaps if len(beginnings) > 1 else []

def fates_of(run, here):
    """Returns the position and the fate of each listed message that is missing."""
    within = lambda ranges, position: any(one["first"] <= position <= one["last"] for one in ranges)
    for at, one in enumerate(run):
        for place, entry in enumerate(one["entries"]):
            there = here.get(entry["id"])
            if there and len(there["bundles"]) >= min(there["size"], entry["bundles"]):
                continue
            position = one["from"]["size"] + place
            fate = "refused" if within(one["refused"], position) else "undecided" if within(one["pending"], position) else "missing"
            for before, later in zip(run[at:], run[at + 1:]):
                if fate != "undecided":
                    break
                if within(later["refused"], position):
                    fate = "refused"
                elif not within(later["pending"], position):
                    fate = "missing" if later["number"] == before["number"] + 1 else "undecided for ever"
                elif later["from"]["size"] < before["size"]:
                    fate = "undecided for ever"
            yield position, fate.removesuffix(" for ever")

def left_in(gaps, times, tolerance):
    """Counts the positions of gaps without a message."""
    free, count = list(times), 0
    for gap in sorted(gaps, key=lambda one: one["until"]):
        since, until = gap["since"] - max(3, tolerance), ms(gap["until"]) + 3
        taken = [time for time in free if since <= time <= until][:gap["count"]]
        for time in taken:
            free.remove(time)
        count += gap["count"] - len(taken)
    return count

def hidden(known, over, behind, gaps):
    """Returns the spans of time in which unlisted messages are possible."""
    spans = [(gap["since"], ms(gap["until"])) for gap in gaps]
    for run, ordered in known.items():
        first, last = ordered[0]["from"], ordered[-1]
        if first["size"] > 0 and run not in behind:
            spans.append((EVER, ms(first["at"])))
        if not last["isLast"]:
            spans.append((ms(last["at"]), over.get(run, NEVER)))
    if not known:
        return [(EVER, NEVER)]
    begins, ends = ([ms(one[place][name]) if name else ms(one[place]) for one in edges] for edges, place, name in (
        ([run[0] for run in known.values()], "from", "at"), ([run[-1] for run in known.values()], "at", None)))
    return [*spans, (EVER, min(begins)), (max(ends), NEVER)]

def answer(question, keyring, need, refused):
    """Reports on the messages and checkpoints of a question, in base64, and on its witnesses
    if it has some.
    """
    import base64, checkpoints, verify
    given, messages, asked = [], [], question["report"]
    reader = verify.reader_of(asked)
    notes = [*map(base64.b64decode, asked["checkpoints"])]
    for one in notes:
        given.append(checkpoints.verify(one, keyring, need))
    for one in map(base64.b64decode, asked["messages"]):
        bundles = verify.verify(one, False, keyring, None)
        messages.append(message_of(bundles, verify.said_by(verify.read(one, False))[1]))
    reports = signers(given, messages, asked["tolerance"])
    return {"reports": [*(seen_reports(reports, given, notes, reader, need) if reader else reports)]}

VERDICTS = {"does not hold": "incomplete", "cannot tell": "unknown", "holds": "complete"}

def seen_reports(reports, given, notes, reader, need):
    """Adds the verdict on witnesses: a signer is complete only if a quorum has seen all of its
    runs.
    """
    import checkpoints, cosignatures
    runs = cosignatures.Runs(reader)
    for one, note in zip(given, notes):
        text, seals, *_ = checkpoints.opened(note, need)
        runs.add(one["signer"], one["run"], text, seals, one["size"], one["root"])
    for report in reports:
        known = {(one["signer"], one["run"]) for one in given if one["signer"] == report["signer"]}
        sizes = {name: in_order([one for one in given if (one["signer"], one["run"]) == name])[-1]["size"] for name in known}
        seen = runs.judge(sizes)
        outcomes = [next(outcome for outcome, word in VERDICTS.items() if word == report["verdict"]), seen["outcome"]]
        yield {**report, "verdict": next(word for outcome, word in VERDICTS.items() if outcome in outcomes), "witnessed": seen}
