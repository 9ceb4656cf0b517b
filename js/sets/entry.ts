import { toBytes } from '../base/bytes/hex.js'
import { describe, expected, isBytes } from '../base/errors.js'
import { HASH_BYTES, hashed } from '../core/hashed.js'

/**
 * What is in a set, or asked for: the bytes of a payload; the payload key of one, 64 hexadecimal digits, as bundles have it with hash
 * `sha256`; or an object with the bytes of a payload, as `readRecords` has them.
 */
export type SetItem = Uint8Array | string | { readonly bytes: Uint8Array }

/** What an item is: the bytes of a payload, or a text that should be a payload key. @throws TypeError for anything else */
export function payloadOrKey(item: SetItem): Uint8Array | string {
  if (isBytes(item) || typeof item === 'string') return item
  const bytes: unknown = Reflect.get(Object(item), 'bytes')
  if (isBytes(bytes)) return bytes
  throw new TypeError(
    `item: expected a Uint8Array, a payload key or an object with bytes, got ${describe(item)}`,
  )
}

const DIGITS = 2 * HASH_BYTES

/**
 * The bytes of a payload key, in either case: other tools write lower-case digits.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function keyBytesOf(key: string): Uint8Array {
  const bytes = key.length === DIGITS ? toBytes(key) : undefined
  if (bytes) return bytes
  throw expected(
    'CONFIG_INVALID',
    'item',
    `a payload key of sha256, ${DIGITS} hexadecimal digits`,
    shown(key),
  )
}

/** A payload may have been meant: it is not quoted. */
function shown(key: string): string {
  return key.length === DIGITS ? 'another text' : `a text of ${key.length} characters`
}

/** What a set with a salt has in the place of payload keys that stand one behind the other: SHA-256(salt ‖ key). */
export function salted(keys: Uint8Array, salt: Uint8Array | undefined): Uint8Array {
  if (!salt) return keys
  const texts = new Uint8Array(2 * keys.length)
  for (let at = 0; at < keys.length; at += HASH_BYTES) {
    texts.set(salt, 2 * at)
    texts.set(keys.subarray(at, at + HASH_BYTES), 2 * at + HASH_BYTES)
  }
  return hashed(texts, 2 * HASH_BYTES)
}
