import type { Trouble } from '../protocol.ts'
import { CallFailed } from './link.ts'

/** Converts the error of a call to a {@link Trouble}. */
export function troubleIn(error: unknown): Trouble {
  if (error instanceof CallFailed) return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) }
}
