import { textOf } from '../errors.js'

/** Returns the reason why a fetch failed: its error has that in its own cause alone. */
export function fetchFault(error: unknown): string {
  return textOf((error as { cause?: unknown }).cause ?? error)
}
