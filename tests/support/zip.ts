import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from 'alvarium-sdk'
import { concat, textOf, utf8 } from './bytes.js'

// A second writer and reader of ZIP files, for tests: it also writes invalid ones.

export interface Entry {
  readonly name: string
  readonly content: Uint8Array
  /** Values for the directory, in place of the true ones. */
  readonly listed?: { readonly name?: string; readonly bytes?: number }
}

export const le = (bytes: number, value: number) =>
  Uint8Array.from({ length: bytes }, (_, at) => (value / 256 ** at) & 255)

/** Returns a CRC-32, computed bit by bit. */
export function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function described(name: string, content: Uint8Array, bytes = content.length): Uint8Array {
  const fixed = [le(2, 10), le(2, 0), le(2, 0), le(2, 0), le(2, 0x21), le(4, crcOf(content))]
  return concat(...fixed, le(4, bytes), le(4, bytes), le(2, utf8(name).length), le(2, 0))
}

/** Returns a ZIP file of these files, stored. */
export function zipOf(entries: readonly Entry[]): Uint8Array {
  const files: Uint8Array[] = []
  const rows: Uint8Array[] = []
  let at = 0
  for (const { name, content, listed } of entries) {
    const file = concat(utf8('PK\u0003\u0004'), described(name, content), utf8(name), content)
    const told = listed?.name ?? name
    const row = described(told, content, listed?.bytes)
    rows.push(
      concat(
        utf8('PK\u0001\u0002'),
        le(2, 10),
        row,
        le(2, 0),
        le(2, 0),
        le(2, 0),
        le(4, 0),
        le(4, at),
        utf8(told),
      ),
    )
    files.push(file)
    at += file.length
  }
  const directory = concat(...rows)
  const count = le(2, entries.length)
  const end = concat(
    utf8('PK\u0005\u0006'),
    le(4, 0),
    count,
    count,
    le(4, directory.length),
    le(4, at),
    le(2, 0),
  )
  return concat(...files, directory, end)
}

/** Returns the files of a ZIP file, by their headers. */
export function entriesOf(zip: Uint8Array): Entry[] {
  const view = new DataView(zip.buffer, zip.byteOffset)
  const entries: Entry[] = []
  for (let at = 0; view.getUint32(at, true) === 0x04034b50; ) {
    const [bytes, length] = [view.getUint32(at + 18, true), view.getUint16(at + 26, true)]
    const begin = at + 30 + length
    entries.push({ name: textOf(zip.subarray(at + 30, begin)), content: zip.slice(begin, begin + bytes) })
    at = begin + bytes
  }
  return entries
}

/** Returns the pack with its parts changed, and a fitting manifest: the work of a forger who knows the format. */
export function remade(pack: Uint8Array, change: (parts: Entry[]) => Entry[]): Uint8Array {
  const all = entriesOf(pack)
  const parts = change(all.slice(0, -1))
  const manifest = JSON.parse(textOf(all.at(-1)?.content as Uint8Array))
  manifest.parts = parts.map(({ name, content }) => ({
    bytes: content.length,
    name,
    sha256: toHex(sha256(content)),
  }))
  return zipOf([...parts, { name: 'manifest.json', content: utf8(JSON.stringify(manifest)) }])
}

export function partChanged(name: string, change: (text: string) => string) {
  return (parts: Entry[]): Entry[] =>
    parts.map((part) => (part.name === name ? { name, content: utf8(change(textOf(part.content))) } : part))
}
