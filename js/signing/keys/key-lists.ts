import { isSame } from '../../foundation/base/bytes/same.js'
import { describe, isBytes } from '../../foundation/base/errors.js'
import type { Address } from './ec/recovery.js'
import { Keyring } from './keyring.js'
import type { VerifyingKeyInput } from './verifying.js'

/** A list of public keys, accepted in place of a keyring. */
export type KeyList = readonly (VerifyingKeyInput | Address)[]

const MAX_LISTS = 8
const MAX_KEYS = 4096
/**
 * Maximum number of keys to read at once. Longer lists are read in parts, so that timers and sockets run in between.
 */
const MAX_AT_ONCE = 64

/**
 * A list of keys from an earlier call, with its keyring. Reading a key takes 0.1 ms, three times as long as verifying a
 * message. Without the cache, `keyring: [key]` in a loop would read the key for each message.
 */
interface RememberedList {
  readonly keys: readonly (Uint8Array | string)[]
  readonly keyring: Keyring
}

let recentLists: readonly RememberedList[] = []

/** Returns a keyring for a list: the keyring of an earlier call if that list had the same keys, byte for byte. */
export function openKeyList(list: KeyList): Keyring | Promise<Keyring> {
  const found = recentLists.find(({ keys }) => isSameList(keys, list))
  if (found) {
    recentLists = [found, ...recentLists.filter((one) => one !== found)]
    return found.keyring
  }
  const keys = snapshotOf(list)
  const keyring = list.length > MAX_AT_ONCE ? Keyring.from(keys) : keyringOf(keys)
  if (keyring instanceof Promise) return keyring.then((opened) => remember(keys, opened))
  return remember(keys, keyring)
}

export function closeKeyList(keyring: Keyring): void {
  if (!recentLists.some((one) => one.keyring === keyring)) keyring.close()
}

function remember(keys: KeyList, keyring: Keyring): Keyring {
  if (keys.length > MAX_KEYS || !keys.every(isPlain)) return keyring
  recentLists = [{ keys, keyring }, ...recentLists]
  for (const { keyring: forgotten } of recentLists.slice(MAX_LISTS)) forgotten.close()
  recentLists = recentLists.slice(0, MAX_LISTS)
  return keyring
}

/** Copies the bytes of keys, because their owner may overwrite them later. */
function snapshotOf(list: KeyList): KeyList {
  return list.map((key) => (isBytes(key) ? key.slice() : key))
}

function isPlain(key: KeyList[number]): key is Uint8Array | string {
  return typeof key === 'string' || isBytes(key)
}

function isSameList(keys: RememberedList['keys'], list: KeyList): boolean {
  return keys.length === list.length && keys.every((key, at) => isSameKey(key, list[at]))
}

function isSameKey(key: Uint8Array | string, other: unknown): boolean {
  if (typeof key === 'string') return key === other
  return isBytes(other) && isSame(key, other)
}

/** Creates a keyring. Creates the verifier before adding the keys, so that each key is read only once. */
function forOneUse(keys: readonly (VerifyingKeyInput | Address)[]): Keyring {
  const keyring = new Keyring()
  keyring.use(() => undefined)
  for (const key of keys) keyring.add(key)
  return keyring
}

/**
 * @internal Returns a keyring unchanged, or creates one from an array of keys.
 *
 * @throws TypeError for other values, because an undefined keyring would trust nobody and never deliver a message
 */
export function keyringOf(keyring: Keyring | readonly (VerifyingKeyInput | Address)[]): Keyring {
  if (keyring instanceof Keyring) return keyring
  if (Array.isArray(keyring)) return forOneUse(keyring)
  throw new TypeError(`keyring: expected a Keyring or an array of public keys, got ${describe(keyring)}`)
}
