import { AlvariumError } from '../../base/errors.js'
import type { RecordFormat } from '../../records/read.js'
import { invalid } from '../fault.js'
import { formatOf, payloadsOf } from '../input/payloads.js'
import { allOf, sourceOf } from '../input/source.js'
import { Unreadable } from '../input/unreadable.js'
import type { Input } from '../session.js'
import { AskedPayload } from './asked-payload.js'

/** What messages should be about, as it was asked for. */
export interface PayloadOptions {
  readonly payload?: string
  readonly format?: RecordFormat
  readonly chunkBytes: number
}

/**
 * A payload with all that `annotate` would take out of it.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it cannot be read, or not in the format that was asked for
 */
export async function openPayload(
  path: string,
  { format, chunkBytes }: PayloadOptions,
  input: Input,
): Promise<AskedPayload> {
  const source = sourceOf(path, input)
  const bytes = await allOf(source).catch((error) => {
    throw error instanceof Unreadable ? invalid('--payload', error.expected, error.got) : error
  })
  const cut = { format: format ?? formatOf(source), chunkBytes, isGrowing: false }
  if (cut.format === 'whole') return new AskedPayload(bytes)
  try {
    const again = { name: source.name, bytes: () => once(bytes) }
    const records: Uint8Array[] = []
    for await (const record of payloadsOf(again, cut)) records.push(record)
    return new AskedPayload(bytes, records)
  } catch (error) {
    // It may have been annotated as a whole, whatever its name says.
    if (format !== undefined || !(error instanceof AlvariumError)) throw error
    return new AskedPayload(bytes, [], error.message)
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}
