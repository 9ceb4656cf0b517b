import { toHex } from '../../foundation/base/bytes/hex.js'
import { assertBytes, expected, quoteOr } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { isWellFormed } from '../../foundation/base/text/text.js'
import { digestInputs, keyIfAny, keyOf } from '../../foundation/core/hashing.js'
import { HASHES, type HashName, type Input } from '../../foundation/model/bundle.js'
import { isDigest, normalize, type PayloadName } from '../../verifying/score/payload-name.js'
import { textOf } from './columns.js'

/** Name of a payload or of a sealed set, as stored in the table `datum`. */
export interface DatumName {
  /** Number of the hash algorithm. From {@link AS_TEXT} on, the key is a text. {@link AS_SET} stands for sets. */
  readonly hash: number
  /** Digest in upper-case hexadecimal. */
  readonly digest: string
  /** Payload key, if it is a text and not a digest. */
  readonly text: Uint8Array | undefined
}

/** Added to the number of a hash algorithm if a key of another SDK is a text instead of the algorithm's digest. */
const AS_TEXT = HASHES.length
/** Hash number of sealed sets, which are not payloads. */
export const AS_SET = 2 * HASHES.length

/** Returns the stored name of a payload or a set. Digests may be in lower case, as in annotations of other SDKs. */
export function datumName(input: Input): DatumName {
  if ('set' in input) return { hash: AS_SET, digest: input.set.toUpperCase(), text: undefined }
  const { key, hash } = input
  const number = HASHES.indexOf(hash)
  if (isDigest(input)) return { hash: number, digest: key.toUpperCase(), text: undefined }
  const text = new TextEncoder().encode(key)
  return { hash: hash === 'none' ? number : AS_TEXT + number, digest: keyOf(text), text }
}

export function setId(hash: number, digest: Uint8Array): string | undefined {
  return hash === AS_SET ? toHex(digest) : undefined
}

export function payloadName(hash: number, digest: Uint8Array, text: Uint8Array | undefined): PayloadName {
  const key = text ? textOf(text) : toHex(digest).toUpperCase()
  return { key, hash: HASHES[hash % AS_TEXT] as HashName }
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return sha256All([bytes])[0] as Uint8Array
}

export function sha256All(many: readonly Uint8Array[]): Uint8Array[] {
  return digestInputs(many, 'sha256', 'auto').map(({ bytes }) => bytes)
}

/** Returns the name of a payload. Bytes are named by their SHA-256. */
export function namedPayload(given: Uint8Array | PayloadName): PayloadName {
  if (typeof given !== 'object' || given === null || !('key' in given)) {
    assertBytes(given, 'payload')
    return { key: keyOf(given), hash: 'sha256' }
  }
  assertNames(given, NAME_MEMBERS, 'payload.')
  const { key, hash } = given
  if (!HASHES.includes(hash))
    throw expected('CONFIG_INVALID', 'payload.hash', HASHES.join(', '), quoteOr(hash))
  if (typeof key === 'string' && isWellFormed(key)) return normalize({ key, hash })
  throw expected('CONFIG_INVALID', 'payload.key', 'a payload key', quoteOr(key))
}

/** Returns the names that a payload has by hashes other than SHA-256, if the payload is given as bytes. */
export function otherNames(given: Uint8Array | PayloadName): PayloadName[] {
  if ('key' in given) return []
  const others = HASHES.filter((hash) => hash !== 'sha256')
  return others.flatMap((hash) => {
    const key = keyIfAny(given, hash)
    return key === undefined ? [] : { key, hash }
  })
}

const NAME_MEMBERS = ['key', 'hash']
