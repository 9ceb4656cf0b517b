import { countBefore } from '../base/search.js'
import { among, type Positions } from './ranges.js'
import type { Checkpoint } from './text.js'

/** The last that a signer is known to have said of a listed message that is not there. */
export type Fate =
  /** Nothing: its stream had accepted it. */
  | 'missing'
  /** Its stream had refused it. */
  | 'refused'
  /** Its stream had not accepted it yet, and the checkpoint that would say more is not there. */
  | 'undecided'

/**
 * What the checkpoints of a run say of listed messages that are not there (FORMAT.md, Checkpoints). They come in the order of their
 * numbers; some of them may be unknown. A checkpoint costs as much as it has ranges, and decides: however many messages are open.
 */
export class Fates<Message extends { readonly position: number }> {
  readonly #become: (message: Message, fate: Fate | 'pending') => void
  /** Those that were pending in the last checkpoint, among others that are closed: in the order of their positions. */
  #open: Message[] = []
  /** For each place, the first from there on that may be open. */
  #next: number[] = []
  #closed = 0

  /** @param become - hears what a message is now; `'pending'` as long as the next checkpoint may decide it */
  constructor(become: (message: Message, fate: Fate | 'pending') => void) {
    this.#become = become
  }

  /**
   * What the next known checkpoint says of those that were pending.
   *
   * @param isNext - whether it has the next number. Otherwise one between the two may have said that a message was refused
   */
  settle({ pending, refused }: Pick<Checkpoint, 'pending' | 'refused'>, isNext: boolean): void {
    for (const one of this.#closeIn(refused)) this.#become(one, 'refused')
    for (const one of this.#closeIn(between(pending))) this.#become(one, isNext ? 'missing' : 'undecided')
    if (this.#closed > this.#open.length / 2) this.#compact()
  }

  /** What a checkpoint says of those in its own list. @param absent - in the order of their positions */
  list({ pending, refused }: Pick<Checkpoint, 'pending' | 'refused'>, absent: readonly Message[]): void {
    const positions = absent.map(({ position }) => position)
    const [isPending, isRefused] = [new Set(among(positions, pending)), new Set(among(positions, refused))]
    for (const one of absent) {
      if (isRefused.has(one.position)) this.#become(one, 'refused')
      else if (!isPending.has(one.position)) this.#become(one, 'missing')
      else {
        this.#become(one, 'pending')
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
    // Whoever comes this way later has half as far to go.
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

/** What lies before, between and behind ranges. */
function* between(ranges: readonly Positions[]): Generator<Positions, void> {
  let first = 0
  for (const range of ranges) {
    if (range.first > first) yield { first, last: range.first - 1 }
    first = range.last + 1
  }
  yield { first, last: Number.POSITIVE_INFINITY }
}
