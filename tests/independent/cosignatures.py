"""Cosignatures of witnesses, FORMAT.md "Witnesses", written from that page alone."""
import datetime, functools, re

from checkpoints import base64_in, sha256
import signatures

verifier_of = functools.cache(signatures.verifier)  # checking a key takes long
MAX_TIME, MAX_SHOWN = 2**53 - 1, 253_402_300_799  # the last second of the year 9999
WORDS = {"witnessed": "holds", "contradicted": "does not hold", "unwitnessed": "cannot tell"}

class Witness:
    """A reader's witness, with its public key as text."""

    def __init__(self, vkey, need):
        need_key = lambda is_so, *_: need(is_so, "CONFIG_INVALID")
        parts = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", vkey)
        need_key(parts)
        typed = base64_in(parts[3], need_key)
        self.name, self.id, self.key = parts[1], bytes.fromhex(parts[2]), typed
        need_key(typed[0] == 4 and sha256(self.name.encode() + b"\n", typed)[:4] == self.id)
        self.is_signature = verifier_of(typed[1:])

    def time(self, text, sealed):
        """Returns the time of the witness's signature on a text, in seconds since 1970; None
        if it did not sign.
        """
        time = int.from_bytes(sealed[:8], "big")
        is_signed = len(sealed) == 72 and time <= MAX_TIME and self.is_signature(sealed[8:], f"cosignature/v1\ntime {time}\n{text}".encode())
        return time if is_signed else None

class Reader:
    """A reader's witnesses, and their quorum."""

    def __init__(self, vkeys, quorum, need):
        need(1 <= len(vkeys) <= 15, "CONFIG_INVALID")
        self.witnesses = [Witness(one, need) for one in vkeys]
        need(len({one.key for one in self.witnesses}) == len(vkeys), "CONFIG_INVALID")
        self.quorum = len(vkeys) // 2 + 1 if quorum is None else quorum
        need(1 <= self.quorum <= len(vkeys), "CONFIG_INVALID")

class Log:
    """Notes of one log; its own signatures are verified elsewhere."""

    def __init__(self, reader):
        self.reader, self.seen, self.bad = reader, {}, set()

    def add(self, text, seals, size, root):
        found, bad = {}, set()
        for name, id_, sealed in seals:
            for witness in [one for one in self.reader.witnesses if (one.name, one.id) == (name, id_)][:1]:
                time = witness.time(text, sealed)
                if time is None:
                    bad.add(("line", name, size))
                else:
                    found.setdefault(witness.key, set()).add(time)
        self.bad |= bad
        if not bad:  # a bad line rejects the note
            times = self.seen.setdefault((size, root), {})
            for key, some in found.items():
                times.setdefault(key, set()).update(some)

    def times_at(self, place):
        """Returns the times of the witnesses that count; a witness that contradicts itself
        does not.
        """
        liars = {witness.key for witness in self.reader.witnesses if self.contradictions(witness)}
        return {key: min(times) for key, times in self.seen[place].items() if key not in liars}

    def quorum_time(self, place):
        times = sorted(self.times_at(place).values())
        return times[self.reader.quorum - 1] if len(times) >= self.reader.quorum else None

    def first_at(self, size):
        """Returns the earliest time by which the quorum had seen this many messages, and the
        number of witnesses by then.
        """
        times = [(self.quorum_time(place), place) for place in self.seen if place[0] >= size and self.quorum_time(place) is not None]
        if not times:
            return None
        time, place = min(times, key=lambda one: one[0])
        return time, sum(one <= time for one in self.times_at(place).values())

    @property
    def largest(self):
        return max((place for place in self.seen if self.quorum_time(place) is not None), default=None)

    @property
    def forks(self):
        sizes = [size for size, _ in self.seen]
        return {("fork", size) for size in sizes if sizes.count(size) > 1}

    @property
    def is_contradicted(self):
        return bool(self.forks or (self.bad and not self.seen))

    @property
    def faults(self):
        return {*self.bad, *self.forks, *(fault for witness in self.reader.witnesses for fault in self.contradictions(witness))}

    def contradictions(self, witness):
        own = [(place[0], times[witness.key]) for place, times in self.seen.items() if witness.key in times]
        found = {("two", witness.name, size) for at, (size, _) in enumerate(own) if size in [one for one, _ in own[:at]]}
        is_back = any(size < larger and max(times) > min(earlier) for size, times in own for larger, earlier in own)
        return found | ({("back", witness.name)} if is_back else set())

    def judge(self):
        """Returns the verdict on the largest log that the quorum has seen."""
        largest, counts = self.largest, [len(self.times_at(place)) for place in self.seen]
        by = None if largest is None else self.quorum_time(largest)
        seen = max(counts, default=0) if by is None else sum(one <= by for one in self.times_at(largest).values())
        verdict = word_of(self.is_contradicted, by is not None)
        told = {"verdict": verdict, "outcome": WORDS[verdict], "faults": sorted(map(list, self.faults), key=str)}
        if verdict == "contradicted":
            return told
        return {**told, "size": 0 if by is None else largest[0], "seen": seen, **({} if by is None else {"by": shown_time(by)})}

def word_of(is_contradicted, is_seen):
    return "contradicted" if is_contradicted else "witnessed" if is_seen else "unwitnessed"

def shown_time(seconds):
    if seconds > MAX_SHOWN:
        return f"{seconds} s since 1970"
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)).isoformat() + "Z"

class Runs:
    """The runs of signers, each of which is a log."""

    def __init__(self, reader):
        self.reader, self.logs = reader, {}

    def add(self, key, run, text, seals, size, root):
        self.logs.setdefault((key, run), Log(self.reader)).add(text, seals, size, root)

    def judge(self, sizes):
        """Gives the verdict on some runs, each up to a size; runs without messages do not count."""
        some = {name: size for name, size in sizes.items() if size > 0}
        logs = {name: self.logs.get(name, Log(self.reader)) for name in some}
        faults = {(name[1][:8], *fault) for name, log in logs.items() for fault in log.faults}
        firsts = [logs[name].first_at(size) for name, size in some.items()]
        unseen = sum(size - min(size, (logs[name].largest or (0,))[0]) for name, size in some.items())
        is_seen = bool(some) and all(firsts)
        verdict = word_of(any(log.is_contradicted for log in logs.values()), is_seen)
        told = {"verdict": verdict, "outcome": WORDS[verdict], "faults": sorted(map(list, faults), key=str), "unseen": unseen}
        return {**told, **({"since": shown_time(max(time for time, _ in firsts)), "seen": min(seen for _, seen in firsts)} if is_seen else {})}

def judge(question, need):
    """Gives the verdict on the notes of one log."""
    import store_logs
    reader, log = Reader(question["witnesses"], question.get("quorum"), need), None
    for note in question["notes"]:
        parts = store_logs.open_note(note, question["vkey"], need)
        log = log or Log(reader)
        log.add(*parts)
    return log.judge()
