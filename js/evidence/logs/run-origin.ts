import { malformed } from '../../foundation/base/errors.js'
import { quoteLine } from './note.js'

/** Beginning of the origin of a run's log. No other signed bytes begin with this text. */
const ORIGIN = 'checkpoint.alvarium/1/'

export interface RunOrigin {
  readonly signer: string
  /** Run id: 32 hexadecimal digits. */
  readonly run: string
}

/** Returns the origin of a run's log: the first line of its checkpoints, and the name of its key in notes. */
export function originOf(signer: string, run: string): string {
  return `${ORIGIN}${signer}/${run}`
}

/** Reads the origin of a run's log. Returns undefined for a log that is not a run's. */
export function runOriginIn(origin: string): RunOrigin | undefined {
  const [, signer, run] = /^checkpoint\.alvarium\/1\/([\da-f]{32})\/([\da-f]{32})$/.exec(origin) ?? []
  return signer !== undefined && run !== undefined ? { signer, run } : undefined
}

/**
 * Reads the signer and the run of a checkpoint from the first line of its text, and nothing else.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function originIn(text: string): RunOrigin {
  const first = text.slice(0, text.indexOf('\n'))
  const found = runOriginIn(first)
  if (found) return found
  throw malformed('origin', `${ORIGIN}<key id>/<run>`, quoteLine(first))
}
