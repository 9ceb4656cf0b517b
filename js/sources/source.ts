import { isBytes } from '../base/errors.js'
import { DIGESTED, type Digested, type Digestion, type PayloadSource } from '../model/payload.js'

/** Whether it is a source and no payload, by its shape: streams and blobs come from many realms and libraries. */
export function isSource(value: unknown): value is PayloadSource {
  if (typeof value !== 'object' || value === null || isBytes(value)) return false
  if (Symbol.asyncIterator in value || 'getReader' in value || DIGESTED in value) return true
  return 'arrayBuffer' in value && 'slice' in value
}

/**
 * The digest of a source. What reads one is loaded when the first is given: most programs never do.
 *
 * @throws TypeError for a piece that is no `Uint8Array`
 * @throws AlvariumError `PAYLOAD_INVALID` when it cannot be read to its end, or with hash `none`; `QUEUE_FULL` when too many are being
 * read; and the signal's reason
 */
export async function digested(source: PayloadSource, digestion: Digestion): Promise<Digested> {
  const { digestOf } = await import('./digest.js')
  return digestOf(source, digestion)
}
