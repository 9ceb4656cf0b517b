import { toHex } from '../base/bytes/hex.js'
import { assertBytes, describe, expected } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'
import { isWellFormed, quote } from '../base/text/text.js'
import { digestInputs, keyIfAny, keyOf } from '../core/hashing.js'
import { isDigest, type PayloadName, spelled } from '../judge/payload-name.js'
import { HASHES, type HashName, type Input } from '../model/bundle.js'
import { textOf } from './columns.js'

/** A payload as the table of payloads names it, or a set that a payload was made from. */
export interface DatumName {
  /** Which hash, and from {@link AS_TEXT} on, that the key is a text. {@link AS_SET} for a set, whose id is the digest. */
  readonly hash: number
  /** In upper-case hexadecimal. */
  readonly digest: string
  /** The key, if it is a text. */
  readonly text: Uint8Array | undefined
}

/** Keys that are texts, of other SDKs, although their hash makes digests: those are payloads of their own. */
const AS_TEXT = HASHES.length
/** No payload: a sealed set. */
export const AS_SET = 2 * HASHES.length

/** The payload keys of bundles, and of the other SDKs' annotations, which may be in lower case. */
export function datumName(input: Input): DatumName {
  if ('set' in input) return { hash: AS_SET, digest: input.set.toUpperCase(), text: undefined }
  const { key, hash } = input
  const number = HASHES.indexOf(hash)
  if (isDigest(input)) return { hash: number, digest: key.toUpperCase(), text: undefined }
  const text = new TextEncoder().encode(key)
  return {
    hash: hash === 'none' ? number : AS_TEXT + number,
    digest: keyOf(text),
    text,
  }
}

/** The id of a set, or nothing for a payload. */
export function setId(hash: number, digest: Uint8Array): string | undefined {
  return hash === AS_SET ? toHex(digest) : undefined
}

/** The name that {@link datumName} has taken apart: digests in upper case. */
export function payloadName(hash: number, digest: Uint8Array, text: Uint8Array | undefined): PayloadName {
  const key = text ? textOf(text) : toHex(digest).toUpperCase()
  return { key, hash: HASHES[hash % AS_TEXT] as HashName }
}

/** SHA-256. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return sha256All([bytes])[0] as Uint8Array
}

/** SHA-256 of many. */
export function sha256All(many: readonly Uint8Array[]): Uint8Array[] {
  return digestInputs(many, 'sha256', 'auto').map(({ bytes }) => bytes)
}

/**
 * The name of a payload that is asked for: bytes are known by their SHA-256.
 *
 * @throws TypeError for what is neither bytes nor a name
 * @throws AlvariumError `CONFIG_INVALID` for a name that cannot be one
 */
export function namedPayload(given: Uint8Array | PayloadName): PayloadName {
  if (typeof given !== 'object' || given === null || !('key' in given)) {
    assertBytes(given, 'payload')
    return { key: keyOf(given), hash: 'sha256' }
  }
  assertNames(given, NAME_MEMBERS, 'payload.')
  const { key, hash } = given
  if (!HASHES.includes(hash)) throw expected('CONFIG_INVALID', 'payload.hash', HASHES.join(', '), shown(hash))
  if (typeof key === 'string' && isWellFormed(key)) return spelled({ key, hash })
  throw expected('CONFIG_INVALID', 'payload.key', 'a payload key', shown(key))
}

/** Returns the names by other hashes of a payload that is asked for by its bytes. */
export function otherNames(given: Uint8Array | PayloadName): PayloadName[] {
  if ('key' in given) return []
  const others = HASHES.filter((hash) => hash !== 'sha256')
  return others.flatMap((hash) => {
    const key = keyIfAny(given, hash)
    return key === undefined ? [] : { key, hash }
  })
}

const NAME_MEMBERS = ['key', 'hash']

function shown(value: unknown): string {
  return typeof value === 'string' ? quote(value) : describe(value)
}
