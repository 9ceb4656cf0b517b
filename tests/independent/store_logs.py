"""Logs of stores, FORMAT.md "Logs of stores", written from that page alone: proofs that an entry is in a log, and records of prunings and of classic messages."""
import functools, hashlib, struct

from checkpoints import base64_in, number, note_key_id, root, seal, sha256
import signatures

PRUNINGS = [b"alvarium.Pruning/1\n", b"alvarium.Pruning/2\n"]
verifier_of = functools.cache(signatures.verifier)  # checking a key takes long
CLASSIC = b"alvarium.ClassicMessage/1\n"

def verify(proof, entry, vkey, need, reader=None):
    """Returns the position of an entry in a log, by a C2SP tlog-proof, and the verdict on a
    reader's witnesses if there is one. `need` raises a code.
    """
    head, separator, note = proof.partition("\n\n")
    need(separator and "\n" in head)
    first, index, *path = head.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and index.startswith("index "))
    index, path = number(index[6:], need), [bytes.fromhex(root(one, need)) for one in path]
    text, seals, size, top = open_note(note, vkey, need)
    need(index < size, "PROOF_INVALID")
    need(root_by(sha256(b"\0", entry), index, size - 1, path, need).hex() == top, "PROOF_INVALID")
    return {"index": index, "size": size, "root": top, **({"witnessed": judge(reader, text, seals, size, top, need)} if reader else {})}

def open_note(note, vkey, need):
    """Returns the text of a note that its log has signed, all of its signatures, its size and
    its root.
    """
    origin, _, key = vkey.split("+", 2)
    public = base64_in(key, need)[1:]
    text, separator, seals = note.rpartition("\n\n")
    need(separator)
    need(text.count("\n") >= 2)
    name, size, top = text.split("\n")[:3]
    lines = seals.split("\n")
    need(name == origin and lines.pop() == "" and 1 <= len(lines) <= 16)
    seals, size, top = [seal(line, need) for line in lines], number(size, need), root(top, need)
    own = [one for whose, id_, one in seals if (whose, id_) == (origin, note_key_id(origin, public))]
    need(len(own) == 1 and len(own[0]) == 64)
    need(verifier_of(public)(own[0], (text + "\n").encode()), "SIGNATURE_INVALID")
    return text + "\n", seals, size, top

def judge(reader, *note):
    import cosignatures
    *parts, need = note
    log = cosignatures.Log(reader)
    log.add(*parts)
    told = log.judge()
    need(told["outcome"] != "does not hold", "SIGNATURE_INVALID")
    need(told["outcome"] == "holds", "WITNESSES_MISSING")
    return told

def root_by(node, at, last, path, need):
    for sibling in path:
        need(last > 0, "PROOF_INVALID")
        node = sha256(b"\1", sibling, node) if at % 2 or at == last else sha256(b"\1", node, sibling)
        while at % 2 == 0 and at == last and at > 0:
            at, last = at // 2, last // 2
        at, last = at // 2, last // 2
    need(last == 0, "PROOF_INVALID")
    return node

class Record:
    """A record, read from its beginning."""

    def __init__(self, record, firsts, need):
        first = next((one for one in firsts if record.startswith(one)), None)
        need(first is not None)
        self.first, self.rest, self.need = first, record[len(first):], need

    def take(self, form):
        size = struct.calcsize(form)
        self.need(len(self.rest) >= size)
        (value,) = struct.unpack(form, self.rest[:size])
        self.rest = self.rest[size:]
        return value

    def number(self):
        value = self.take(">q")
        self.need(abs(value) < 2**53)
        return value

    def flag(self):
        value = self.take(">B")
        self.need(value in (0, 1))
        return value == 1

    def ranges(self):
        ranges = [[self.number(), self.number()] for _ in range(self.take(">I"))]
        before = -1
        for first, last in ranges:
            self.need(before < first <= last)
            before = last
        return ranges

def pruning(record, need):
    """Returns the content of a record, and its entry in a log."""
    reader = Record(record, PRUNINGS, need)
    said = {"isEarlier": reader.flag(), "at": reader.number()}
    if reader.flag():
        said["before"] = reader.number()
    said["messages"] = reader.number()
    said["ranges"] = reader.ranges()
    if reader.first == PRUNINGS[1]:
        said["left"] = [reader.ranges() for _ in range(3)]
    need(reader.rest == b"")
    return {**said, "id": entry(record)}

def classic(record, need):
    """Reads the record of a classic message, and computes its entry in a log."""
    reader = Record(record, [CLASSIC], need)
    said = {"isEarlier": reader.flag(), "digest": reader.take("32s").hex(), "ranges": reader.ranges()}
    need(reader.rest == b"" and 1 <= sum(last - first + 1 for first, last in said["ranges"]) <= 256)
    return {**said, "id": entry(record)}

def entry(record):
    return hashlib.sha256(b"\0" + record).hexdigest()
