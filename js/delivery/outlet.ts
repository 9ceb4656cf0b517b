import { AlvariumError, streamError } from '../base/errors.js'
import { Latency } from '../base/latency.js'
import { TOO_LATE, within } from '../base/timeout.js'
import { closeCodec, encoded } from '../codecs/checked.js'
import type { Codec } from '../codecs/codec.js'
import { accepted, failed, sealed } from '../diagnostics/channels.js'
import type { StreamProvider } from '../streams/stream.js'
import type { Publish } from './delivery.js'

/** Where sealed messages go. */
export interface OutletSettings {
  readonly codec: Codec
  readonly stream: StreamProvider
  readonly streamTimeoutMs?: number | undefined
}

/** The way out: encodes what was sealed, hands it to the stream, and keeps count. */
export class Outlet {
  readonly #settings: OutletSettings
  readonly #sealing = new Latency()
  readonly #accepting = new Latency()
  #failed = 0

  constructor(settings: OutletSettings) {
    this.#settings = settings
  }

  readonly publish: Publish = async ({ json, ids }, sealedMs, signal) => {
    const { codec, stream, streamTimeoutMs } = this.#settings
    this.#sealing.record(sealedMs)
    const message = encoded(codec, json)
    if (sealed.hasSubscribers) sealed.publish({ message, tookMs: sealedMs })
    const { contentType } = codec
    const since = performance.now()
    try {
      const answer = stream.publish(message, signal ? { signal, contentType } : { contentType })
      const word = await (streamTimeoutMs === undefined ? answer : inTime(answer, streamTimeoutMs))
      const tookMs = performance.now() - since
      this.#accepting.record(tookMs)
      if (accepted.hasSubscribers) accepted.publish({ message, tookMs })
      return { message, json, ids, codec, accepted: word }
    } catch (cause) {
      this.#failed++
      const error = streamError(
        'STREAM_REFUSED',
        'stream.publish: expected the message to be accepted',
        cause,
      )
      if (failed.hasSubscribers) failed.publish({ message, error })
      throw error
    }
  }

  /** What has become of messages so far, and what the stream says of itself. */
  stats() {
    const [seal, accept] = [this.#sealing.stats(), this.#accepting.stats()]
    const stream = this.#settings.stream.stats?.()
    return { accepted: accept.count, failed: this.#failed, seal, accept, stream }
  }

  /** Closes the codec, and then the stream, which may still take its time. */
  async close(): Promise<void> {
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
    }
  }
}

/** What the stream answers. Throws `STREAM_TIMEOUT` when it does not do so in time. */
async function inTime(answer: unknown, timeoutMs: number): Promise<unknown> {
  const word = await within(Promise.resolve(answer), timeoutMs)
  if (word !== TOO_LATE) return word
  const text = `stream.publish: expected the message to be accepted, got no answer within ${timeoutMs} ms`
  throw new AlvariumError('STREAM_TIMEOUT', text)
}
