import { textOf } from '../errors.js'

/** Returns the reason why a fetch failed, which only the cause of its error has. */
export function fetchFault(error: unknown): string {
  return textOf((error as { cause?: unknown }).cause ?? error)
}
