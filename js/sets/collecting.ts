import { join } from '../base/bytes/join.js'
import { describe, isBytes } from '../base/errors.js'
import { callTurns } from '../base/time/turns.js'
import { HASH_BYTES } from '../core/hashed.js'
import { joinedDigests, keptInput } from '../core/hashing.js'
import type { HashInput } from '../model/payload.js'
import { keyBytesOf, payloadOrKey, type SetItem, salted } from './entry.js'

/** Receiver of entries that stand one behind the other. */
export interface EntrySink {
  add(entries: Uint8Array): void
}

/**
 * Hashes items, and adds their entries in the order of the items.
 *
 * @throws TypeError for an item that is nothing of that kind
 * @throws AlvariumError `CONFIG_INVALID` for a text that is not a payload key. Errors of the iterable come out as they are
 */
export async function collect(
  items: Iterable<SetItem> | AsyncIterable<SetItem>,
  salt: Uint8Array | undefined,
  sink: EntrySink,
): Promise<void> {
  if (typeof items !== 'object' || items === null) {
    throw new TypeError(`items: expected an iterable of payloads, got ${describe(items)}`)
  }
  const collecting = new Collecting(salt, sink)
  if (Symbol.asyncIterator in items) {
    for await (const item of items) if (collecting.add(item)) await callTurns.takeLong()
  } else {
    // To wait for each item of an array would take a third of the time.
    for (const item of items) if (collecting.add(item)) await callTurns.takeLong()
  }
  collecting.end()
}

/** Items that are hashed together. */
const TOGETHER = { count: 256, bytes: 1_048_576 }

/** Hashes items in groups. */
class Collecting {
  readonly #salt: Uint8Array | undefined
  readonly #sink: EntrySink
  #inputs: HashInput[] = []
  #bytes = 0

  constructor(salt: Uint8Array | undefined, sink: EntrySink) {
    this.#salt = salt
    this.#sink = sink
  }

  /** Adds an item. Returns whether a group was hashed: it is time for a turn of others. */
  add(item: SetItem): boolean {
    const given = payloadOrKey(item)
    // Whoever reads a file may use the memory of a record for the next one.
    const input = isBytes(given) ? keptInput(given, 'sha256', 'auto') : digestIn(given)
    this.#inputs.push(input)
    this.#bytes += input.bytes.length
    const isFull = this.#inputs.length === TOGETHER.count || this.#bytes >= TOGETHER.bytes
    if (isFull) this.end()
    return isFull
  }

  /** Hashes the items of the last group. */
  end(): void {
    const inputs = this.#inputs
    this.#inputs = []
    this.#bytes = 0
    if (inputs.length > 0) this.#sink.add(salted(digestsOf(inputs), this.#salt))
  }
}

function digestIn(key: string): HashInput {
  return { bytes: keyBytesOf(key), isDigest: true }
}

/** Returns the digests one behind the other, in the order of the inputs. */
function digestsOf(inputs: readonly HashInput[]): Uint8Array {
  const payloads = inputs.filter(({ isDigest }) => !isDigest).map(({ bytes }) => bytes)
  const digests = joinedDigests(payloads)
  if (payloads.length === inputs.length) return digests
  let at = 0
  const next = () => digests.subarray(HASH_BYTES * at, HASH_BYTES * ++at)
  return join(inputs.map(({ bytes, isDigest }) => (isDigest ? bytes : next()))).bytes
}
