import { countBefore } from '../../foundation/base/search.js'
import { type Positions, positionsIn } from './checkpoint/ranges.js'
import type { Checkpoint } from './checkpoint/text.js'

/**
 * Latest statement of a signer about an absent message that a checkpoint lists. `'missing'`: the signer's stream had
 * accepted it. `'refused'`: the stream had refused it. `'undecided'`: the stream had not accepted it yet, and the
 * checkpoint that would decide it is absent.
 */
export type Fate = 'missing' | 'refused' | 'undecided'

/**
 * Fates of the absent messages that the checkpoints of a run list (FORMAT.md, Checkpoints). Checkpoints are added in
 * the order of their numbers; some may be unknown. The time for a checkpoint depends on its ranges and its decisions,
 * not on the number of open messages.
 */
export class Fates<Message extends { readonly position: number }> {
  readonly #setFate: (message: Message, fate: Fate | 'pending') => void
  /** Messages that were pending in the last checkpoint, mixed with closed ones, in the order of their positions. */
  #open: Message[] = []
  /** Place of the next message that may be open, for each place in `#open`: a union-find structure. */
  #next: number[] = []
  #closed = 0
  /** Size of the log at the checkpoint before. */
  #size = 0

  /** @param setFate - receives a message and its new fate: `'pending'` as long as the next checkpoint may decide it */
  constructor(setFate: (message: Message, fate: Fate | 'pending') => void) {
    this.#setFate = setFate
  }

  /**
   * Decides pending messages by the next known checkpoint.
   *
   * @param isNext - true if the checkpoint has the next number. Otherwise an unknown one between the two may have
   * stated that a message was refused
   */
  settle({ pending, refused, from, size }: Settling, isNext: boolean): void {
    for (const one of this.#closeIn(refused)) this.#setFate(one, 'refused')
    for (const one of this.#closeIn(complementOf(pending)))
      this.#setFate(one, isNext ? 'missing' : 'undecided')
    // A log that shrinks is forked: positions after its end may belong to other messages, and lists overlap.
    if (from.size < this.#size) for (const one of this.#closeIn(ALL)) this.#setFate(one, 'undecided')
    this.#size = size
    if (this.#closed > this.#open.length / 2) this.#compact()
  }

  /** Adds the absent messages of a checkpoint's own list. @param absent - in the order of their positions */
  list({ pending, refused }: Pick<Checkpoint, 'pending' | 'refused'>, absent: readonly Message[]): void {
    const positions = absent.map(({ position }) => position)
    const [isPending, isRefused] = [
      new Set(positionsIn(positions, pending)),
      new Set(positionsIn(positions, refused)),
    ]
    for (const one of absent) {
      if (isRefused.has(one.position)) this.#setFate(one, 'refused')
      else if (!isPending.has(one.position)) this.#setFate(one, 'missing')
      else {
        this.#setFate(one, 'pending')
        this.#next.push(this.#open.push(one) - 1)
      }
    }
  }

  *#closeIn(ranges: Iterable<Positions>): Generator<Message, void> {
    const { length } = this.#open
    for (const { first, last } of ranges) {
      let at = this.#firstOpen(countBefore(length, (place) => this.#position(place) < first))
      for (; at < length && this.#position(at) <= last; at = this.#firstOpen(at)) {
        this.#next[at] = at + 1
        this.#closed++
        yield this.#open[at] as Message
      }
    }
  }

  #position(place: number): number {
    return (this.#open[place] as Message).position
  }

  #firstOpen(place: number): number {
    const next = this.#next
    let at = place
    // Path halving: later calls take shorter paths.
    while (at < next.length && next[at] !== at) {
      const to = next[at] as number
      next[at] = next[to] ?? to
      at = next[at] as number
    }
    return at
  }

  #compact(): void {
    this.#open = this.#open.filter((_, place) => this.#next[place] === place)
    this.#next = this.#open.map((_, place) => place)
    this.#closed = 0
  }
}

type Settling = Pick<Checkpoint, 'pending' | 'refused' | 'from' | 'size'>

const ALL: readonly Positions[] = [{ first: 0, last: Number.POSITIVE_INFINITY }]

/** Yields the ranges before, between and after some ranges. */
function* complementOf(ranges: readonly Positions[]): Generator<Positions, void> {
  let first = 0
  for (const range of ranges) {
    if (range.first > first) yield { first, last: range.first - 1 }
    first = range.last + 1
  }
  yield { first, last: Number.POSITIVE_INFINITY }
}
