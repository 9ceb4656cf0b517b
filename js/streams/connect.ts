import { AlvariumError, streamError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { limited } from '../base/timeout.js'
import type { StreamProvider } from './stream.js'

/** A stream to connect, and what ends the wait for it. */
interface Connecting {
  readonly stream: StreamProvider
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
  readonly connectTimeoutMs?: number | undefined
}

/**
 * Connects the stream, where it has to be.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` when it cannot be connected, `STREAM_TIMEOUT` when it is not within `connectTimeoutMs`;
 * and the signal's reason
 */
export async function connect({ stream, logger, signal, connectTimeoutMs }: Connecting): Promise<void> {
  const reason = () => {
    const text = `stream.connect: expected to connect, got no answer within ${connectTimeoutMs} ms`
    return new AlvariumError('STREAM_TIMEOUT', text)
  }
  await limited({ milliseconds: connectTimeoutMs, reason, signal }, async (ending) => {
    try {
      await stream.connect?.({ logger, signal: ending })
    } catch (error) {
      if (ending.aborted) throw ending.reason
      throw streamError('STREAM_UNREACHABLE', 'stream.connect: expected to connect', error)
    }
  })
}
