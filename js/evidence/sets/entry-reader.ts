import { type AlvariumError, assertBytes, malformed } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import { compared, type Entries, newEntries } from './entries.js'

/** Maximum number of bytes read before yielding to the event loop. */
const PIECE_BYTES = 262_144

/** Conditions for a list. */
export interface ListForm {
  /** Maximum number of entries. */
  readonly max: number
  /** True if entries must ascend without duplicates. */
  readonly isSorted: boolean
}

/** Reader of entries from pieces, which may end within an entry. */
export class EntryReader {
  readonly #entries = newEntries()
  readonly #form: ListForm
  readonly #begun = new Uint8Array(HASH_BYTES)
  #bytes = 0

  constructor(form: ListForm) {
    this.#form = form
  }

  /**
   * Reads the next piece, and yields to the event loop. It yields for an empty piece too: promises alone do
   * not let timers run, and a source may have only empty pieces.
   *
   * @throws TypeError for anything but bytes
   * @throws AlvariumError `MESSAGE_MALFORMED`
   */
  async read(piece: Uint8Array): Promise<void> {
    assertBytes(piece, 'source')
    const { length } = piece
    for (let at = 0; at < Math.max(1, length); at += PIECE_BYTES) {
      await callTurns.takeLong()
      if (piece.length !== length) throw gone(length, piece.length)
      this.#add(piece.subarray(at, at + PIECE_BYTES))
    }
  }

  /**
   * Returns the entries.
   *
   * @throws AlvariumError `MESSAGE_MALFORMED` when a part of an entry is left
   */
  end(): Entries {
    if (this.#bytes === 0) return this.#entries
    throw malformed('list', `${HASH_BYTES} bytes for each key`, `${this.#bytes} bytes at its end`)
  }

  #add(piece: Uint8Array): void {
    let at = 0
    for (; this.#bytes > 0 && at < piece.length; at++) this.#begin(piece[at] as number)
    for (; at + HASH_BYTES <= piece.length; at += HASH_BYTES) this.#take(piece, at)
    for (; at < piece.length; at++) this.#begin(piece[at] as number)
  }

  #begin(byte: number): void {
    this.#begun[this.#bytes++] = byte
    if (this.#bytes < HASH_BYTES) return
    this.#bytes = 0
    this.#take(this.#begun, 0)
  }

  #take(from: Uint8Array, at: number): void {
    const { max, isSorted } = this.#form
    if (this.#entries.length === max) throw malformed('list', `at most ${max} keys`, 'more')
    if (isSorted) this.#assertBehind(from, at)
    this.#entries.add(from, at)
  }

  #assertBehind(from: Uint8Array, at: number): void {
    const { length } = this.#entries
    if (length === 0) return
    const last = length - 1
    if (compared(this.#entries.blockOf(last), this.#entries.offsetOf(last), from, at) < 0) return
    throw malformed('list', 'ascending keys, each once', `another order at key ${length}`)
  }
}

/**
 * Returns the error of a piece that shrank while it was read: the remaining bytes could be a valid list of
 * fewer keys.
 */
function gone(length: number, left: number): AlvariumError {
  const got = `${left}: its buffer was transferred or resized`
  return malformed('list', `a piece of ${length} bytes until it is read`, got)
}
