import { countBefore } from '../../foundation/base/search.js'
import { type Positions, positionsIn } from './checkpoint/ranges.js'
import type { Checkpoint } from './checkpoint/text.js'
import { firstFree } from './gap-filling.js'

/**
 * Latest statement of a signer about an absent message that a checkpoint lists. `'missing'`: the signer's
 * stream had accepted the message. `'refused'`: the stream had rejected the message. `'undecided'`: the
 * stream had not accepted the message yet, and the checkpoint that would decide is absent.
 */
export type Fate = 'missing' | 'refused' | 'undecided'

/**
 * Fates of the absent messages that the checkpoints of a run list (FORMAT.md, Checkpoints). Callers add
 * checkpoints in the order of their numbers, and may leave out unknown ones. The time to add a checkpoint
 * depends on its ranges and on the messages that it decides, not on the number of pending messages.
 */
export class Fates<Message extends { readonly position: number }> {
  readonly #setFate: (message: Message, fate: Fate | 'pending') => void
  /**
   * Messages with the fate `'pending'`, in the order of positions. Messages whose fate was decided stay in
   * the array until it is compacted.
   */
  #open: Message[] = []
  /** Union-find structure of the indexes in `#open`: see {@link firstFree}. Messages that may be pending are free. */
  #next: number[] = []
  #closed = 0
  #size = 0

  /** @param setFate - receives a message and its fate: `'pending'` while the next checkpoint may decide */
  constructor(setFate: (message: Message, fate: Fate | 'pending') => void) {
    this.#setFate = setFate
  }

  /**
   * Decides the fates of pending messages by the next known checkpoint.
   *
   * @param isNext - true if the checkpoint has the next number. If false, an unknown checkpoint in between
   *   may have stated that a message was refused
   */
  settle({ pending, refused, from, size }: Settling, isNext: boolean): void {
    for (const one of this.#closeIn(refused)) this.#setFate(one, 'refused')
    for (const one of this.#closeIn(complementOf(pending)))
      this.#setFate(one, isNext ? 'missing' : 'undecided')
    // A log that shrinks is forked, so the positions after its end may now belong to different messages.
    if (from.size < this.#size) for (const one of this.#closeIn(ALL)) this.#setFate(one, 'undecided')
    this.#size = size
    if (this.#closed > this.#open.length / 2) this.#compact()
  }

  list({ pending, refused }: Pick<Checkpoint, 'pending' | 'refused'>, absent: readonly Message[]): void {
    const positions = absent.map(({ position }) => position)
    const isPending = new Set(positionsIn(positions, pending))
    const isRefused = new Set(positionsIn(positions, refused))
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
      let at = firstFree(
        this.#next,
        countBefore(length, (place) => this.#position(place) < first),
      )
      for (; at < length && this.#position(at) <= last; at = firstFree(this.#next, at)) {
        this.#next[at] = at + 1
        this.#closed++
        yield this.#open[at] as Message
      }
    }
  }

  #position(place: number): number {
    return (this.#open[place] as Message).position
  }

  #compact(): void {
    this.#open = this.#open.filter((_, place) => this.#next[place] === place)
    this.#next = this.#open.map((_, place) => place)
    this.#closed = 0
  }
}

type Settling = Pick<Checkpoint, 'pending' | 'refused' | 'from' | 'size'>

const ALL: readonly Positions[] = [{ first: 0, last: Number.POSITIVE_INFINITY }]

function* complementOf(ranges: readonly Positions[]): Generator<Positions, void> {
  let first = 0
  for (const range of ranges) {
    if (range.first > first) yield { first, last: range.first - 1 }
    first = range.last + 1
  }
  yield { first, last: Number.POSITIVE_INFINITY }
}
