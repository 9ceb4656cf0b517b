import type { AnyAnnotator, CallContext } from './annotators/annotator.js'
import { Panel } from './annotators/panel.js'
import { type AlvariumError, assertBytes, expected } from './base/errors.js'
import { AnnotatorErrorEvent, Announcer, type ListenerOptions, type SdkEventMap } from './base/events.js'
import { firstOf, unlessAborted } from './base/time/abort.js'
import { Tally } from './base/time/tally.js'
import { TOO_LATE, within } from './base/time/timeout.js'
import { callTurns } from './base/time/turns.js'
import { BATCH_OF_MANY, readSdkOptions, type SdkOptions, type SdkSettings } from './config/options.js'
import type { SdkStats } from './config/stats.js'
import { Admission, type Permit } from './delivery/admission.js'
import { BatchedDelivery } from './delivery/batched.js'
import { type AnyContext, assertContext, NO_CONTEXT } from './delivery/context.js'
import type { Delivery } from './delivery/delivery.js'
import { gatherInputs } from './delivery/inputs.js'
import { areInputs, type MutateInput } from './delivery/made-from.js'
import { deliverMany } from './delivery/many.js'
import { bytesOfMessages } from './delivery/message-bytes.js'
import { Outlet } from './delivery/outlet.js'
import { Questions } from './delivery/questions.js'
import type { GivenPayload, ReadQuestion } from './delivery/reading.js'
import type { Receipt } from './delivery/receipt.js'
import { SingleDelivery } from './delivery/single.js'
import type { Action } from './model/bundle.js'
import { bytesOf, type Call } from './model/call.js'
import type { Digestion, HashInput, PayloadSource } from './model/payload.js'
import { type LogSigner, RUN, type SigningRun } from './seal/log.js'
import { openSealer } from './seal/open.js'
import type { Sealer } from './seal/sealer.js'
import { isSource } from './sources/source.js'
import { claim, release } from './streams/claim.js'
import { connect } from './streams/stream.js'

/**
 * Annotates payloads: each call asks the annotators, signs their answers as one bundle and hands it to the
 * stream. Make one with {@link openSdk} and use it for all calls; close it, or declare it `await using`.
 *
 * A payload must not change until its call settles: the bundle speaks about the bytes at the time of the call, but
 * an annotator that waits before it looks would see others.
 *
 * In place of its bytes a payload can be a source: a stream, an async iterable, a `Blob`, a file (`openAsSource`). It is read in pieces,
 * and the call is signed when the last byte has come; calls that are made meanwhile go first. A piece must not change until the next
 * one is asked for.
 */
export interface Sdk<Annotators extends readonly AnyAnnotator[] = readonly AnyAnnotator[]>
  extends AsyncDisposable {
  /**
   * The payload came into being here. Resolves when the stream has accepted the bundle.
   *
   * @throws TypeError when `payload` is neither a `Uint8Array` nor a source, or is one whose buffer is gone; and for a piece of a source
   * that is no `Uint8Array`
   * @throws AlvariumError `PAYLOAD_INVALID` (also when an annotator transfers or resizes its buffer; for a source that cannot be read to
   * its end, was read before or lies about its `size`; and before it is read, when an annotator needs the payload or the hash is `none`),
   * `QUEUE_FULL` over 1,024 sources at a time, `CONFIG_INVALID` for a context with an
   * input that no annotator takes, `SIGNER_FAILED`, `STREAM_CLOSED`, and whatever the stream rejects with
   */
  create(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /** `newPayload` was made from `oldPayload`: the bundle carries the keys of both. Throws as `create` does. */
  mutate(
    oldPayload: Uint8Array | PayloadSource,
    newPayload: Uint8Array | PayloadSource,
    context?: CallContext<Annotators>,
  ): Promise<Receipt>
  /**
   * `newPayload` was made from all of `inputs`: an average from its readings, a model from a sealed set. One signature, and one message
   * with about 90 bytes for each input.
   *
   * @param inputs - 1 to 65,536, in any order that means something to you: bytes of payloads, names of payloads (`{ hash, key }`, so also
   * their bundles), ids of sealed sets (`{ set }`). One may come twice. Their bytes must not change until the call settles
   * @throws as `create` does; `PAYLOAD_INVALID` for none or too many, for more than 14 MiB of names, and for a name that cannot be one
   *
   * @example
   * ```ts
   * const average = new TextEncoder().encode('{"celsius":21.3}')
   * const { bundle } = await sdk.mutate(readings, average)
   * console.log(bundle.inputs?.length === readings.length) // true
   * ```
   */
  mutate(
    inputs: Iterable<MutateInput>,
    newPayload: Uint8Array | PayloadSource,
    context?: CallContext<Annotators>,
  ): Promise<Receipt>
  /** The payload arrived here unchanged. Throws as `create` does. */
  transit(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * Says that the payload was handed on. It does **not** transmit the payload: do that yourself; what is
   * published here is the bundle about it. Throws as `create` does.
   */
  publish(payload: Uint8Array | PayloadSource, context?: CallContext<Annotators>): Promise<Receipt>
  /**
   * `create` for many payloads, in batches: one signature and one message for up to `batch.maxBundles` of them, and the
   * fastest way there is. Few batches are on their way at a time, so any number of payloads will do.
   *
   * @returns the receipts, in the order of the payloads
   * @throws as `create` does, with the first reason; batches before and beside the one that failed may have been accepted
   */
  createMany(payloads: Iterable<Uint8Array>, context?: CallContext<Annotators>): Promise<Receipt[]>
  /**
   * Resolves when another call finds room: in the pool, and in the stream or the outbox. If you wait for it before each call, and
   * make the call right after it, you never meet `QUEUE_FULL`. Calls that an annotator, a signer, a pool or a batch still has are
   * counted. Each of many callers gets a place of its own, in their order, which is kept for a second.
   *
   * What is longer than all the room there is, is refused all the same. `createMany` sees to its own room, and is not counted.
   *
   * @param options - `bytes`, the size of the call's payloads together: say it where sizes differ, and those of a pool's calls or of
   * messages with hash `none` are near its limits; by default the largest so far. `signal` ends the wait
   * @throws RangeError when `bytes` is no whole number of 0 or more
   * @throws AlvariumError `STREAM_CLOSED` when the SDK is closed, also while this waits; and the signal's reason
   *
   * @example
   * ```ts
   * for await (const payload of readings) {
   *   await sdk.ready()
   *   sdk.create(payload).catch(report)
   * }
   * ```
   */
  ready(options?: ReadyOptions): Promise<void>
  /** Listens to events, for example `annotatorerror`. */
  addEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
    options?: ListenerOptions,
  ): void
  /** Takes a listener away that was added for the same type. */
  removeEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
  ): void
  /** What it has done so far, and its stream, as a plain frozen object: cheap enough to ask for every second. */
  stats(): SdkStats
  /**
   * Waits for the calls under way, closes codec and stream and wipes the key. Later calls give `STREAM_CLOSED`.
   *
   * It ends within twice `closeTimeoutMs`, whatever annotators, signer, codec and stream do. Calls that are not done by then reject
   * with `STREAM_CLOSED`; those that still wait for an annotator or a signer reject once its own timeout is over.
   *
   * @throws AlvariumError `STREAM_TIMEOUT` when codec or stream do not close in time, `STREAM_FAILED` or `CODEC_FAILED` when they throw
   */
  close(): Promise<void>
}

/** What a call will need, and for how long to wait for it. */
export interface ReadyOptions {
  /** Bytes of its payloads together. Default: as many as the largest so far. */
  readonly bytes?: number | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Opens an SDK: reads the key and connects the stream.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`, `STREAM_UNREACHABLE` when the
 * stream cannot be connected, and `STREAM_TIMEOUT` when it is not within `connectTimeoutMs`
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
  claim(settings.stream)
  try {
    const opening = settings.codec.openSigner?.(settings.signerTimeoutMs)
    if (opening) await opening
    const run = settings.checkpoints?.[RUN]()
    const sealer = await openSealer({ ...settings, log: run })
    try {
      await connect(settings)
      if (run && sealer.logSigner) await beginRun(run, sealer.logSigner, settings)
    } catch (error) {
      sealer.free()
      await sealer.end?.()
      throw error
    }
    return new OpenSdk(settings, sealer, run)
  } catch (error) {
    release(settings.stream)
    throw error
  }
}

/** A stream that was connected for nothing is closed again. */
async function beginRun(run: SigningRun, signer: LogSigner, settings: SdkSettings): Promise<void> {
  try {
    await run.begin(signer, settings)
  } catch (error) {
    await Promise.allSettled([(async () => settings.stream.close?.())()])
    throw error
  }
}

class OpenSdk implements Sdk {
  readonly #settings: SdkSettings
  readonly #sealer: Sealer
  readonly #questions: Questions
  readonly #outlet: Outlet
  readonly #delivery: Delivery
  readonly #run: SigningRun | undefined
  readonly #admission: Admission
  #batches: BatchedDelivery | undefined
  readonly #events: Announcer
  /** Calls whose annotators have not all answered. */
  readonly #asking = new Tally()
  /** Calls of which the stream has not said what became of them. */
  readonly #handing = new Tally()
  /** Ends the reading of sources. */
  readonly #ending = new AbortController()
  #closing: Promise<void> | undefined
  /** What calls that are still under way reject with. */
  #ended: AlvariumError | undefined
  #isWiped = false

  constructor(settings: SdkSettings, sealer: Sealer, run: SigningRun | undefined) {
    const { annotators, annotatorTimeoutMs, batch, otherKinds } = settings
    this.#settings = settings
    this.#events = new Announcer(['annotatorerror'], settings.logger)
    this.#sealer = sealer
    const report = (error: AlvariumError, kind: string) => this.#report(error, kind)
    const panel = new Panel(annotators, annotatorTimeoutMs, report, otherKinds)
    this.#questions = new Questions(panel, sealer)
    this.#outlet = new Outlet(settings, run)
    this.#run = run
    if (batch) this.#batches = new BatchedDelivery(sealer, this.#outlet.publish, batch)
    const unsent = run && ((message: Uint8Array) => run.refused(message))
    this.#delivery = this.#batches ?? new SingleDelivery(sealer, this.#outlet.publish, unsent)
    this.#admission = new Admission({
      stream: settings.stream,
      sealer: batch ? undefined : sealer,
      messageBytes: bytesOfMessages(settings, this.#outlet),
    })
  }

  create(payload: GivenPayload, context?: AnyContext): Promise<Receipt> {
    return this.#annotate('create', payload, undefined, context)
  }

  async mutate(
    oldPayload: GivenPayload | Iterable<MutateInput>,
    newPayload: GivenPayload,
    context?: AnyContext,
  ): Promise<Receipt> {
    if (areInputs(oldPayload)) return this.#mutateMany(oldPayload, newPayload, context)
    if (!isSource(oldPayload)) assertBytes(oldPayload, 'oldPayload')
    if (!isSource(newPayload)) assertBytes(newPayload, 'newPayload')
    return this.#annotate('mutate', newPayload, oldPayload, context)
  }

  transit(payload: GivenPayload, context?: AnyContext): Promise<Receipt> {
    return this.#annotate('transit', payload, undefined, context)
  }

  publish(payload: GivenPayload, context?: AnyContext): Promise<Receipt> {
    return this.#annotate('publish', payload, undefined, context)
  }

  /** The one pipeline behind the four actions: ask, seal and hand over, wait until it is accepted. */
  async #annotate(
    action: Action,
    payload: GivenPayload,
    previousPayload: GivenPayload | undefined,
    context: AnyContext = NO_CONTEXT,
  ): Promise<Receipt> {
    if (isSource(payload) || isSource(previousPayload)) {
      return this.#annotateRead({ action, payload, previousPayload }, context)
    }
    assertBytes(payload, 'payload')
    this.#assertOpen()
    assertContext(context)
    const { signal } = context
    signal?.throwIfAborted()
    const permit = this.#admission.begin(payload.length + (previousPayload?.length ?? 0))
    let stage = this.#asking
    stage.begin()
    try {
      // In a pool there is little to do here, and what is handed over to it has to go at once.
      const isShared = !this.#settings.pool
      const isPaced = isShared && callTurns.mustWait()
      const question = previousPayload ? { action, payload, previousPayload } : { action, payload }
      const asked = this.#questions.ask(question, context, isPaced)
      const call = 'then' in asked ? await unlessAborted(asked, signal) : asked
      const turn = isPaced || (isShared && 'then' in asked) ? callTurns.take() : undefined
      if (turn) await unlessAborted(turn, signal)
      const receipt = this.#delivery.deliver(call, signal, permit)
      stage.end()
      stage = this.#handing
      stage.begin()
      // Awaited here: to return the promise as it is would cost two more turns of the microtask queue.
      return await receipt
    } finally {
      permit.over()
      stage.end()
    }
  }

  /** The same of sources: it becomes a call when they have been read. */
  #annotateRead(given: ReadQuestion, context: AnyContext): Promise<Receipt> {
    return this.#annotateLater((digestion) => this.#questions.askAfter(given, context, digestion), context)
  }

  /** The same of many inputs: it becomes a call when they have been hashed. */
  async #mutateMany(
    inputs: Iterable<MutateInput>,
    payload: GivenPayload,
    context: AnyContext = NO_CONTEXT,
  ): Promise<Receipt> {
    if (!isSource(payload)) assertBytes(payload, 'newPayload')
    return this.#annotateLater(async (digestion) => {
      const kept = isSource(payload) ? undefined : this.#sealer.take(payload, true)
      const gathered = await gatherInputs(inputs, digestion)
      const action = 'mutate'
      const call = await (isSource(payload)
        ? this.#questions.askAfter({ action, payload, previousPayload: undefined }, context, digestion)
        : this.#questions.ask({ action, payload }, context, true, kept))
      return { ...call, ...gathered }
    }, context)
  }

  /** The same of what takes its time before it is a call. Until then nothing waits for it, and it takes nobody's place. */
  async #annotateLater(ask: (digestion: Digestion) => Promise<Call>, context: AnyContext): Promise<Receipt> {
    this.#assertOpen()
    assertContext(context)
    const { hash, engine } = this.#settings
    const { signal = this.#ending.signal, onProgress } = context
    const either = signal === this.#ending.signal ? signal : firstOf(signal, this.#ending.signal)
    let stage = this.#asking
    let permit: Permit | undefined
    stage.begin()
    try {
      const call = await ask({ hash, engine, signal: either, onProgress })
      const turn = this.#settings.pool ? undefined : callTurns.take()
      if (turn) await turn
      either.throwIfAborted()
      permit = this.#admission.begin(bytesOf(call))
      const receipt = this.#delivery.deliver(call, signal, permit)
      stage.end()
      stage = this.#handing
      stage.begin()
      return await receipt
    } finally {
      permit?.over()
      stage.end()
    }
  }

  async ready({ bytes, signal }: ReadyOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    this.#assertOpen()
    if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
      throw new RangeError(`bytes: expected a whole number of 0 or more, got ${bytes}`)
    }
    await this.#admission.ready(bytes, signal)
  }

  async createMany(payloads: Iterable<Uint8Array>, context: AnyContext = NO_CONTEXT): Promise<Receipt[]> {
    this.#assertOpen()
    assertContext(context)
    this.#batches ??= new BatchedDelivery(this.#sealer, this.#outlet.publish, BATCH_OF_MANY)
    const { hash, engine } = this.#settings
    const ask = (payload: Uint8Array, input: HashInput) =>
      this.#questions.ask({ action: 'create', payload }, context, false, input)
    this.#asking.begin()
    try {
      const many = deliverMany(payloads, {
        batches: this.#batches,
        hash,
        engine,
        ask,
        signal: context.signal,
      })
      return await unlessAborted(many, context.signal)
    } finally {
      this.#asking.end()
    }
  }

  #assertOpen(): void {
    if (this.#closing) throw expected('STREAM_CLOSED', 'sdk', 'to be open', 'a call after close()')
  }

  #report(error: AlvariumError, kind: string): void {
    this.#events.dispatchEvent(new AnnotatorErrorEvent(kind, error))
    this.#settings.logger.error({ err: error, kind }, error.message)
  }

  addEventListener(type: string, listener: (event: never) => void, options?: ListenerOptions): void {
    this.#events.addEventListener(type, listener as EventListener, options)
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#events.removeEventListener(type, listener as EventListener)
  }

  stats(): SdkStats {
    return Object.freeze({ asking: this.#asking.count, ...this.#outlet.stats() })
  }

  close(): Promise<void> {
    this.#admission.close(expected('STREAM_CLOSED', 'sdk', 'to be open', 'close()'))
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { stream, closeTimeoutMs } = this.#settings
    if ((await within(this.#drained(), closeTimeoutMs)) === TOO_LATE) this.#end(closeTimeoutMs)
    if (!this.#run) this.#wipe()
    const closed = this.#closeOutlet()
      .finally(() => release(stream))
      .finally(() => this.#run?.end())
      .finally(() => this.#sealer.end?.())
    try {
      if ((await within(closed, closeTimeoutMs)) !== TOO_LATE) return
      const inTime = `codec and stream to close within ${closeTimeoutMs} ms`
      throw expected('STREAM_TIMEOUT', 'sdk.close', inTime, 'no answer')
    } finally {
      this.#end(closeTimeoutMs)
      this.#wipe()
    }
  }

  /** Resolves when everything that was asked for has been signed and handed over, and accepted where the stream does not see to it. */
  async #drained(): Promise<void> {
    await this.#asking.none()
    await this.#delivery.allSealed()
    await this.#batches?.allSealed()
    // Nothing is left to seal but the last checkpoint; the codec and the stream may still take their time.
    if (!this.#run) this.#wipe()
    await this.#outlet.handedOver()
    if (!this.#settings.stream.drainsOnClose) await this.#handing.none()
  }

  async #closeOutlet(): Promise<void> {
    try {
      await this.#outlet.close()
    } finally {
      if (!this.#ended) await this.#handing.none()
    }
  }

  /** Whatever is still under way rejects. */
  #end(afterMs: number): void {
    const inTime = `the call to end within ${afterMs} ms after close()`
    this.#ended ??= expected('STREAM_CLOSED', 'sdk', inTime, 'no answer')
    this.#ending.abort(this.#ended)
    this.#delivery.end(this.#ended)
    this.#batches?.end(this.#ended)
    this.#outlet.end(this.#ended)
  }

  #wipe(): void {
    if (this.#isWiped) return
    this.#isWiped = true
    this.#sealer.free()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
