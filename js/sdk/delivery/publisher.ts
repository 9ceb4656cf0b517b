import {
  type AlvariumError,
  describe,
  expected,
  failureOf,
  streamError,
  textOf,
} from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { Latency } from '../../foundation/base/time/latency.js'
import { ignoreRejection, isPromiseLike, withResolvers } from '../../foundation/base/time/promises.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { closeCodec, encodeMessage } from '../../transport/codecs/checked.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { acceptedChannel, failedChannel, sealedChannel } from '../../transport/streams/channels.js'
import type { StreamStats } from '../../transport/streams/stats.js'
import { type Acceptance, acceptanceOf, type StreamProvider } from '../../transport/streams/stream.js'
import type { Publish, SealedMessage } from './delivery.js'
import { withInputs } from './inputs.js'
import { ID_BYTES, type Sent } from './receipt.js'

interface PublisherSettings {
  readonly codec: Codec
  readonly stream: StreamProvider
  readonly logger: Logger
  readonly streamTimeoutMs?: number | undefined
  readonly codecTimeoutMs?: number | undefined
}

/**
 * Publisher of signed messages: encodes them, passes them to the stream, and counts accepted and rejected
 * messages.
 */
export class Publisher {
  readonly #settings: PublisherSettings
  readonly #sealing = new Latency()
  readonly #accepting = new Latency()
  readonly #contentType: string
  readonly #codecTimeoutMs: number | undefined
  /** Resolves when all messages so far have been passed to the stream; undefined if none waits. */
  #queue: Promise<void> | undefined
  readonly #ending = new AbortController()
  /** Functions that reject the calls whose messages the stream has not answered. */
  readonly #waiting = new Set<(error: AlvariumError) => void>()
  #failed = 0
  #longest = 0
  /** Error after which nothing more is published. */
  #ended: AlvariumError | undefined

  constructor(settings: PublisherSettings) {
    this.#settings = settings
    const { codec, codecTimeoutMs } = settings
    this.#contentType = codec.contentType
    this.#codecTimeoutMs = codec.openSigner ? undefined : codecTimeoutMs
  }

  readonly publish: Publish = (outgoing) => {
    const { json, inputs } = outgoing
    const whole = inputs.length === 0 ? json : withInputs(json, inputs)
    const message = this.#encoding(whole, outgoing)
    if ('then' in message || this.#queue) return this.#handOverInOrder(message, whole, outgoing)
    return this.#handOver(message, whole, outgoing)
  }

  #encoding(
    whole: Uint8Array,
    { json, tag, sealedMs, outcomes }: SealedMessage,
  ): ReturnType<typeof encodeMessage> {
    try {
      if (this.#ended) throw this.#ended
      this.#sealing.record(sealedMs)
      return encodeMessage(this.#settings.codec, whole, tag, this.#codecTimeoutMs)
    } catch (error) {
      outcomes?.refused(json)
      throw error
    }
  }

  /** Passes a message to the stream, after it has been encoded and all earlier messages have been passed. */
  async #handOverInOrder(
    message: Uint8Array | Promise<Uint8Array>,
    whole: Uint8Array,
    outgoing: SealedMessage,
  ): Promise<Sent> {
    const { before, leave } = this.#join()
    let accepted: Promise<Sent>
    try {
      const turn = unlessAborted(Promise.all([message, before]), outgoing.signal)
      const [encoded] = await unlessAborted(turn, this.#ending.signal)
      await callTurns.yieldIfDue()
      outgoing.signal?.throwIfAborted()
      this.#ending.signal.throwIfAborted()
      accepted = this.#handOver(encoded, whole, outgoing)
    } catch (error) {
      outgoing.outcomes?.refused(outgoing.json)
      throw error
    } finally {
      leave()
    }
    return await accepted
  }

  /** Joins the queue. Resolves `before` when all earlier messages have left it. */
  #join(): { readonly before: Promise<void> | undefined; leave(): void } {
    const before = this.#queue
    const { promise: left, resolve } = withResolvers<void>()
    this.#queue = left
    left.then(() => {
      if (this.#queue === left) this.#queue = undefined
    })
    // If a message leaves the queue early, later messages still wait for the earlier ones.
    return { before, leave: () => resolve(before) }
  }

  async #handOver(message: Uint8Array, whole: Uint8Array, sealing: SealedMessage): Promise<Sent> {
    const { json, inputs, ids, sealedMs, traceContext, signal, outcomes, slot } = sealing
    const { codec, stream } = this.#settings
    const perBundle = ids ? message.length / (ids.length / ID_BYTES) : message.length
    // Skip messages with inputs: few calls have inputs, and their length does not predict the next call.
    if (inputs.length === 0 && perBundle > this.#longest) this.#longest = perBundle
    if (sealedChannel.hasSubscribers) sealedChannel.publish({ message, tookMs: sealedMs })
    const contentType = this.#contentType
    const since = performance.now()
    try {
      const answer = stream.publish(message, { contentType, signal, traceContext })
      slot.release()
      const acceptance = await this.#acceptanceIn(answer)
      const tookMs = performance.now() - since
      this.#accepting.record(tookMs)
      if (acceptedChannel.hasSubscribers) acceptedChannel.publish({ message, tookMs })
      outcomes?.accepted(json, acceptance)
      return { message, json: whole, sealed: json, ids, codec, accepted: acceptance }
    } catch (cause) {
      this.#failed++
      outcomes?.refused(json)
      const error = streamError('STREAM_FAILED', 'stream.publish: expected the message to be accepted', cause)
      if (failedChannel.hasSubscribers) failedChannel.publish({ message, error })
      throw error
    }
  }

  /** Returns the {@link Acceptance} in a stream's answer; undefined if the answer is anything else. */
  #acceptanceIn(answer: unknown): Acceptance | undefined | Promise<Acceptance | undefined> {
    if (!isPromiseLike(answer)) return acceptanceOf(answer)
    const { streamTimeoutMs } = this.#settings
    const acceptance = Promise.resolve(answer).then(acceptanceOf)
    const inTime = streamTimeoutMs === undefined ? acceptance : acceptedWithin(streamTimeoutMs, acceptance)
    // Use no signal here: its listener would take a twentieth of the time of a call.
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      inTime.then(resolve, reject).then(() => this.#waiting.delete(reject))
    })
  }

  /** Length of the longest message of a call without inputs, in bytes. A batch counts with its length per bundle. */
  get longest(): number {
    return this.#longest
  }

  /** Returns how many messages were accepted or failed, the latencies, and the stream's own statistics. */
  stats() {
    const [seal, accept] = [this.#sealing.stats(), this.#accepting.stats()]
    return { accepted: accept.count, failed: this.#failed, seal, accept, stream: this.#streamStats() }
  }

  /** Waits until the stream has received every message so far. */
  async handedOver(): Promise<void> {
    while (this.#queue) await this.#queue
  }

  /** Stops publishing. Messages that wait for the codec or the stream reject with `error`. */
  end(error: AlvariumError): void {
    this.#ended ??= error
    this.#ending.abort(this.#ended)
    for (const reject of this.#waiting) reject(this.#ended)
    this.#waiting.clear()
  }

  async close(): Promise<void> {
    const outcomes = await Promise.allSettled([closeCodec(this.#settings.codec), this.#closeStream()])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  async #closeStream(): Promise<void> {
    try {
      await this.#settings.stream.close?.()
    } catch (error) {
      throw failureOf('STREAM_FAILED', 'stream.close', error)
    }
  }

  /** Returns the stream's own statistics. Logs an exception instead of throwing it, because timers call this. */
  #streamStats(): StreamStats | undefined {
    const { stream, logger } = this.#settings
    try {
      const stats: unknown = stream.stats?.()
      ignoreRejection(stats)
      if (stats === undefined || hasFigures(stats)) return stats
      logger.warn({}, `stream.stats: expected figures, got ${describe(stats)}`)
    } catch (err) {
      logger.warn({ err }, `stream.stats: expected figures, got: ${textOf(err)}`)
    }
    return undefined
  }
}

function hasFigures(stats: unknown): stats is StreamStats {
  return typeof stats === 'object' && stats !== null && 'queued' in stats
}

async function acceptedWithin<T>(timeoutMs: number, acceptance: Promise<T>): Promise<T> {
  const answer = await within(acceptance, timeoutMs)
  if (answer !== TOO_LATE) return answer
  const got = `no answer within ${timeoutMs} ms`
  throw expected('STREAM_TIMEOUT', 'stream.publish', 'the message to be accepted', got)
}
