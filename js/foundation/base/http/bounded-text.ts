import { textOf } from '../errors.js'
import { onAbort } from '../time/abort.js'

/**
 * Reads the body of a response, in UTF-8. It listens to the signal itself, because the fetch may have
 * forgotten it (see `deadline`), and would continue to read.
 *
 * @throws Error for more than `most` bytes; the signal's reason
 */
export async function boundedText({ body }: Response, signal: AbortSignal, most: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body?.getReader()
  const end = onAbort(signal, () => void reader?.cancel(signal.reason).catch(() => {}))
  let text = ''
  let length = 0
  try {
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
      length += next.value.length
      if (length > most) throw new Error(`expected at most ${most} bytes, got more`)
      text += decoder.decode(next.value, { stream: true })
    }
    signal.throwIfAborted()
    return text + decoder.decode()
  } finally {
    end()
    await reader?.cancel().catch(() => {})
  }
}

/** Returns the reason why a fetch failed, which only the cause of its error has. */
export function fetchFault(error: unknown): string {
  return textOf((error as { cause?: unknown }).cause ?? error)
}
