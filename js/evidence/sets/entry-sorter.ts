import { callTurns } from '../../foundation/base/time/turns.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import { Entries } from './entries.js'

/** Number of entries in a block. Blocks are small, because there are 256 buckets. */
const PILE_BLOCK = 1024
/** Maximum number of entries to sort in one call. Larger buckets are first split by another byte. */
const MAX_PILE = 65_536
/** Number of entries to process before yielding to the event loop. */
const STEP_ENTRIES = 8192

/** Buckets of entries, one for each value of the byte at the index `#byte`. */
class Buckets {
  readonly #byte: number
  readonly #piles: Entries[] = []

  constructor(byte: number) {
    this.#byte = byte
  }

  add(from: Uint8Array, at: number): void {
    const which = from[at + this.#byte] as number
    let pile = this.#piles[which]
    if (!pile) {
      pile = new Entries(PILE_BLOCK)
      this.#piles[which] = pile
    }
    pile.add(from, at)
  }

  async sortInto(sorted: Entries): Promise<void> {
    for (let which = 0; which < 256; which++) {
      const pile = this.#piles[which]
      if (!pile) continue
      delete this.#piles[which]
      await sortPile(sorted, pile, this.#byte + 1)
    }
  }
}

/**
 * Sorts entries and removes duplicates. No step compares every pair of entries, so sorting similar entries,
 * which an attacker can choose, takes only slightly longer.
 */
export class EntrySorter {
  readonly #piles = new Buckets(0)
  #rows = 0

  /** Number of entries that were added, duplicates included. */
  get rows(): number {
    return this.#rows
  }

  add(entries: Uint8Array): void {
    for (let at = 0; at < entries.length; at += HASH_BYTES) this.#piles.add(entries, at)
    this.#rows += entries.length / HASH_BYTES
  }

  /** Returns the entries in ascending order. Call it once, after the last `add`. */
  async sort(): Promise<Entries> {
    const sorted = new Entries()
    await this.#piles.sortInto(sorted)
    return sorted
  }
}

/** @param least - number of first bytes known to be equal in all entries */
async function sortPile(sorted: Entries, pile: Entries, least: number): Promise<void> {
  await callTurns.yieldIfDueLong()
  const depth = pile.length > MAX_PILE ? await equalBytesIn(pile, least) : least
  if (depth >= HASH_BYTES) return sorted.add(pile.at(0), 0)
  if (pile.length <= MAX_PILE) {
    const places = Uint32Array.from({ length: pile.length }, (_, at) => at)
    return appendInOrder(sorted, pile, places, depth)
  }
  const piles = new Buckets(depth)
  for (const block of pile.drain()) {
    for (let at = 0; at < block.length; at += HASH_BYTES) {
      piles.add(block, at)
      if (at % (STEP_ENTRIES * HASH_BYTES) === 0) await callTurns.yieldIfDue()
    }
  }
  await piles.sortInto(sorted)
}

/** Counts the first bytes that are equal in all entries, because splitting by such a byte has no effect. */
async function equalBytesIn(pile: Entries, least: number): Promise<number> {
  const first = pile.at(0)
  let equalBytes = HASH_BYTES
  for (const block of pile.blocks()) {
    await callTurns.yieldIfDue()
    for (let at = 0; at < block.length && equalBytes > least; at += HASH_BYTES) {
      let prefixLength = least
      while (prefixLength < equalBytes && block[at + prefixLength] === first[prefixLength]) prefixLength++
      equalBytes = prefixLength
    }
  }
  return equalBytes
}

/**
 * Sorts by four bytes at a time, and entries with the same four bytes by the next four. Four bytes and the position of
 * the entry fit into a double exactly, and engines sort typed arrays fast.
 */
function appendInOrder(sorted: Entries, pile: Entries, places: Uint32Array, depth: number): void {
  if (depth >= HASH_BYTES) {
    sorted.add(pile.at(places[0] as number), 0)
    return
  }
  const numbers = Float64Array.from(places, (place, at) => fourBytes(pile, place, depth) * MAX_PILE + at)
  numbers.sort()
  for (let from = 0; from < numbers.length; ) {
    const alike = Math.floor((numbers[from] as number) / MAX_PILE)
    let until = from + 1
    while (until < numbers.length && Math.floor((numbers[until] as number) / MAX_PILE) === alike) until++
    const one = places[(numbers[from] as number) % MAX_PILE] as number
    if (until === from + 1) sorted.add(pile.blockOf(one), pile.offsetOf(one))
    else appendInOrder(sorted, pile, placesOf(numbers.subarray(from, until), places), depth + 4)
    from = until
  }
}

function placesOf(numbers: Float64Array, places: Uint32Array): Uint32Array {
  return Uint32Array.from(numbers, (number) => places[number % MAX_PILE] as number)
}

/** Returns four bytes of an entry as a number. Bytes after the end of the entry count as zeros. */
function fourBytes(pile: Entries, place: number, depth: number): number {
  const block = pile.blockOf(place)
  const [begin, end] = [pile.offsetOf(place) + depth, pile.offsetOf(place) + HASH_BYTES]
  let number = 0
  for (let at = begin; at < begin + 4; at++) number = number * 256 + (at < end ? (block[at] as number) : 0)
  return number
}
