import { keyOf } from 'alvarium-sdk'
import type { SetItem } from 'alvarium-sdk/sets'
import { join } from '../../foundation/base/bytes/join.js'
import { conflicts } from '../../foundation/base/errors.js'
import { withoutLineEnd } from '../../foundation/base/text/text.js'
import { recordsOf } from '../check/messages.js'
import { invalid } from '../fault.js'
import type { FormatOptions } from '../input/payloads.js'
import { peek } from '../input/peek.js'
import { MAX_IN_MEMORY } from '../input/source.js'
import type { Session } from '../session.js'
import { piecesOf } from './files.js'

export interface AskOptions extends FormatOptions {
  readonly payloadKey?: boolean
  readonly record?: number
  readonly expect?: 'member' | 'absent'
  readonly salt?: string
}

export interface AskedPayload {
  readonly name: string
  readonly item: SetItem
  /** Bytes of the payload; undefined if only the payload key is known, or if the payload is too long for memory. */
  readonly bytes?: Uint8Array
}

export async function askedPayload(
  argument: string,
  options: AskOptions,
  session: Session,
): Promise<AskedPayload> {
  const { payloadKey, record } = options
  if (record !== undefined) {
    if (payloadKey) throw conflicts('--record', '--payload-key')
    return recordIn(argument, record, options, session)
  }
  return payloadKey ? { name: 'it', item: argument } : wholeOf(argument, session)
}

async function recordIn(
  path: string,
  number: number,
  options: AskOptions,
  session: Session,
): Promise<AskedPayload> {
  const name = `record ${number}`
  let last = 0
  for await (const record of recordsOf(path, options, session)) {
    last = record.number
    if (last !== number) continue
    if ('keyFor' in record) return { name, item: await record.keyFor('sha256') }
    return { name, item: record.bytes, bytes: record.bytes }
  }
  throw invalid('--record', `1 to ${last}, the number of a record`, `${number}`)
}

/** Reads a file as one payload. Hashes a long one while reading, because it may exceed memory. */
async function wholeOf(path: string, session: Session): Promise<AskedPayload> {
  const isLong = (_: Uint8Array, length: number) => length > MAX_IN_MEMORY
  const { head, hasEnded, bytes } = await peek(piecesOf(path, session), isLong)
  if (!hasEnded) return { name: 'it', item: await keyOf(bytes) }
  const payload = join(head).bytes
  return { name: 'it', item: payload, bytes: payload }
}

interface Variant {
  readonly how: 'without its line end' | 'with a line end'
  readonly bytes: Uint8Array
}

/**
 * Returns the payload without its line end, or with one if it has none. A record that `sed` or `head` copied
 * from a file has a line end; a signed record has none.
 */
export function variantsOf({ bytes }: Pick<AskedPayload, 'bytes'>): Variant[] {
  if (!bytes) return []
  const without = withoutLineEnd(bytes)
  if (without.length < bytes.length) return [{ how: 'without its line end', bytes: without }]
  return ['\n', '\r\n'].map((end) => ({
    how: 'with a line end',
    bytes: Buffer.concat([bytes, Buffer.from(end)]),
  }))
}
