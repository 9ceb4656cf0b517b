"""Keys and signatures, FORMAT.md "Keys and key ids" and "Signatures at the edge".

`cryptography` does most of it. This module adds the missing parts: the order of an Ed25519 key, and SM2.
"""
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

# Prefixes of K, before x and y.
P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
SECP256K1 = bytes.fromhex("3056301006072a8648ce3d020106052b8104000a03420004")
SM2 = bytes.fromhex("3059301306072a8648ce3d020106082a811ccf5501822d03420004")
N_P256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
N_SECP256K1 = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141

def verifier(key):
    """Returns the verifier of a key K (FORMAT.md), which tells from a signature and the signed
    bytes whether the key made it.
    """
    if len(key) == 32:
        return ed25519_verifier(key)
    for prefix, verifier_of_point in {
        P256: lambda point: ecdsa_verifier(ec.SECP256R1(), N_P256, point),
        SECP256K1: lambda point: ecdsa_verifier(ec.SECP256K1(), N_SECP256K1, point),
        SM2: sm2_verifier,
    }.items():
        if key.startswith(prefix) and len(key) == len(prefix) + 64:
            return verifier_of_point(key[-64:])
    raise ValueError("expected 32 bytes, or a SubjectPublicKeyInfo with an uncompressed point")

def accepts(verify, *arguments):
    try:
        verify(*arguments)
        return True
    except InvalidSignature:
        return False

def halves(signature):
    return int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")

def times(number, point, added, neutral):
    total = neutral
    for bit in f"{number:b}":
        total = added(total, total)
        total = added(total, point) if bit == "1" else total
    return total

# ── Ed25519 (RFC 8032 §5.1) ──

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
NEUTRAL = b"\1" + bytes(31)

def ed25519_verifier(key):
    if key == NEUTRAL or times(L, ed25519_point(key), ed25519_sum, (0, 1)) != (0, 1):
        raise ValueError("a public key of Ed25519 has to be of the order of the base point")
    verify = ed25519.Ed25519PublicKey.from_public_bytes(key).verify

    def is_signature(signature, signed):
        r, s = signature[:32], int.from_bytes(signature[32:], "little")
        return s < L and r != NEUTRAL and accepts(verify, signature, signed)
    return is_signature

def ed25519_point(key):
    y, sign = int.from_bytes(key, "little") % 2**255, key[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    x = x if x % 2 == sign else -x % P
    if y >= P or x * x % P != square or x % 2 != sign:
        raise ValueError("a public key of Ed25519 has to be a point in its canonical encoding")
    return x, y

def ed25519_sum(one, other):
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2
    return (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P

# ── ECDSA (FIPS 186-5 §6) ──

def ecdsa_verifier(curve, order, point):
    public = ec.EllipticCurvePublicKey.from_encoded_point(curve, b"\4" + point)

    def is_signature(signature, signed):
        r, s = halves(signature)
        der = utils.encode_dss_signature(r, s)
        return 0 < r < order and 0 < s <= order // 2 and accepts(public.verify, der, signed, ec.ECDSA(hashes.SHA256()))
    return is_signature

# ── SM2 (GB/T 32918.2 §7, curve of GB/T 32918.5) ──

SM2_P = 0xFFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF00000000FFFFFFFFFFFFFFFF
SM2_B = 0x28E9FA9E9D9F5E344D5A9E4BCF6509A7F39789F515AB8F92DDBCBD414D940E93
SM2_N = 0xFFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF7203DF6B21C6052B53BBF40939D54123
SM2_G = (0x32C4AE2C1F1981195F9904466A39C9948FE30BBFF2660BE1715A4589334C74C7,
         0xBC3736A2F4F6779C59BDCEE36B692153D0A9877CC62A474002DF32E52139F0A0)

def sm2_verifier(point):
    x, y = halves(point)
    if max(x, y) >= SM2_P or (y * y - x**3 + 3 * x - SM2_B) % SM2_P != 0:
        raise ValueError("a public key of SM2 has to be a point of its curve")
    z = sm3(b"\0\x80" + b"1234567812345678", *map(u256, (SM2_P - 3, SM2_B, *SM2_G, x, y)))

    def is_signature(signature, signed):
        r, s = halves(signature)
        if not (0 < r < SM2_N and 0 < s < SM2_N and (r + s) % SM2_N):
            return False
        e = int.from_bytes(sm3(z, signed), "big")
        to = sm2_sum(times(s, SM2_G, sm2_sum, None), times((r + s) % SM2_N, (x, y), sm2_sum, None))
        return to is not None and (e + to[0]) % SM2_N == r
    return is_signature

def sm2_sum(one, other):
    """Adds two points; None is the point at infinity."""
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % SM2_P == 0:
        return None
    slope = 3 * (x1 * x1 - 1) * pow(2 * y1, -1, SM2_P) if one == other else (y2 - y1) * pow(x2 - x1, -1, SM2_P)
    x = (slope * slope - x1 - x2) % SM2_P
    return x, (slope * (x1 - x) - y1) % SM2_P

def u256(number):
    return number.to_bytes(32, "big")

def sm3(*parts):
    hash = hashes.Hash(hashes.SM3())
    hash.update(b"".join(parts))
    return hash.finalize()
