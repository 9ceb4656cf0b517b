import { malformed } from '../../foundation/base/errors.js'
import { quoteLine } from './note.js'

/** Beginning of the origin of a run's log: no other signed bytes begin with it. */
const ORIGIN = 'checkpoint.alvarium/1/'

/** A run of a signing key, which has a log of its own. */
export interface RunOrigin {
  /** Key id. */
  readonly signer: string
  /** 32 hexadecimal digits. */
  readonly run: string
}

/** Returns the first line of a run's checkpoints, which is also the name by which they are signed. */
export function originOf(signer: string, run: string): string {
  return `${ORIGIN}${signer}/${run}`
}

/** Reads the name of a run's log; undefined for another log. */
export function runOriginIn(origin: string): RunOrigin | undefined {
  const [, signer, run] = /^checkpoint\.alvarium\/1\/([\da-f]{32})\/([\da-f]{32})$/.exec(origin) ?? []
  return signer !== undefined && run !== undefined ? { signer, run } : undefined
}

/**
 * Reads who signed a checkpoint, and in which run, by the first line of its text. Nothing else of it is read.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function originIn(text: string): RunOrigin {
  const first = text.slice(0, text.indexOf('\n'))
  const found = runOriginIn(first)
  if (found) return found
  throw malformed('origin', `${ORIGIN}<key id>/<run>`, quoteLine(first))
}
