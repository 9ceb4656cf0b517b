"""Verifies archives and exports of stores (FORMAT.md "Verification", "lease/1" and "Checkpoints"), line by line, and
reports on each signer.

    archives.py < questions > verdicts

A question is a line of JSON: `keys` in hexadecimal by key id, an optional `policy`, and a `pack` or `lines`. Each line has
a `message`, and optionally the time when it was `received`. All bytes are in base64. A verdict is a line: canonical JSON,
or a code.
"""
import base64, functools, json, sys, traceback
import verify as messages
import checkpoints, completeness, leases, packs, signatures
from verify import Refused, need

START = b'{"messageType":"alvarium.Checkpoint/1","content":"'
PLAIN = ("signer", "verdict", "missing", "refused", "undecided", "unknown", "inGaps", "gaps", "unlisted", "forks", "beginnings")

verifier_of = functools.cache(signatures.verifier)

def moment(timestamp):
    return timestamp and leases.nanoseconds(timestamp)

class Archive:
    """The lines of an archive, as one reader verifies them."""
    def __init__(self, lines, reader, has_policy):
        self.reader = packs.learnt(reader, [line for line, _ in lines if has_policy])
        self.time = {} if has_policy else {"time": "none"}
        self.checkpoints, self.messages = [], []
        self.words = [self.word(line, received) for line, received in lines]

    def word(self, line, received):
        try:
            if packs.is_lease(line):
                return leases.read(line)["serial"]
            if line.lstrip(b" \t\r\n").startswith(START):
                return self.checkpoint(self.reader.checkpoint(line, received))
            return self.message(line, self.reader.message(line, False, None, received))
        except Refused as refused:
            return str(refused)

    def checkpoint(self, said):
        self.checkpoints.append(said)
        return {"number": said["number"], "size": said["size"], "signer": said["who"], "time": said["time"], **self.time}

    def message(self, line, bundles):
        found = completeness.message_of(bundles, messages.said_by(messages.read(line, False))[1])
        self.messages.append({**found, "who": bundles[0]["who"]})
        return {"ids": [one["id"] for one in bundles], "signer": bundles[0]["who"], "time": bundles[0]["time"], **self.time}

    def reports(self):
        owners = completeness.owners_of(self.checkpoints, self.messages)
        found = completeness.signers(self.checkpoints, self.messages, issuer=owners.get)
        return [{name: one[name] for name in PLAIN} for one in found]

def answer(question):
    keyring = {key_id: verifier_of(bytes.fromhex(key)) for key_id, key in question["keys"].items()}
    checkpoints.KEYS.update({key_id: bytes.fromhex(key) for key_id, key in question["keys"].items()})
    policy = question.get("policy", {})
    times = [{name: moment(one) for name, one in policy.get(which, {}).items()} for which in ("revoked", "ends")]
    reader = leases.Reader(keyring, (), (), policy.get("late", 0) * 10**6, *times)
    try:
        if "pack" in question:
            pack = packs.verify(base64.b64decode(question["pack"]), reader, need, Refused, policy.get("confirming", ()), "policy" in question)
            return f"{json.dumps(pack['matchesStoredVerdict'])} {pack['verdict']}"
        archive = Archive([(base64.b64decode(one["message"]), moment(one.get("received"))) for one in question["lines"]], reader, "policy" in question)
        return packs.canonical({"lines": archive.words, "reports": archive.reports()})
    except Refused as refused:
        return str(refused)

def answer_or_fault(question):
    """Returns the answer, or the name of this program's fault, which equals no verdict of
    another program.
    """
    try:
        return answer(question)
    except Exception as error:
        return f"fault: {error!r}, {traceback.format_exc().splitlines()[-3:]}"

if __name__ == "__main__":
    for question in sys.stdin:
        print(json.dumps(answer_or_fault(json.loads(question))), flush=True)
