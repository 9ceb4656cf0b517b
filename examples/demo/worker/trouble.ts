import type { Trouble } from '../protocol.ts'

/**
 * Converts an error to a form that the page can receive. Uses its code instead of its class, because the page
 * does not load the SDK.
 */
export function troubleOf(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
  return { code, message }
}
