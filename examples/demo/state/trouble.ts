import type { Trouble } from '../protocol.ts'
import { CallFailed } from './link.ts'

/** Returns why a call of a worker failed. */
export function troubleIn(error: unknown): Trouble {
  if (error instanceof CallFailed) return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) }
}
