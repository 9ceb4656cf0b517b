import { join } from '../../foundation/base/bytes/join.js'
import { describe, isBytes } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { digestAll, stableInput } from '../../foundation/core/hashing.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import type { HashInput } from '../../foundation/model/payload.js'
import { keyBytesOf, payloadOrKey, type SetItem, saltKeys } from './entry.js'

/** Receiver of concatenated entries. */
export interface EntrySink {
  add(entries: Uint8Array): void
}

/**
 * Hashes items, and adds their entries in the order of the items.
 *
 * @throws TypeError for an item that is not a `SetItem`
 * @throws AlvariumError `CONFIG_INVALID` for a text that is not a payload key. Errors of the iterable are
 * thrown unchanged
 */
export async function hashItems(
  items: Iterable<SetItem> | AsyncIterable<SetItem>,
  salt: Uint8Array | undefined,
  sink: EntrySink,
): Promise<void> {
  if (typeof items !== 'object' || items === null) {
    throw new TypeError(`items: expected an iterable of payloads, got ${describe(items)}`)
  }
  const collecting = new ItemHasher(salt, sink)
  if (Symbol.asyncIterator in items) {
    for await (const item of items) if (collecting.add(item)) await callTurns.yieldIfDueLong()
  } else {
    // Use a plain loop, because awaiting each item of an array would take a third more time.
    for (const item of items) if (collecting.add(item)) await callTurns.yieldIfDueLong()
  }
  collecting.end()
}

/** Maximum number and bytes of the items to hash in one call. */
const HASH_BATCH = { count: 256, bytes: 1_048_576 }

class ItemHasher {
  readonly #salt: Uint8Array | undefined
  readonly #sink: EntrySink
  #inputs: HashInput[] = []
  #bytes = 0

  constructor(salt: Uint8Array | undefined, sink: EntrySink) {
    this.#salt = salt
    this.#sink = sink
  }

  /** Adds an item; returns true after hashing a group, when it is time to yield to the event loop. */
  add(item: SetItem): boolean {
    const given = payloadOrKey(item)
    // Copy the payload, because a reader of a file may reuse the memory of a record for the next one.
    const input = isBytes(given) ? stableInput(given, 'sha256', 'auto') : digestOfKey(given)
    this.#inputs.push(input)
    this.#bytes += input.bytes.length
    const isFull = this.#inputs.length === HASH_BATCH.count || this.#bytes >= HASH_BATCH.bytes
    if (isFull) this.end()
    return isFull
  }

  end(): void {
    const inputs = this.#inputs
    this.#inputs = []
    this.#bytes = 0
    if (inputs.length > 0) this.#sink.add(saltKeys(digestsOf(inputs), this.#salt))
  }
}

function digestOfKey(key: string): HashInput {
  return { bytes: keyBytesOf(key), isDigest: true }
}

/** Returns the concatenated digests, in the order of the inputs. */
function digestsOf(inputs: readonly HashInput[]): Uint8Array {
  const payloads = inputs.filter(({ isDigest }) => !isDigest).map(({ bytes }) => bytes)
  const digests = digestAll(payloads)
  if (payloads.length === inputs.length) return digests
  let at = 0
  const next = () => digests.subarray(HASH_BYTES * at, HASH_BYTES * ++at)
  return join(inputs.map(({ bytes, isDigest }) => (isDigest ? bytes : next()))).bytes
}
