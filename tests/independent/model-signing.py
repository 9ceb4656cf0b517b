"""Verifies folders with the library of model_signing. Each line of the input is JSON: a folder, a signature, and a public key."""
import json, sys
from model_signing import verifying

for line in sys.stdin:
    asked = json.loads(line)
    try:
        config = verifying.Config().use_elliptic_key_verifier(public_key=asked["key"])
        config.verify(asked["folder"], asked["signature"])
        print("accepted")
    except Exception as error:
        print(type(error).__name__)
