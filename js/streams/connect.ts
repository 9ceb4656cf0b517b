import { unlessAborted } from '../base/abort.js'
import { expected, streamError } from '../base/errors.js'
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
export async function connect(connecting: Connecting): Promise<void> {
  const { signal, connectTimeoutMs } = connecting
  if (connectTimeoutMs === undefined) return unlessAborted(connected(connecting, signal), signal)
  const got = `no answer within ${connectTimeoutMs} ms`
  const reason = () => expected('STREAM_TIMEOUT', 'stream.connect', 'to connect', got)
  const limits = { milliseconds: connectTimeoutMs, reason, signal }
  await limited(limits, (ending) => connected(connecting, ending))
}

async function connected({ stream, logger }: Connecting, ending?: AbortSignal): Promise<void> {
  try {
    await stream.connect?.({ logger, ...(ending && { signal: ending }) })
  } catch (error) {
    if (ending?.aborted) throw ending.reason
    throw streamError('STREAM_UNREACHABLE', 'stream.connect: expected to connect', error)
  }
}
