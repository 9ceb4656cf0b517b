import { join } from './bytes/join.js'
import { expected } from './errors.js'
import { onAbort } from './time/abort.js'

/**
 * Reads the body of a response to a fetch, and at most so many bytes of it, decoded as fetch does. The signal ends that: the fetch may
 * have forgotten its own by now, and would go on reading.
 *
 * @throws AlvariumError `BODY_TOO_LARGE`; the reason of the signal
 */
export async function boundedBody(
  { body }: Response,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reader = body?.getReader()
  const end = onAbort(signal, () => void reader?.cancel(signal.reason).catch(() => {}))
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
      length += next.value.length
      if (length > mostBytes) throw expected('BODY_TOO_LARGE', 'body', `at most ${mostBytes} bytes`, 'more')
      pieces.push(next.value)
    }
    signal.throwIfAborted()
    return join(pieces).bytes
  } finally {
    end()
    await reader?.cancel().catch(() => {})
  }
}
