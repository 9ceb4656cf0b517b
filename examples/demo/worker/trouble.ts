import type { Trouble } from '../protocol.ts'

/**
 * Returns an error in a form that passes to the page. Uses its code and not its class, because the page does not load
 * the SDK.
 */
export function troubleOf(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
  return { code, message }
}
