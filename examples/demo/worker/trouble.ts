import type { Trouble } from '../protocol.ts'

/** An error as it crosses. Told by its code and not by its class: the page has no SDK, and needs none. */
export function troubleOf(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
  return { code, message }
}
