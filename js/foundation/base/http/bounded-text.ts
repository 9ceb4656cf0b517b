import { textOf } from '../errors.js'
import { onAbort } from '../time/abort.js'

/**
 * Reads the body of a response as UTF-8. When the signal aborts, this function cancels the body itself, because the
 * fetch may no longer listen to the signal (see `deadline`).
 *
 * @throws Error for more than `maxBytes` bytes; the signal's reason when the signal aborts
 */
export async function boundedText(
  { body }: Response,
  signal: AbortSignal,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body?.getReader()
  const end = onAbort(signal, () => void reader?.cancel(signal.reason).catch(() => {}))
  let text = ''
  let length = 0
  try {
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
      length += next.value.length
      if (length > maxBytes) throw new Error(`expected at most ${maxBytes} bytes, got more`)
      text += decoder.decode(next.value, { stream: true })
    }
    signal.throwIfAborted()
    return text + decoder.decode()
  } finally {
    end()
    await reader?.cancel().catch(() => {})
  }
}

/** Returns the reason why a fetch failed. `fetch` states the reason only in the cause of its error. */
export function fetchFault(error: unknown): string {
  return textOf((error as { cause?: unknown }).cause ?? error)
}
