import { fourBits } from '../../../foundation/base/bytes/hex.js'
import { describe, isBytes } from '../../../foundation/base/errors.js'
import { invalid } from '../fault.js'
import { secretBytes, secretCopy, secretFromHex, secretText, trimBytes } from '../secret.js'

/**
 * A private key of Ed25519 that consists of its seed, without the public key: 32 bytes, or their hexadecimal as text or
 * as the contents of a file (the Rust SDK's `private.key`). It has a form of its own, because a seed looks like a
 * public key: a public key used as a seed would sign with bytes that everyone knows.
 */
export interface Seed {
  /** The seed: 32 bytes, or 64 hexadecimal digits as text or as the bytes of a file, with optional white space. */
  readonly seed: Uint8Array | string
}

/** Bytes that precede the seed in PKCS#8 of an Ed25519 key (RFC 8410 §7). PKCS#8 marks the seed as private. */
export const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20)
const SEED_FORMS = 'a seed of 32 bytes, or 64 hexadecimal digits'

/** Converts a seed to PKCS#8. @returns PKCS#8, which the caller wipes */
export function fromSeed({ seed }: { readonly seed: unknown }): Uint8Array<ArrayBuffer> {
  const der = secretBytes(PKCS8.length + 32)
  der.set(PKCS8)
  const bytes = seedBytes(seed)
  der.set(bytes, PKCS8.length)
  bytes.fill(0)
  return der
}

/** Returns the 32 bytes of a seed, which the caller wipes. */
function seedBytes(seed: unknown): Uint8Array {
  if (isBytes(seed)) return seed.length === 32 ? secretCopy(seed) : fromDigits(trimBytes(seed), seed.length)
  if (typeof seed !== 'string') throw invalid('signingKey.seed', SEED_FORMS, describe(seed))
  const text = secretText(seed.trim())
  try {
    return fromDigits(text, text.length)
  } finally {
    text.fill(0)
  }
}

function fromDigits(digits: Uint8Array, given: number): Uint8Array {
  if (digits.length !== 64) throw invalid('signingKey.seed', SEED_FORMS, `${given} bytes or digits`)
  const wrong = digits.findIndex((code) => fourBits(code) < 0)
  if (wrong >= 0) throw invalid('signingKey.seed', SEED_FORMS, `an invalid character at position ${wrong}`)
  return secretFromHex(digits) as Uint8Array
}
