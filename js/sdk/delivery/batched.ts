import type { AlvariumError } from '../../foundation/base/errors.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { withResolvers } from '../../foundation/base/time/promises.js'
import { Tally } from '../../foundation/base/time/tally.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import type { Call, CallInputs } from '../../foundation/model/call.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import type { Slot } from './backpressure.js'
import type { Delivery, OutcomeListener, Publish } from './delivery.js'
import { Receipt, type Sent } from './receipt.js'

/** Limits of a batch. A batch is sent when it reaches any of them. */
export interface BatchLimits {
  readonly maxBundles: number
  readonly maxDelayMs: number
  /**
   * Maximum bytes of a batch's message. A message can exceed this limit if a bundle is longer than all
   * earlier ones.
   */
  readonly maxBytes: number
}

/** Maximum number of bytes that a message has in addition to its bundles. */
const ENVELOPE_BYTES = 512
/**
 * Number of calls of an accepted batch that resolve in a row. Other work then goes first if the turn is over.
 */
const RESOLVED_PER_TURN = 512

/** Delivery of many calls with one message and one signature. */
export class BatchedDelivery implements Delivery {
  readonly #sealer: Sealer
  readonly #publish: Publish
  readonly #limits: BatchLimits
  readonly #outcomes: OutcomeListener | undefined
  readonly #signing = new Tally()
  #open: OpenBatch | undefined
  #longest = 0
  #ended: AlvariumError | undefined

  constructor(sealer: Sealer, publish: Publish, limits: BatchLimits, outcomes?: OutcomeListener) {
    this.#sealer = sealer
    this.#publish = publish
    this.#limits = limits
    this.#outcomes = outcomes
    sealer.onBatchDue?.(() => this.flush())
  }

  async deliver(call: Call, signal: AbortSignal | undefined, slot: Slot): Promise<Receipt> {
    const { sent, index } = this.add(call, slot)
    return new Receipt(await unlessAborted(sent, signal), index)
  }

  async allSealed(): Promise<void> {
    this.flush()
    await this.#signing.none()
  }

  add(call: Call, slot?: Slot): BatchEntry {
    if (this.#ended) throw this.#ended
    const { inputs } = call
    if (inputs && !this.#hasRoomFor(inputs)) this.flush()
    const bytes = this.#sealer.add(call) + (this.#open?.listBytes ?? 0) + (inputs?.bytes ?? 0)
    this.#open ??= this.#begin()
    const batch = this.#open
    if (slot) batch.slots.push(slot)
    batch.traceContext ??= call.traceContext
    const index = batch.size++
    if (index % RESOLVED_PER_TURN === RESOLVED_PER_TURN - 1) batch.sent = this.#resolveLater(batch.sent)
    this.#longest = Math.max(this.#longest, bytes - batch.bytes - (inputs?.bytes ?? 0))
    batch.bytes = bytes
    if (inputs) {
      batch.inputs.push(inputs)
      batch.listBytes += inputs.bytes
    }
    if (this.#isFull(batch)) this.flush()
    return { batch, sent: batch.sent, index }
  }

  get isFilling(): boolean {
    return this.#open !== undefined
  }

  isOpen({ batch }: BatchEntry): boolean {
    return this.#open === batch
  }

  flush(): void {
    const batch = this.#open
    if (!batch) return
    this.#open = undefined
    clearTimeout(batch.timer)
    this.#send(batch).then(batch.resolve, batch.reject)
  }

  end(error: AlvariumError): void {
    this.#ended ??= error
    const batch = this.#open
    this.#open = undefined
    clearTimeout(batch?.timer)
    batch?.reject(error)
  }

  #begin(): OpenBatch {
    const { promise: sent, resolve, reject } = withResolvers<Sent>()
    // Avoid an unhandled rejection, because each call in the batch rejects through its own promise.
    sent.catch(() => {})
    const timer = setTimeout(() => this.flush(), this.#limits.maxDelayMs)
    return { sent, resolve, reject, timer, size: 0, bytes: 0, listBytes: 0, slots: [], inputs: [] }
  }

  /** Resolves like `acceptance`, but in a later turn of the event loop if the current turn is over. */
  #resolveLater(acceptance: Promise<Sent>): Promise<Sent> {
    const later = acceptance.then(async (message) => {
      await callTurns.yieldIfDueLong()
      return message
    })
    later.catch(() => {})
    return later
  }

  /** Returns whether the batch can also hold a list of inputs, and a bundle as long as the longest so far. */
  #hasRoomFor({ bytes }: CallInputs): boolean {
    const before = this.#open?.bytes
    return before === undefined || before + bytes + this.#longest + ENVELOPE_BYTES <= this.#limits.maxBytes
  }

  /**
   * Returns whether the batch has its maximum number of bundles, or may lack space for one more. The
   * calculation assumes that the next bundle is as long as the longest so far.
   */
  #isFull({ size, bytes }: OpenBatch): boolean {
    const { maxBundles, maxBytes } = this.#limits
    return size >= maxBundles || bytes + this.#longest + ENVELOPE_BYTES > maxBytes
  }

  async #send({ slots, inputs, traceContext }: OpenBatch): Promise<Sent> {
    let accepted: Promise<Sent>
    this.#signing.begin()
    try {
      const since = performance.now()
      const sealing = this.#sealer.sealBatch()
      const { message: json, ids } = 'then' in sealing ? await sealing : sealing
      const sealedMs = performance.now() - since
      const release = () => {
        for (const slot of slots) slot.release()
      }
      const outcomes = this.#outcomes
      accepted = this.#publish({ json, inputs, ids, traceContext, sealedMs, outcomes, slot: { release } })
    } finally {
      this.#signing.end()
    }
    return accepted
  }
}

/**
 * A call in a batch: its index, and the promise of the batch's message, which resolves when the stream
 * accepts it.
 */
export interface BatchEntry {
  readonly batch: object
  readonly sent: Promise<Sent>
  readonly index: number
}

interface OpenBatch {
  sent: Promise<Sent>
  resolve(sent: Sent): void
  reject(error: unknown): void
  readonly timer: ReturnType<typeof setTimeout>
  /** Slots of the calls in the batch. A call of `createMany` may have none. */
  readonly slots: Slot[]
  /** Inputs of the calls in the batch. Most calls have none. */
  readonly inputs: CallInputs[]
  size: number
  bytes: number
  listBytes: number
  /** Trace context of the first call that has one. */
  traceContext?: TraceContext | undefined
}
