import { type AlvariumError, assertBytes, closed } from '../../foundation/base/errors.js'
import { anySignal, unlessAborted } from '../../foundation/base/time/abort.js'
import { Tally } from '../../foundation/base/time/tally.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import type { Action } from '../../foundation/model/bundle.js'
import { bytesOf, type Call } from '../../foundation/model/call.js'
import type { Digestion, HashInput } from '../../foundation/model/payload.js'
import type { TraceContext } from '../../foundation/model/trace-context.js'
import { isSource } from '../../signing/sources/source.js'
import { BATCH_OF_MANY, type SdkSettings } from '../config/options.js'
import type { AnnotatorCalls } from '../delivery/annotator-calls.js'
import type { CallBackpressure, Slot } from '../delivery/backpressure.js'
import { type AnyContext, assertContext, NO_CONTEXT } from '../delivery/context.js'
import { gatherInputs, type MutateInput } from '../delivery/inputs.js'
import { deliverMany } from '../delivery/many.js'
import type { GivenPayload } from '../delivery/read-payloads.js'
import type { Receipt } from '../delivery/receipt.js'
import { takeTraceContext } from '../delivery/tracing.js'
import type { SigningKeys } from './signing-keys.js'

interface CallPath {
  readonly annotators: AnnotatorCalls
  readonly keys: SigningKeys
  readonly backpressure: CallBackpressure
}

/** Calls of an SDK: asks the annotators, signs and publishes each call, and counts the calls in progress. */
export class Calls {
  readonly #settings: SdkSettings
  readonly #path: CallPath
  /** Count of calls that have no signing key yet: calls with sources or many inputs, and `createMany`. */
  readonly #reading = new Tally()
  /** Count of calls that the stream has neither accepted nor rejected. */
  readonly #handing = new Tally()
  readonly #ending = new AbortController()
  #isClosed = false

  constructor(settings: SdkSettings, path: CallPath) {
    this.#settings = settings
    this.#path = path
  }

  /** Runs a call: asks the annotators, signs the bundle, and waits until the stream accepts or rejects the message. */
  async annotate(
    action: Action,
    payload: GivenPayload,
    previousPayload: GivenPayload | undefined,
    context: AnyContext = NO_CONTEXT,
  ): Promise<Receipt> {
    if (isSource(payload) || isSource(previousPayload)) {
      const question = { action, payload, previousPayload }
      const { annotators } = this.#path
      return this.#annotateLater((reading) => annotators.askAfter(question, context, reading), context)
    }
    const traceContext = takeTraceContext()
    assertBytes(payload, 'payload')
    this.assertOpen()
    assertContext(context)
    const { signal } = context
    signal?.throwIfAborted()
    const { backpressure, annotators, keys } = this.#path
    const slot = backpressure.begin(payload.length + (previousPayload?.length ?? 0))
    const key = keys.current
    let stage = key.asking
    stage.begin()
    try {
      // With a pool, do not yield to other calls, because this thread has little work, and workers must get
      // the call at once.
      const isShared = !this.#settings.pool
      const isPaced = isShared && callTurns.mustWait()
      const question = previousPayload ? { action, payload, previousPayload } : { action, payload }
      const answer = annotators.ask(question, context, isPaced)
      const call = 'then' in answer ? await unlessAborted(answer, signal) : answer
      const turn = isPaced || (isShared && 'then' in answer) ? callTurns.yieldIfDue() : undefined
      if (turn) await unlessAborted(turn, signal)
      const receipt = key.delivery.deliver(addTrace(call, traceContext), signal, slot)
      stage.end()
      stage = this.#handing
      stage.begin()
      // Await here: returning the promise unchanged would take two more turns of the microtask queue.
      return await receipt
    } finally {
      slot.release()
      stage.end()
    }
  }

  /** Runs a `mutate` with many inputs, which is signed after the inputs have been hashed. */
  async mutateMany(
    inputs: Iterable<MutateInput>,
    payload: GivenPayload,
    context: AnyContext = NO_CONTEXT,
  ): Promise<Receipt> {
    if (!isSource(payload)) assertBytes(payload, 'newPayload')
    const { annotators, keys } = this.#path
    return this.#annotateLater(async (digestion) => {
      const hashInput = isSource(payload) ? undefined : keys.prepare(payload, true)
      const gathered = await gatherInputs(inputs, digestion)
      const action = 'mutate'
      const call = await (isSource(payload)
        ? annotators.askAfter({ action, payload, previousPayload: undefined }, context, digestion)
        : annotators.ask({ action, payload }, context, true, hashInput))
      return { ...call, ...gathered }
    }, context)
  }

  /**
   * Runs a call with sources or many inputs. Such a call gets a slot only when it can be signed, after they
   * were read.
   */
  async #annotateLater(ask: (digestion: Digestion) => Promise<Call>, context: AnyContext): Promise<Receipt> {
    const traceContext = takeTraceContext()
    this.assertOpen()
    assertContext(context)
    const { hash, engine } = this.#settings
    const { signal = this.#ending.signal, onProgress } = context
    const either = signal === this.#ending.signal ? signal : anySignal(signal, this.#ending.signal)
    let stage = this.#reading
    let slot: Slot | undefined
    stage.begin()
    try {
      const call = await unlessAborted(ask({ hash, engine, signal: either, onProgress }), either)
      const turn = this.#settings.pool ? undefined : callTurns.yieldIfDue()
      if (turn) await turn
      either.throwIfAborted()
      slot = this.#path.backpressure.begin(bytesOf(call))
      const receipt = this.#path.keys.current.delivery.deliver(addTrace(call, traceContext), signal, slot)
      stage.end()
      stage = this.#handing
      stage.begin()
      return await receipt
    } finally {
      slot?.release()
      stage.end()
    }
  }

  async createMany(payloads: Iterable<Uint8Array>, context: AnyContext = NO_CONTEXT): Promise<Receipt[]> {
    const traceContext = takeTraceContext()
    this.assertOpen()
    assertContext(context)
    const { annotators, keys, backpressure } = this.#path
    const { hash, engine, batch = BATCH_OF_MANY } = this.#settings
    const batches = () => keys.current.batches
    const ask = (payload: Uint8Array, input: HashInput) =>
      annotators.ask({ action: 'create', payload }, context, false, input)
    const { signal } = context
    const ending = this.#ending.signal
    const either = signal ? anySignal(signal, ending) : ending
    const ready = () => backpressure.batchReady(batch, either)
    this.#reading.begin()
    try {
      const many = deliverMany(payloads, { batches, hash, engine, ask, signal, ready, traceContext })
      return await unlessAborted(many, signal)
    } finally {
      this.#reading.end()
    }
  }

  assertOpen(): void {
    if (this.#isClosed) throw closed('sdk', 'is closed')
  }

  /**
   * Number of calls that still wait for sources, inputs or annotators, plus the calls of `createMany` in
   * progress.
   */
  get asking(): number {
    return this.#reading.count + this.#path.keys.asking
  }

  close(): void {
    this.#isClosed = true
  }

  /** Waits until all calls so far are signed. */
  async allSealed(): Promise<void> {
    await this.#reading.none()
    await this.#path.keys.allSealed()
  }

  /** Waits until the stream has accepted or rejected all calls. */
  allAccepted(): Promise<void> {
    return this.#handing.none()
  }

  end(reason: AlvariumError): void {
    this.#ending.abort(reason)
    this.#path.keys.stop(reason)
  }
}

function addTrace(call: Call, traceContext: TraceContext | undefined): Call {
  return traceContext ? { ...call, traceContext } : call
}
