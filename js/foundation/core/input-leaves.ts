import { toBytes } from '../base/bytes/hex.js'
import { join } from '../base/bytes/join.js'
import { withLength } from '../base/bytes/prefixed.js'
import { isWellFormed, utf8Length } from '../base/text/text.js'
import { HASHES, type HashName, type Input, type InputPayload } from '../model/bundle.js'
import { MaxBytes, withCore } from './core.js'

const encoder = new TextEncoder()
const SET_LEAF = 2 + 32
/** First bytes of a leaf, by hash: the byte 0 of RFC 9162 §2.1.1, the kind of input, and the name of the hash. */
const LEAF_PREFIXES = Object.fromEntries(
  HASHES.map((hash) => [hash, join([Uint8Array.of(0, 0), withLength(hash)]).bytes]),
) as Readonly<Record<HashName, Uint8Array>>

/** Returns the leaf hashes of inputs, 32 bytes each (FORMAT.md, bundle/2). The core hashes four at a time. */
export function leavesOfInputs(inputs: readonly Input[]): Uint8Array {
  const lengths = new Uint32Array(inputs.length)
  // Reserve three bytes for each character of a key, the maximum in UTF-8.
  const maxBytes = inputs.reduce(
    (sum, input) => sum + ('set' in input ? SET_LEAF : 16 + 3 * input.key.length),
    0,
  )
  const leaves = new Uint8Array(maxBytes)
  let end = 0
  for (const [at, input] of inputs.entries()) {
    lengths[at] = putLeaf(input, leaves.subarray(end))
    end += lengths[at]
  }
  return withCore((core) => core.sha256Many(leaves.subarray(0, end), lengths))
}

/** Writes the bytes of a leaf into zeroed memory, and returns the number of bytes. */
function putLeaf(input: Input, to: Uint8Array): number {
  if ('set' in input) {
    to[1] = 1
    to.set(toBytes(input.set) as Uint8Array, 2)
    return SET_LEAF
  }
  const before = LEAF_PREFIXES[input.hash]
  to.set(before)
  const at = before.length
  const { written } = encoder.encodeInto(input.key, to.subarray(at + 4))
  new DataView(to.buffer, to.byteOffset + at).setUint32(0, written)
  return at + 4 + written
}

const KEYS: Readonly<Record<HashName, RegExp>> = {
  sha256: /^[0-9A-F]{64}$/,
  md5: /^[0-9A-F]{32}$/,
  none: /^/,
}

/** Returns whether a text can be a payload key of the given hash. */
export function isPayloadKey({ hash, key }: InputPayload): boolean {
  if (!KEYS[hash].test(key) || key.length > MaxBytes.Unhashed || !isWellFormed(key)) return false
  return hash !== 'none' || utf8Length(key) <= MaxBytes.Unhashed
}
