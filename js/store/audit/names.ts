import { toHex } from '../../foundation/base/bytes/hex.js'
import type { Input } from '../../foundation/model/bundle.js'
import type { Row } from '../database/connection.js'
import { bytesIn, optionalNumberIn } from '../rows/columns.js'
import { datumName } from '../rows/payload-name.js'

/** Returns a text with the expected columns of a payload in `datum`, to compare with the text of {@link datumIn}. */
export function datumText(name: Input): string {
  const { hash, digest, text } = datumName(name)
  return shownDatum(hash, digest, text)
}

/** Returns a text with a payload's columns `hash`, `digest` and `text`, or undefined if there is no row. */
export function datumIn(row: Row, prefix: string): string | undefined {
  const hash = optionalNumberIn(row, `${prefix}hash`)
  if (hash === undefined) return undefined
  const text = row[`${prefix}text`] === null ? undefined : bytesIn(row, `${prefix}text`)
  return shownDatum(hash, toHex(bytesIn(row, `${prefix}digest`)).toUpperCase(), text)
}

function shownDatum(hash: number, digest: string, text: Uint8Array | undefined): string {
  return `hash ${hash} ${digest}${text ? `, the text ${textOf(text)}` : ''}`
}

/** Decodes UTF-8, or shows bytes that an alteration made invalid. Returns different texts for different bytes. */
export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return `the bytes ${toHex(bytes)}`
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
