import { nextTurn } from '#platform'
import type { AnyAnnotator, CallContext } from './annotators/annotator.js'
import { Panel, type Question } from './annotators/panel.js'
import { wholeness } from './annotators/whole.js'
import { unlessAborted } from './base/abort.js'
import { Announcer } from './base/announcer.js'
import { AlvariumError, assertBytes, streamError } from './base/errors.js'
import { AnnotatorErrorEvent, type ListenerOptions, type SdkEventMap } from './base/events.js'
import { Latency } from './base/latency.js'
import { Tally } from './base/tally.js'
import { Turns } from './base/turns.js'
import { closeCodec, encoded } from './codecs/checked.js'
import { DEFAULT_BATCH, readSdkOptions, type SdkOptions, type SdkSettings } from './config/options.js'
import type { SdkStats } from './config/stats.js'
import { BatchedDelivery } from './delivery/batched.js'
import type { Delivery, Publish } from './delivery/delivery.js'
import { deliverMany } from './delivery/many.js'
import type { Receipt } from './delivery/receipt.js'
import { SingleDelivery } from './delivery/single.js'
import type { Action } from './model/bundle.js'
import type { Call } from './model/call.js'
import type { HashInput } from './model/payload.js'
import { openSealer } from './seal/open.js'
import type { Sealer } from './seal/sealer.js'
import { claim, release } from './streams/claim.js'

/**
 * Annotates payloads: each call asks the annotators, signs their answers as one bundle and hands it to the
 * stream. Make one with {@link openSdk} and use it for all calls; close it, or declare it `await using`.
 *
 * A payload must not change until its call settles: the bundle speaks about the bytes at the time of the call, but
 * an annotator that waits before it looks would see others.
 */
export interface Sdk<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]>
  extends AsyncDisposable {
  /**
   * The payload came into being here. Resolves when the stream has accepted the bundle.
   *
   * @throws TypeError when `payload` is not a `Uint8Array`, or one whose buffer is gone
   * @throws AlvariumError `PAYLOAD_INVALID` (also when an annotator transfers or resizes its buffer), `SIGNER_FAILED`, `STREAM_CLOSED`, and whatever the stream rejects with
   */
  create(payload: Uint8Array, context?: CallContext<Annotators>): Promise<Receipt>
  /** `newPayload` was made from `oldPayload`: the bundle carries the keys of both. Throws as `create` does. */
  mutate(oldPayload: Uint8Array, newPayload: Uint8Array, context?: CallContext<Annotators>): Promise<Receipt>
  /** The payload arrived here unchanged. Throws as `create` does. */
  transit(payload: Uint8Array, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Says that the payload was handed on. It does **not** transmit the payload: do that yourself; what is
   * published here is the bundle about it. Throws as `create` does.
   */
  publish(payload: Uint8Array, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * `create` for many payloads, in batches: one signature and one message for up to `batch.maxBundles` of them, and the
   * fastest way there is. Few batches are on their way at a time, so any number of payloads will do.
   *
   * @returns the receipts, in the order of the payloads
   * @throws as `create` does, with the first reason; batches before and beside the one that failed may have been accepted
   */
  createMany(payloads: Iterable<Uint8Array>, context?: CallContext<Annotators>): Promise<Receipt[]>
  /** Listens to events, for example `annotatorerror`. */
  addEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
    options?: ListenerOptions,
  ): void
  removeEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
  ): void
  /** What it has done so far, and its stream, as a plain frozen object: cheap enough to ask for every second. */
  stats(): SdkStats
  /** Waits for the calls under way, closes codec and stream and wipes the key. Later calls give `STREAM_CLOSED`. */
  close(): Promise<void>
}

/**
 * Opens an SDK: reads the key and connects the stream.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`, and `STREAM_UNREACHABLE` when the
 * stream cannot be connected
 *
 * @example
 * ```ts
 * await using sdk = await openSdk({
 *   signingKey: await readKey('private.key'),
 *   annotators: [source(), tls()],
 *   stream: mqtt({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic' }),
 * })
 * await sdk.create(payload)
 * ```
 */
export async function openSdk<const Annotators extends readonly AnyAnnotator[]>(
  options: SdkOptions<Annotators>,
): Promise<Sdk<Annotators>> {
  const settings = readSdkOptions(options)
  const { stream, logger, signal } = settings
  const sealer = await openSealer(settings)
  try {
    claim(stream)
  } catch (error) {
    sealer.free()
    throw error
  }
  try {
    await unlessAborted(Promise.resolve(stream.connect?.({ logger, ...(signal && { signal }) })), signal)
  } catch (error) {
    sealer.free()
    release(stream)
    if (signal?.aborted) throw signal.reason
    throw streamError('STREAM_UNREACHABLE', 'stream.connect: expected to connect', error)
  }
  return new OpenSdk(settings, sealer)
}

/** A call's context once its type has been checked. */
type AnyContext = Readonly<Record<string, unknown>> & {
  readonly signal?: AbortSignal
  readonly transfer?: boolean
}

class OpenSdk implements Sdk {
  readonly #settings: SdkSettings
  readonly #sealer: Sealer
  readonly #panel: Panel
  readonly #delivery: Delivery
  #batches: BatchedDelivery | undefined
  readonly #events: Announcer
  /** Calls whose annotators have not all answered. */
  readonly #asking = new Tally()
  readonly #sealing = new Latency()
  readonly #accepting = new Latency()
  #failed = 0
  readonly #turns = new Turns(nextTurn)
  #closing: Promise<void> | undefined

  constructor(settings: SdkSettings, sealer: Sealer) {
    const { annotators, annotatorTimeoutMs, batch } = settings
    this.#settings = settings
    this.#events = new Announcer(['annotatorerror'], settings.logger)
    this.#sealer = sealer
    this.#panel = new Panel(annotators, annotatorTimeoutMs, (error, kind) => this.#report(error, kind))
    if (batch) this.#batches = new BatchedDelivery(sealer, this.#publish, batch, this.#sealing)
    this.#delivery = this.#batches ?? new SingleDelivery(sealer, this.#publish, this.#sealing)
  }

  create(payload: Uint8Array, context?: AnyContext): Promise<Receipt> {
    return this.#annotate('create', payload, undefined, context)
  }

  async mutate(oldPayload: Uint8Array, newPayload: Uint8Array, context?: AnyContext): Promise<Receipt> {
    assertBytes(oldPayload, 'oldPayload')
    assertBytes(newPayload, 'newPayload')
    return this.#annotate('mutate', newPayload, oldPayload, context)
  }

  transit(payload: Uint8Array, context?: AnyContext): Promise<Receipt> {
    return this.#annotate('transit', payload, undefined, context)
  }

  publish(payload: Uint8Array, context?: AnyContext): Promise<Receipt> {
    return this.#annotate('publish', payload, undefined, context)
  }

  /** The one pipeline behind the four actions: ask, seal and hand over, wait until it is accepted. */
  async #annotate(
    action: Action,
    payload: Uint8Array,
    previousPayload: Uint8Array | undefined,
    context: AnyContext = {},
  ): Promise<Receipt> {
    assertBytes(payload, 'payload')
    this.#assertOpen()
    const { signal } = context
    signal?.throwIfAborted()
    this.#asking.begin()
    let receipt: Promise<Receipt>
    try {
      const call = this.#ask({ action, payload, ...(previousPayload && { previousPayload }) }, context)
      receipt = this.#delivery.deliver('then' in call ? await unlessAborted(call, signal) : call, signal)
    } finally {
      this.#asking.end()
    }
    // Awaited here: to return the promise as it is would cost two more turns of the microtask queue.
    const done = await receipt
    const { over } = this.#turns
    if (over) await over
    return done
  }

  async createMany(payloads: Iterable<Uint8Array>, context: AnyContext = {}): Promise<Receipt[]> {
    this.#assertOpen()
    this.#batches ??= new BatchedDelivery(this.#sealer, this.#publish, DEFAULT_BATCH, this.#sealing)
    const { hash, engine } = this.#settings
    const ask = (payload: Uint8Array, input: HashInput) =>
      this.#ask({ action: 'create', payload }, context, input)
    this.#asking.begin()
    try {
      const many = deliverMany(payloads, {
        batches: this.#batches,
        hash,
        engine,
        ask,
        signal: context.signal,
        turns: this.#turns,
      })
      return await unlessAborted(many, context.signal)
    } finally {
      this.#asking.end()
    }
  }

  /** The answers, and the payload's hash if it must be taken before the last of them is there. */
  #ask(question: Question, inputs: AnyContext, given?: HashInput): Call | Promise<Call> {
    const { action, payload, previousPayload } = question
    const { transfer = false } = inputs
    const assertWhole = wholeness(question)
    const asked = this.#panel.askedFor(action)
    const answers = this.#panel.ask(asked, question, inputs)
    const isLate = typeof answers !== 'number'
    if (!given) assertWhole()
    // A caller may reuse its buffer while annotators think: the bundle speaks about the bytes of the call.
    const mayChange = isLate && !transfer
    const input = given ?? this.#sealer.take(payload, mayChange)
    const previous = previousPayload && this.#sealer.take(previousPayload, mayChange)
    const call = (bits: number): Call => ({
      action,
      payload: input,
      previous,
      asked,
      answers: bits,
      transfer,
    })
    if (!isLate) return call(answers)
    return answers.then((bits) => {
      // The only one that was not copied.
      if (transfer && !given) assertWhole()
      return call(bits)
    })
  }

  readonly #publish: Publish = async (json, signal) => {
    const { codec, stream } = this.#settings
    const message = encoded(codec, json)
    const { contentType } = codec
    const since = performance.now()
    try {
      const accepted = await stream.publish(message, signal ? { signal, contentType } : { contentType })
      this.#accepting.record(performance.now() - since)
      return { message, json, accepted }
    } catch (error) {
      this.#failed++
      throw streamError('STREAM_REFUSED', 'stream.publish: expected the message to be accepted', error)
    }
  }

  #assertOpen(): void {
    if (this.#closing)
      throw new AlvariumError('STREAM_CLOSED', 'sdk: expected to be open, got a call after close()')
  }

  #report(error: AlvariumError, kind: string): void {
    this.#events.dispatchEvent(new AnnotatorErrorEvent(kind, error))
    try {
      this.#settings.logger.error({ err: error, kind }, error.message)
    } catch {
      // A logger that fails has nobody to tell, and the call it reports on must go on.
    }
  }

  addEventListener(type: string, listener: (event: never) => void, options?: ListenerOptions): void {
    this.#events.addEventListener(type, listener as EventListener, options)
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#events.removeEventListener(type, listener as EventListener)
  }

  stats(): SdkStats {
    const [seal, accept] = [this.#sealing.stats(), this.#accepting.stats()]
    const stream = this.#settings.stream.stats?.()
    const { count: asking } = this.#asking
    return Object.freeze({ asking, accepted: accept.count, failed: this.#failed, seal, accept, stream })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#asking.none()
    await this.#delivery.handedOver()
    await this.#batches?.handedOver()
    // Nothing is left to sign; the stream may still take its time.
    this.#sealer.free()
    try {
      await closeCodec(this.#settings.codec)
    } finally {
      await this.#closeStream()
    }
  }

  async #closeStream(): Promise<void> {
    try {
      await this.#settings.stream.close?.()
    } catch (error) {
      throw streamError('STREAM_LOST', 'stream.close: expected to close', error)
    } finally {
      release(this.#settings.stream)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
