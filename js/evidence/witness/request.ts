import { fromBase64, toBase64 } from '../../foundation/base/bytes/base64.js'
import { malformed } from '../../foundation/base/errors.js'
import { readDecimal } from '../../foundation/base/text/text.js'
import { isHash } from '../logs/paths.js'

// C2SP tlog-witness, https://c2sp.org/tlog-witness: the body of add-checkpoint

/** A checkpoint, and how it grew from the one that the witness has signed. */
export interface AddCheckpoint {
  /** Size of the log that the witness has signed before; 0 for none. */
  readonly old: number
  /** RFC 9162 §2.1.4, from `old` to the size of the checkpoint. */
  readonly path: readonly Uint8Array[]
  /** The signed note. */
  readonly note: string
}

/** Path of the requests, behind the URL of a witness. */
export const ADD_CHECKPOINT = '/add-checkpoint'
/** The media type of the size with which a witness answers. */
export const SIZE_TYPE = 'text/x.tlog.size'
/** Hashes of a path. */
const MAX_HASHES = 63

/** Writes the body of a request. */
export function writeAddCheckpoint({ old, path, note }: AddCheckpoint): string {
  return `${[`old ${old}`, ...path.map(toBase64)].join('\n')}\n\n${note}`
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
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
