import * as v from 'valibot'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { expected, isBytes } from '../../foundation/base/errors.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { countBefore } from '../../foundation/base/search.js'
import { VERSION } from '../../foundation/base/version.js'
import { keyOf } from '../../foundation/core/hashing.js'
import { type Entries, EntryReader } from './entries.js'
import { keyBytesOf, payloadOrKey, type SetItem, saltKeys } from './entry.js'
import { bytes } from './schemas.js'
import { assertSalt } from './statement.js'
import { type SealedEntries, sealedEntries } from './tree.js'

/** @internal Symbol for a list's contents. Copies of the package with the same version share this symbol. */
export const LIST_CONTENTS: unique symbol = Symbol.for(`alvarium-sdk.KeyList ${VERSION}`)

/**
 * Sorted payload keys of a set, for making proofs. `sealSet` and `openKeyList` return a list. Do not publish a list,
 * because it reveals the keys of all payloads, unless there is a salt. It takes 36 bytes of memory for each key.
 *
 * @example
 * ```ts
 * import { sealSet } from 'alvarium-sdk/sets'
 *
 * const { list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * console.log(list.size, list.has(payload)) // 1 true
 * ```
 */
export class KeyList {
  readonly #contents: SealedEntries

  /** @internal */
  constructor(inside: SealedEntries) {
    this.#contents = inside
  }

  /** @internal */
  get [LIST_CONTENTS](): SealedEntries {
    return this.#contents
  }

  /** Number of different keys. */
  get size(): number {
    return this.#contents.entries.length
  }

  /** Root of the tree over the keys: 64 lower-case hexadecimal digits. */
  get root(): string {
    return this.#contents.tree.root
  }

  /** Returns whether the set contains a payload, given as its bytes or its payload key. */
  has(item: SetItem): boolean {
    return findEntry(this.#contents, item).isMember
  }

  /**
   * Returns the payload keys of the set, by sha256, in ascending order. The iterable can be used repeatedly, and
   * encodes each key when it is read.
   *
   * @throws AlvariumError `CONFIG_INVALID` for a set with a salt, because its list contains only salted hashes
   *
   * @example
   * ```ts
   * import { BundleGraph } from 'alvarium-sdk/score'
   * import { sealSet } from 'alvarium-sdk/sets'
   *
   * const graph = new BundleGraph()
   * const { set, list } = await sealSet([payload], { signingKey, name: 'training-7' })
   * graph.addMembers(set.id, list.keys()) // what was made from the set was made from these
   * ```
   */
  keys(): Iterable<string> {
    const { entries, salt } = this.#contents
    if (salt)
      throw expected('CONFIG_INVALID', 'list', 'the list of a set without a salt', 'the list of a salted set')
    return { [Symbol.iterator]: () => keysIn(entries) }
  }

  /** Yields the list for storage: 32 bytes for each key, in pieces of at most 1 MiB, for `openKeyList`. */
  *pieces(): Generator<Uint8Array, void> {
    for (const block of this.#contents.entries.blocks()) yield new Uint8Array(block)
  }
}

function* keysIn(entries: Entries): Generator<string, void> {
  for (let at = 0; at < entries.length; at++) yield toHex(entries.at(at)).toUpperCase()
}

/** @internal Valibot schema of an option that is a key list. */
export const keyList = v.custom<KeyList>(
  (given) => LIST_CONTENTS in Object(given),
  'what sealSet or openKeyList returned',
)

/** Returns the entry that stands for an item in a set: its payload key or, with a salt, SHA-256(salt ‖ key). */
export function entryOf(item: SetItem, salt: Uint8Array | undefined): Uint8Array {
  const given = payloadOrKey(item)
  return saltKeys(keyBytesOf(isBytes(given) ? keyOf(given) : given), salt)
}

/**
 * Finds an item's entry in a list. `place` is the position of the first entry that does not sort before it.
 */
export function findEntry({ entries, salt }: SealedEntries, item: SetItem) {
  const entry = entryOf(item, salt)
  const place = countBefore(entries.length, (at) => entries.compare(at, entry, 0) < 0)
  return { entry, place, isMember: place < entries.length && entries.compare(place, entry, 0) === 0 }
}

/** Salt of a key list, and the maximum number of its keys. */
export interface KeyListOptions {
  /** Salt of the set, 32 bytes. Undefined for a set without a salt. */
  readonly salt?: Uint8Array | undefined
  /** Maximum number of keys, at 36 bytes of memory each. Default 16,777,216. */
  readonly maxKeys?: number | undefined
}

/** Valibot schema of {@link KeyListOptions}. The guide's page of limits is generated from it. */
export const listSchema = strict({
  salt: v.optional(bytes),
  maxKeys: integer(0, 2 ** 32, 16_777_216),
})

/**
 * Reads the sorted keys of a set from the bytes that `KeyList.pieces` yields. Each key must be greater than
 * the key before it. Pass the list to `verifySet` to compare it with the signed root.
 *
 * @param source - the bytes, or an iterable of pieces, such as a file's stream
 * @throws TypeError if a piece is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED` if keys are not in order, a key is repeated or incomplete, or
 * there are more than `maxKeys`; `CONFIG_INVALID` for an invalid option
 *
 * @example
 * ```ts
 * import { openKeyList } from 'alvarium-sdk/sets'
 *
 * const list = await openKeyList(new Uint8Array(64).fill(1, 32))
 * console.log(list.size) // 2
 * ```
 */
export async function openKeyList(
  source: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: KeyListOptions = {},
): Promise<KeyList> {
  const { salt: given, maxKeys } = readOptions(listSchema, options, 'openKeyList')
  assertSalt(given)
  // Copy the salt, because the caller may reuse its buffer before all keys are read.
  const salt = given && new Uint8Array(given)
  const reading = new EntryReader({ max: maxKeys, isSorted: true })
  for await (const piece of isBytes(source) ? [source] : source) await reading.read(piece)
  return new KeyList(await sealedEntries(reading.end(), salt))
}
