import { type AlvariumError, assertBytes, closed, expected, numberOr } from '../../foundation/base/errors.js'
import { AnnotatorErrorEvent, type ListenerOptions, SafeEventTarget } from '../../foundation/base/events.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { AnnotatorSet } from '../../signing/annotators/annotator-set.js'
import type { SigningRuns } from '../../signing/seal/log.js'
import { isSource } from '../../signing/sources/source.js'
import { destinationOf, release } from '../../transport/streams/claim.js'
import type { StreamDestination } from '../../transport/streams/stream.js'
import type { SdkOptions, SdkSettings } from '../config/options.js'
import type { SdkStats } from '../config/stats.js'
import { AnnotatorCalls } from '../delivery/annotator-calls.js'
import { CallBackpressure } from '../delivery/backpressure.js'
import type { AnyContext } from '../delivery/context.js'
import { areInputs, type MutateInput } from '../delivery/inputs.js'
import { bytesOfMessages } from '../delivery/message-bytes.js'
import { Publisher } from '../delivery/publisher.js'
import type { GivenPayload } from '../delivery/read-payloads.js'
import type { Receipt } from '../delivery/receipt.js'
import { Calls } from './calls.js'
import type { ReadyOptions, Sdk } from './sdk.js'
import type { OpenedKey } from './signing-key.js'
import { SigningKeys } from './signing-keys.js'

/** Open SDK with a connected stream: makes the calls, dispatches events, and closes the stream. */
export class OpenedSdk implements Sdk {
  readonly #settings: SdkSettings
  readonly #keys: SigningKeys
  readonly #publisher: Publisher
  readonly #backpressure: CallBackpressure
  readonly #calls: Calls
  readonly #events: SafeEventTarget
  #closing: Promise<void> | undefined
  /** Error of calls that did not end in time after `close()`. */
  #ended: AlvariumError | undefined

  constructor(settings: SdkSettings, key: OpenedKey, runs: SigningRuns | undefined) {
    const { annotators, annotatorTimeoutMs, batch, otherKinds, stream } = settings
    this.#settings = settings
    this.#events = new SafeEventTarget(['annotatorerror'], settings.logger)
    const report = (error: AlvariumError, kind: string) => this.#report(error, kind)
    const annotatorSet = new AnnotatorSet(annotators, annotatorTimeoutMs, report, otherKinds)
    const publisher = new Publisher(settings)
    const keys = new SigningKeys(settings, key, publisher.publish, runs)
    const messageBytes = bytesOfMessages(settings, publisher)
    const backpressure = new CallBackpressure({ stream, sealer: batch ? undefined : keys, messageBytes })
    this.#publisher = publisher
    this.#keys = keys
    this.#backpressure = backpressure
    this.#calls = new Calls(settings, {
      annotators: new AnnotatorCalls(annotatorSet, keys),
      keys,
      backpressure,
    })
  }

  get destination(): StreamDestination | undefined {
    return destinationOf(this.#settings.stream)
  }

  create(payload: GivenPayload, context?: AnyContext): Promise<Receipt> {
    return this.#calls.annotate('create', payload, undefined, context)
  }

  async mutate(
    oldPayload: GivenPayload | Iterable<MutateInput>,
    newPayload: GivenPayload,
    context?: AnyContext,
  ): Promise<Receipt> {
    if (areInputs(oldPayload)) return this.#calls.mutateMany(oldPayload, newPayload, context)
    if (!isSource(oldPayload)) assertBytes(oldPayload, 'oldPayload')
    if (!isSource(newPayload)) assertBytes(newPayload, 'newPayload')
    return this.#calls.annotate('mutate', newPayload, oldPayload, context)
  }

  transit(payload: GivenPayload, context?: AnyContext): Promise<Receipt> {
    return this.#calls.annotate('transit', payload, undefined, context)
  }

  publish(payload: GivenPayload, context?: AnyContext): Promise<Receipt> {
    return this.#calls.annotate('publish', payload, undefined, context)
  }

  createMany(payloads: Iterable<Uint8Array>, context?: AnyContext): Promise<Receipt[]> {
    return this.#calls.createMany(payloads, context)
  }

  async ready({ bytes, signal }: ReadyOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    this.#calls.assertOpen()
    if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
      throw new RangeError(`bytes: expected a whole number of 0 or more, got ${numberOr(bytes)}`)
    }
    await this.#backpressure.ready(bytes, signal)
  }

  async rotate(signingKey: SdkOptions['signingKey']): Promise<void> {
    this.#calls.assertOpen()
    await this.#keys.rotate(signingKey)
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
    return Object.freeze({ asking: this.#calls.asking, ...this.#publisher.stats() })
  }

  close(): Promise<void> {
    const ended = closed('sdk', 'was closed during the call')
    this.#backpressure.close(ended)
    this.#keys.close(ended)
    this.#calls.close()
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { stream, closeTimeoutMs } = this.#settings
    if ((await within(this.#drained(), closeTimeoutMs)) === TOO_LATE) this.#end(closeTimeoutMs)
    this.#wipeUnlogged()
    const closed = this.#closePublisher()
      .finally(() => release(stream))
      .finally(() => this.#keys.finish())
    try {
      if ((await within(closed, closeTimeoutMs)) !== TOO_LATE) return
      const inTime = `codec and stream to close within ${closeTimeoutMs} ms`
      throw expected('STREAM_TIMEOUT', 'sdk.close', inTime, 'no answer')
    } finally {
      this.#end(closeTimeoutMs)
      this.#keys.wipe()
    }
  }

  /** Waits until the stream has received all calls. Without `drainsOnClose`, also waits until they have settled. */
  async #drained(): Promise<void> {
    await this.#calls.allSealed()
    // Wipe the keys now, because the codec and the stream may still need time.
    this.#wipeUnlogged()
    await this.#publisher.handedOver()
    if (!this.#settings.stream.drainsOnClose) await this.#calls.allAccepted()
  }

  async #closePublisher(): Promise<void> {
    try {
      await this.#publisher.close()
    } finally {
      if (!this.#ended) await this.#calls.allAccepted()
    }
  }

  #end(afterMs: number): void {
    const inTime = `the call to end within ${afterMs} ms after close()`
    this.#ended ??= expected('STREAM_CLOSED', 'sdk', inTime, 'no answer')
    this.#calls.end(this.#ended)
    this.#publisher.end(this.#ended)
  }

  /**
   * Wipes the private keys, unless the SDK signs checkpoints, because the last checkpoint then still needs
   * them.
   */
  #wipeUnlogged(): void {
    if (!this.#settings.checkpoints) this.#keys.wipe()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
