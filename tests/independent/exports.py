"""Exports, FORMAT.md "Exports", read by the specifications of DSSE, in-toto and PROV-JSON alone.

    exports.py in-toto <key in hex> < lines    verifies envelopes, and prints the statements
    exports.py prov < document                 checks the document, and prints the number of its relations
"""
import base64, json, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import load_der_public_key

TYPE = b"application/vnd.in-toto+json"

def once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name comes twice")
    return dict(pairs)

def load(text):
    return json.loads(text, object_pairs_hook=once)

def pae(payload_type, payload):
    """Returns PAE(type, body) = "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body (DSSE 1.0.2, protocol.md)."""
    return b" ".join([b"DSSEv1", str(len(payload_type)).encode(), payload_type, str(len(payload)).encode(), payload])

def verify(key, signature, signed):
    if len(key) == 32:
        ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    else:
        load_der_public_key(key).verify(signature, signed, ec.ECDSA(hashes.SHA256()))

def statement_in(line, key):
    envelope = load(line)
    assert envelope["payloadType"].encode() == TYPE and len(envelope["signatures"]) == 1
    payload = base64.b64decode(envelope["payload"], validate=True)
    verify(key, base64.b64decode(envelope["signatures"][0]["sig"], validate=True), pae(TYPE, payload))
    return load(payload)

def in_toto(key):
    for line in sys.stdin:
        try:
            print(json.dumps(statement_in(line, key)))
        except InvalidSignature:
            print("null")

# The ends of each relation (PROV-JSON, 3), and the kind of declaration that each must have.
ENDS = {
    "wasGeneratedBy": {"prov:entity": "entity", "prov:activity": "activity"},
    "used": {"prov:activity": "activity", "prov:entity": "entity"},
    "wasDerivedFrom": {"prov:generatedEntity": "entity", "prov:usedEntity": "entity", "prov:activity": "activity"},
    "wasAttributedTo": {"prov:entity": "entity", "prov:agent": "agent"},
    "wasAssociatedWith": {"prov:activity": "activity", "prov:agent": "agent"},
}

def relations_in(bundle, prefixes):
    count = 0
    for kind in ("entity", "activity", "agent"):
        for name in bundle[kind]:
            assert name.split(":")[0] in prefixes, name
    for kind, relations in bundle.items():
        for name, relation in relations.items():
            if kind not in ENDS:
                continue
            assert name.startswith("_:") and set(relation) == set(ENDS[kind]), relation
            assert all(relation[end] in bundle[among] for end, among in ENDS[kind].items()), relation
            count += 1
    assert set(bundle) <= {"entity", "activity", "agent", *ENDS}
    return count

def prov():
    document = load(sys.stdin.read())
    assert set(document) == {"prefix", "bundle"}
    assert all(name.startswith("bundle:") for name in document["bundle"])
    print(sum(relations_in(bundle, document["prefix"]) for bundle in document["bundle"].values()))

if sys.argv[1] == "prov":
    prov()
else:
    in_toto(bytes.fromhex(sys.argv[2]))
