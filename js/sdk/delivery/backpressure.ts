import { type AlvariumError, streamError } from '../../foundation/base/errors.js'
import { onAbort } from '../../foundation/base/time/abort.js'
import { type Deferred, ignoreRejection, isPromiseLike } from '../../foundation/base/time/promises.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import type { StreamProvider } from '../../transport/streams/stream.js'

/** Milliseconds after which a slot that `ready()` has promised expires if no call has used it. */
const RESERVATION_MS = 1_000

interface Capacity {
  readonly stream: Pick<StreamProvider, 'hasRoom'>
  /** `Sealer` that signs the calls. Undefined with batches, because they need no capacity for signing. */
  readonly sealer: Pick<Sealer, 'hasRoom'> | undefined
  /** Returns an upper estimate of the bytes of messages, by the number of calls and their payload bytes. */
  messageBytes(sum: Readonly<Load>): number
}

export interface Load {
  calls: number
  bytes: number
}

interface SlotRequest {
  readonly bytes: number
  /** Maximum length of a batch's message, in bytes. Present only if the slot is for a batch, not for a single call. */
  readonly batchBytes?: number
}

interface FullBatch {
  readonly maxBundles: number
  readonly maxBytes: number
}

interface WaitingCaller extends SlotRequest, Deferred<void> {}

/** Slot that was promised to a caller that has not made the call yet. */
interface Reservation {
  readonly bytes: number
  readonly until: number
}

/**
 * Backpressure for calls: grants slots to waiting callers in the order of arrival, as far as the pool and the
 * stream have capacity. Calls in progress that have not reached the pool or the stream yet count too.
 */
export class CallBackpressure {
  readonly #capacity: Capacity
  readonly #asking: Load = { calls: 0, bytes: 0 }
  readonly #sealing: Load = { calls: 0, bytes: 0 }
  readonly #reservations: Reservation[] = []
  readonly #reserved: Load = { calls: 0, bytes: 0 }
  readonly #waiting: WaitingCaller[] = []
  #longest = 0
  /** Promise of the stream or the pool that settles when there may be capacity. */
  #obstacle: PromiseLike<unknown> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(capacity: Capacity) {
    this.#capacity = capacity
  }

  /** Begins a call with `bytes` bytes of payload, and uses a promised slot if there is one. */
  begin(bytes: number): Slot {
    this.#takeReservation()
    if (bytes > this.#longest) this.#longest = bytes
    return this.#slot(bytes)
  }

  /** Waits for capacity for a call with `bytes` bytes of payload. Default: the maximum of the calls so far. */
  ready(bytes = this.#longest, signal?: AbortSignal): Promise<void> {
    return this.#wait({ bytes }, signal)
  }

  /**
   * Returns a slot for a full batch, immediately if there is capacity. {@link close} does not end the wait,
   * because the call that fills the batch is in progress.
   */
  batchReady({ maxBundles, maxBytes }: FullBatch, signal: AbortSignal): Slot | Promise<Slot> {
    const batchBytes = Math.min(maxBytes, this.#capacity.messageBytes({ calls: maxBundles, bytes: 0 }))
    const request = { bytes: 0, batchBytes }
    const room = this.#waiting.length === 0 && this.#checkCapacity(request)
    if (room === true) return this.#slot(0)
    ignoreRejection(room)
    return this.#wait(request, signal).then(() => this.begin(0))
  }

  #slot(bytes: number): Slot {
    return new Slot(bytes, this.#asking, this.#sealing, this.#grant)
  }

  async #wait(request: SlotRequest, signal?: AbortSignal): Promise<void> {
    let end: (() => void) | undefined
    const slot = new Promise<void>((resolve, reject) => {
      const one = { ...request, resolve, reject }
      end = signal && onAbort(signal, () => this.#giveUp(one, signal.reason))
      this.#waiting.push(one)
      this.#grant()
    })
    try {
      await slot
    } finally {
      end?.()
    }
  }

  /** Rejects all callers that wait in {@link ready}. Full batches continue to wait. */
  close(error: AlvariumError): void {
    clearTimeout(this.#timer)
    for (const one of this.#waiting.splice(0)) {
      if (one.batchBytes === undefined) one.reject(error)
      else this.#waiting.push(one)
    }
    this.#grant()
  }

  /** Removes a caller that no longer waits, because an unused slot would make other callers wait. */
  #giveUp(one: WaitingCaller, reason: unknown): void {
    const at = this.#waiting.indexOf(one)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    one.reject(reason)
    this.#grant()
  }

  readonly #grant = (): void => {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const room = this.#checkCapacity(next)
      if (room instanceof Error) next.reject(room)
      else if (room === true) this.#reserve(next)
      else {
        this.#waitFor(room)
        return
      }
      this.#waiting.shift()
    }
  }

  #reserve({ bytes, resolve }: WaitingCaller): void {
    this.#reservations.push({ bytes, until: performance.now() + RESERVATION_MS })
    add(this.#reserved, 1, bytes)
    resolve()
  }

  #takeReservation(): void {
    const first = this.#reservations.shift()
    if (first) add(this.#reserved, -1, -first.bytes)
  }

  /**
   * Returns true if there is capacity, or else a promise after which to check again. Returns an error if a
   * custom stream gives an invalid answer or throws.
   */
  #checkCapacity({ bytes, batchBytes = 0 }: SlotRequest): unknown {
    const { stream, sealer, messageBytes } = this.#capacity
    this.#dropExpired()
    const demand = sumOf([this.#asking, this.#reserved, { calls: 1, bytes }])
    const all = sumOf([demand, this.#sealing])
    try {
      const room = sealer?.hasRoom?.(demand.calls, demand.bytes) ?? true
      if (room !== true) return room
      const answer: unknown =
        stream.hasRoom?.({ messages: all.calls, bytes: messageBytes(all) + batchBytes }) ?? true
      // Treat an answer of the stream such as `false` as an error: only a promise tells when to ask the stream again.
      return answer === true || isPromiseLike(answer) ? answer : invalidAnswer(answer)
    } catch (error) {
      return invalidAnswer(error)
    }
  }

  /** Checks the capacity again after the stream or the pool has changed, or when a promised slot expires. */
  #waitFor(room: unknown): void {
    const [oldest] = this.#reservations
    clearTimeout(this.#timer)
    if (oldest) this.#timer = setTimeout(this.#grant, oldest.until - performance.now())
    if (!isPromiseLike(room) || room === this.#obstacle) return
    this.#obstacle = room
    const again = () => {
      if (this.#obstacle === room) this.#obstacle = undefined
      this.#grant()
    }
    // Use a timer, because a stream whose promises settle immediately would otherwise block the event loop.
    const soon = () => void setTimeout(again)
    Promise.resolve(room).then(soon, (error) => {
      this.#waiting.shift()?.reject(invalidAnswer(error))
      soon()
    })
  }

  #dropExpired(): void {
    const now = performance.now()
    while ((this.#reservations[0]?.until ?? now + 1) <= now) this.#takeReservation()
  }
}

/** Slot of a call: capacity that is reserved until the call has reached the stream. */
export class Slot {
  readonly #bytes: number
  readonly #next: Load
  readonly #left: () => void
  #at: Load | undefined

  constructor(bytes: number, asking: Load, sealing: Load, left: () => void) {
    this.#bytes = bytes
    this.#next = sealing
    this.#left = left
    this.#move(asking)
  }

  /** Marks the call as passed to the `Sealer`. With a pool, the pool counts the call from now on. */
  markSealed(): void {
    if (this.#at) this.#move(this.#next)
  }

  /** Releases the slot. Call it when the stream counts the call itself, or when the call cannot reach the stream. */
  release(): void {
    if (!this.#at) return
    this.#move(undefined)
    this.#left()
  }

  #move(to: Load | undefined): void {
    if (this.#at) add(this.#at, -1, -this.#bytes)
    if (to) add(to, 1, this.#bytes)
    this.#at = to
  }
}

function add(sum: Load, calls: number, bytes: number): void {
  sum.calls += calls
  sum.bytes += bytes
}

function sumOf(sums: readonly Readonly<Load>[]): Readonly<Load> {
  const total = { calls: 0, bytes: 0 }
  for (const { calls, bytes } of sums) add(total, calls, bytes)
  return total
}

function invalidAnswer(error: unknown): AlvariumError {
  return streamError('STREAM_FAILED', 'stream.hasRoom: expected true, or a promise', error)
}
