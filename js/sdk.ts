import { unlessAborted } from './abort.js'
import type { AnyAnnotator, CallContext } from './annotators/annotator.js'
import { Panel, type Question } from './annotators/panel.js'
import type { Action } from './bundle.js'
import { readSdkOptions, type SdkOptions, type SdkSettings } from './config/options.js'
import { AlvariumError, assertBytes, type ErrorCode, textOf } from './errors.js'
import { AnnotatorErrorEvent, type SdkEventMap } from './events.js'
import { digestInput, hashInput } from './hashing.js'
import { Receipt } from './receipt.js'
import { type Call, openSealer, type Sealer } from './sealer.js'

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
   * @throws TypeError when `payload` is not a `Uint8Array`
   * @throws AlvariumError `PAYLOAD_INVALID`, `SIGNER_FAILED`, `STREAM_CLOSED`, and whatever the stream rejects with
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
  /** Listens to events, for example `annotatorerror`. */
  addEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
    options?: AddEventListenerOptions,
  ): void
  removeEventListener<Type extends keyof SdkEventMap>(
    type: Type,
    listener: (event: SdkEventMap[Type]) => void,
  ): void
  /** Waits for the calls under way, closes the stream and wipes the key. Later calls give `STREAM_CLOSED`. */
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
    await unlessAborted(Promise.resolve(stream.connect?.({ logger, ...(signal && { signal }) })), signal)
  } catch (error) {
    sealer.free()
    if (signal?.aborted) throw signal.reason
    throw streamError('STREAM_UNREACHABLE', 'stream.connect: expected to connect', error)
  }
  return new OpenSdk(settings, sealer)
}

/** A call's context once its type has been checked. */
type AnyContext = Readonly<Record<string, unknown>> & { readonly signal?: AbortSignal }

class OpenSdk implements Sdk {
  readonly #settings: SdkSettings
  readonly #sealer: Sealer
  readonly #panel: Panel
  readonly #events = new EventTarget()
  /** Calls that have not yet handed their message to the stream. */
  #preparing = 0
  #idle: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(settings: SdkSettings, sealer: Sealer) {
    const { annotators, annotatorTimeoutMs } = settings
    this.#settings = settings
    this.#sealer = sealer
    this.#panel = new Panel(annotators, annotatorTimeoutMs, (error, kind) => this.#report(error, kind))
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

  /** The one pipeline behind the four actions: ask, seal, hand over, wait until it is accepted. */
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
    this.#preparing++
    let accepted: Promise<unknown>
    let message: Uint8Array
    try {
      const call = this.#ask({ action, payload, ...(previousPayload && { previousPayload }) }, context)
      const sealed = this.#sealer.seal('then' in call ? await unlessAborted(call, signal) : call)
      message = 'then' in sealed ? await unlessAborted(sealed, signal) : sealed
      accepted = unlessAborted(this.#handOver(message, signal), signal)
    } finally {
      this.#prepared()
    }
    await accepted
    return new Receipt(message)
  }

  /** The answers, and the payload's hash if it must be taken before the last of them is there. */
  #ask(question: Question, inputs: AnyContext): Call | Promise<Call> {
    const { hash, engine } = this.#settings
    const { action, payload, previousPayload } = question
    const asked = this.#panel.askedFor(action)
    const answers = this.#panel.ask(asked, question, inputs)
    const isLate = typeof answers !== 'number'
    // A caller may reuse its buffer while annotators think: the bundle speaks about the bytes of the call.
    const take = isLate ? digestInput : hashInput
    const input = take(payload, hash, engine)
    const previous = previousPayload && take(previousPayload, hash, engine)
    const call = (bits: number): Call => ({ action, payload: input, previous, asked, answers: bits })
    return isLate ? answers.then(call) : call(answers)
  }

  async #handOver(message: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#settings.stream.publish(message, signal ? { signal } : {})
    } catch (error) {
      throw streamError('STREAM_REFUSED', 'stream.publish: expected the message to be accepted', error)
    }
  }

  #assertOpen(): void {
    if (this.#closing)
      throw new AlvariumError('STREAM_CLOSED', 'sdk: expected to be open, got a call after close()')
  }

  #prepared(): void {
    this.#preparing--
    if (this.#preparing === 0) this.#idle?.()
  }

  #report(error: AlvariumError, kind: string): void {
    this.#events.dispatchEvent(new AnnotatorErrorEvent(kind, error))
    try {
      this.#settings.logger.error({ err: error, kind }, error.message)
    } catch {
      // A logger that fails has nobody to tell, and the call it reports on must go on.
    }
  }

  addEventListener(type: string, listener: (event: never) => void, options?: AddEventListenerOptions): void {
    this.#events.addEventListener(type, listener as EventListener, options)
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    this.#events.removeEventListener(type, listener as EventListener)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    if (this.#preparing > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
    }
    // Nothing is left to sign; the stream may still take its time.
    this.#sealer.free()
    try {
      await this.#settings.stream.close?.()
    } catch (error) {
      throw streamError('STREAM_LOST', 'stream.close: expected to close', error)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** What a stream of your own throws keeps its text and becomes the cause; our streams' errors stay as they are. */
function streamError(code: ErrorCode, expected: string, error: unknown): AlvariumError {
  if (error instanceof AlvariumError) return error
  return new AlvariumError(code, `${expected}, got: ${textOf(error)}`, { cause: error })
}
