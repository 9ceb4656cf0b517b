import type { Trouble } from '../protocol.ts'

/** Converts an error for the page, which does not load the SDK and its error classes. */
export function troubleOf(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
  return { code, message }
}
