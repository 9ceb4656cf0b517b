import { fromBase64, toBase64 } from '../../foundation/base/bytes/base64.js'
import { malformed } from '../../foundation/base/errors.js'
import { readDecimal } from '../../foundation/base/text/text.js'
import { isHash } from '../logs/paths.js'

// Body of an add-checkpoint request: C2SP tlog-witness, https://c2sp.org/tlog-witness

/** Request to cosign a checkpoint, with a consistency proof from the checkpoint that the witness signed last. */
export interface AddCheckpoint {
  /** Size of the log that the witness signed last; 0 if it has signed none. */
  readonly old: number
  readonly path: readonly Uint8Array[]
  readonly note: string
}

export const ADD_CHECKPOINT = '/add-checkpoint'
/** Media type of an answer in which a witness states the size that it has signed. */
export const SIZE_TYPE = 'text/x.tlog.size'
const MAX_HASHES = 63

export function writeAddCheckpoint({ old, path, note }: AddCheckpoint): string {
  return `${[`old ${old}`, ...path.map(toBase64)].join('\n')}\n\n${note}`
}

export function readAddCheckpoint(body: string): AddCheckpoint {
  const end = body.indexOf('\n\n')
  const [first = '', ...lines] = body.slice(0, Math.max(0, end)).split('\n', MAX_HASHES + 2)
  const old = readDecimal(first.startsWith('old ') ? first.slice(4) : '')
  const path = lines.map(fromBase64)
  if (end < 0 || old === undefined || path.length > MAX_HASHES || !path.every(isHash)) {
    throw malformed(
      'body',
      `an old size, at most ${MAX_HASHES} hashes in base64, an empty line and a checkpoint`,
      'other lines',
    )
  }
  return { old, path, note: body.slice(end + 2) }
}
