import { Change } from '../../base/change.js'
import { AlvariumError } from '../../base/errors.js'
import type { StreamRoom } from '../stream.js'
import { Chain, Place } from './chain.js'
import type { Letter } from './letter.js'

export interface RoomOptions {
  readonly maxQueuedMessages: number
  readonly maxQueuedBytes: number
  readonly whenFull: 'reject' | 'wait'
}

const ONE: StreamRoom = { messages: 1, bytes: 1 }

/** Room for a bounded number of letters and bytes; what comes when it is full is refused, or waits outside. */
export class Room {
  readonly #options: RoomOptions
  readonly #admit: (letter: Letter) => void
  readonly #outside = new Chain<Place<Letter>>()
  readonly #left = new Change()
  #closed: AlvariumError | undefined
  #count = 0
  #bytes = 0

  /** @param admit - is called for each letter when there is room for it */
  constructor(options: RoomOptions, admit: (letter: Letter) => void) {
    this.#options = options
    this.#admit = admit
  }

  /** How many letters are in here. */
  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Admits a letter, now or later, or says why it cannot. */
  enter(letter: Letter): AlvariumError | undefined {
    const full = this.#full(letter.bytes)
    if (!full && !this.#outside.first) {
      this.#take(letter)
      return undefined
    }
    // Longer than all room there is: it would wait for ever.
    const isTooLong = letter.bytes > this.#options.maxQueuedBytes
    if (full && (isTooLong || this.#options.whenFull === 'reject')) return full
    letter.outside = new Place(letter)
    this.#outside.append(letter.outside)
    return undefined
  }

  /** A letter goes, wherever it was. */
  leave(letter: Letter): void {
    if (letter.outside) this.#outside.remove(letter.outside)
    else {
      this.#count--
      this.#bytes -= letter.bytes
    }
    // Also for one that stood before others outside, to which it left no room.
    this.#letIn()
    this.#left.tell()
  }

  #letIn(): void {
    for (let next = this.#outside.first; next && !this.#full(next.of.bytes); next = this.#outside.first) {
      this.#outside.remove(next)
      next.of.outside = undefined
      this.#take(next.of)
    }
  }

  /** Resolves when the next letter would not find it full. */
  async ready(): Promise<void> {
    const before = this.#closed
    for (let room = this.hasRoom(ONE); room !== true; room = this.hasRoom(ONE)) {
      await room
      if (this.#closed !== before) throw this.#closed
    }
  }

  /** Whether so much more finds room now; else when to ask again. What is longer than all room there is, waits for none. */
  hasRoom({ messages, bytes }: StreamRoom): true | Promise<void> {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    const isEmpty = this.#count === 0 && messages <= 1
    const fits = this.#count + messages <= maxQueuedMessages && this.#bytes + bytes <= maxQueuedBytes
    return isEmpty || (fits && !this.#outside.first) || this.#left.next
  }

  /** Nobody need wait any more. */
  close(error: AlvariumError): void {
    this.#closed = error
    this.#left.tell()
  }

  #take(letter: Letter): void {
    this.#count++
    this.#bytes += letter.bytes
    this.#admit(letter)
  }

  #full(bytes: number): AlvariumError | undefined {
    const { maxQueuedMessages, maxQueuedBytes } = this.#options
    if (this.#count >= maxQueuedMessages)
      return queueFull(`at most ${maxQueuedMessages} messages`, `${this.#count + 1}`)
    const total = this.#bytes + bytes
    if (total > maxQueuedBytes) return queueFull(`at most ${maxQueuedBytes} bytes`, `${total}`)
    return undefined
  }
}

function queueFull(expected: string, got: string): AlvariumError {
  return new AlvariumError('QUEUE_FULL', `mqtt: expected ${expected} waiting for the broker, got ${got}`)
}
