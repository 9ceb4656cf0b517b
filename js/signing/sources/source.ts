import { isBytes } from '../../foundation/base/errors.js'
import {
  DIGEST,
  type Digestion,
  type PayloadSource,
  type SourceDigest,
} from '../../foundation/model/payload.js'

/** Returns whether a value is a source, by its members, because streams and blobs come from many realms. */
export function isSource(value: unknown): value is PayloadSource {
  if (typeof value !== 'object' || value === null || isBytes(value)) return false
  if (Symbol.asyncIterator in value || 'getReader' in value || DIGEST in value) return true
  return 'arrayBuffer' in value && 'slice' in value
}

/**
 * Returns the digest of a source. The code that reads sources is loaded on first use, because most programs do not need
 * it.
 *
 * @throws TypeError for a piece that is not a `Uint8Array`
 * @throws AlvariumError `PAYLOAD_INVALID` if the source cannot be read to its end, or with hash `none`; `QUEUE_FULL` if
 * too many sources are being read; and the signal's reason
 */
export async function digestSource(source: PayloadSource, digestion: Digestion): Promise<SourceDigest> {
  const { digestOf } = await import('./digest.js')
  return digestOf(source, digestion)
}
