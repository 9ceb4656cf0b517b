import { toBytes } from '../../foundation/base/bytes/hex.js'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'
import { HASH_BYTES, hashPieces } from '../../foundation/core/tree.js'

/** Item of a set: a payload, an object with its bytes, or its `sha256` payload key, 64 hexadecimal digits. */
export type SetItem = Uint8Array | string | { readonly bytes: Uint8Array }

/** Returns an item's payload, or its text, which should be a payload key. @throws TypeError unless it is an item */
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
 * Decodes a payload key in upper or lower case, because other tools write lower case.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function keyBytesOf(key: string): Uint8Array {
  const bytes = key.length === DIGITS ? toBytes(key) : undefined
  if (bytes) return bytes
  // Do not quote the text, because it may be a payload.
  const got = key.length === DIGITS ? 'another text' : `a text of ${key.length} characters`
  throw expected('CONFIG_INVALID', 'item', `a payload key of sha256, ${DIGITS} hexadecimal digits`, got)
}

/** Returns the entries for payload keys: SHA-256(salt ‖ key), or without a salt the keys themselves. */
export function saltKeys(keys: Uint8Array, salt: Uint8Array | undefined): Uint8Array {
  if (!salt) return keys
  const texts = new Uint8Array(2 * keys.length)
  for (let at = 0; at < keys.length; at += HASH_BYTES) {
    texts.set(salt, 2 * at)
    texts.set(keys.subarray(at, at + HASH_BYTES), 2 * at + HASH_BYTES)
  }
  return hashPieces(texts, 2 * HASH_BYTES)
}
