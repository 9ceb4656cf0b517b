import { GroupCollector, join } from '../../foundation/base/bytes/join.js'
import { describe, isBytes } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { digestAll, stableInput } from '../../foundation/core/hashing.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import type { HashInput } from '../../foundation/model/payload.js'
import { keyBytesOf, payloadOrKey, type SetItem, saltKeys } from './entry.js'

const HASH_BATCH = { count: 256, bytes: 1_048_576 }

/**
 * Hashes items, and passes their concatenated entries to `add`, in the order of the items.
 *
 * @throws TypeError for an item that is not a `SetItem`
 * @throws AlvariumError `CONFIG_INVALID` for a text that is not a payload key
 */
export async function hashItems(
  items: Iterable<SetItem> | AsyncIterable<SetItem>,
  salt: Uint8Array | undefined,
  add: (entries: Uint8Array) => void,
): Promise<void> {
  if (typeof items !== 'object' || items === null) {
    throw new TypeError(`items: expected an iterable of payloads, got ${describe(items)}`)
  }
  const grouping = new GroupCollector<HashInput>(HASH_BATCH)
  const addGroup = (group: readonly HashInput[]) => add(saltKeys(digestsOf(group), salt))
  /** Returns true after a group was hashed: a good moment to yield to the event loop. */
  const isHashed = (item: SetItem): boolean => {
    const input = inputOf(item)
    const full = grouping.add(input, input.bytes.length)
    if (full) addGroup(full)
    return full !== undefined
  }
  if (Symbol.asyncIterator in items) {
    for await (const item of items) if (isHashed(item)) await callTurns.yieldIfDueLong()
  } else {
    // Use a plain loop, because awaiting each item of an array would take a third more time.
    for (const item of items) if (isHashed(item)) await callTurns.yieldIfDueLong()
  }
  addGroup(grouping.take())
}

function inputOf(item: SetItem): HashInput {
  const given = payloadOrKey(item)
  if (!isBytes(given)) return { bytes: keyBytesOf(given), isDigest: true }
  // Copy the payload, because a reader of a file may reuse the memory of a record for the next one.
  return stableInput(given, 'sha256', 'auto')
}

function digestsOf(inputs: readonly HashInput[]): Uint8Array {
  const payloads = inputs.filter(({ isDigest }) => !isDigest).map(({ bytes }) => bytes)
  const digests = digestAll(payloads)
  if (payloads.length === inputs.length) return digests
  let at = 0
  const next = () => digests.subarray(HASH_BYTES * at, HASH_BYTES * ++at)
  return join(inputs.map(({ bytes, isDigest }) => (isDigest ? bytes : next()))).bytes
}
