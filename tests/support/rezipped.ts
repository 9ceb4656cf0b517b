import { deflateRawSync } from 'node:zlib'
import { concat, utf8 } from './bytes.js'
import { crcOf, type Entry, le } from './zip.js'

/** Returns a ZIP file of the same files, as other programs write one: compressed, and with the time at which it was written. */
export function rezipped(entries: readonly Entry[], method: 'stored' | 'deflated' = 'deflated'): Uint8Array {
  const files: Uint8Array[] = []
  const rows: Uint8Array[] = []
  let at = 0
  for (const { name, content } of entries) {
    const packed = method === 'stored' ? content : new Uint8Array(deflateRawSync(content))
    const described = concat(
      ...[le(2, 20), le(2, 0), le(2, method === 'stored' ? 0 : 8), le(2, 0x6a21), le(2, 0x5d7c)],
      ...[
        le(4, crcOf(content)),
        le(4, packed.length),
        le(4, content.length),
        le(2, utf8(name).length),
        le(2, 0),
      ],
    )
    const file = concat(utf8('PK\u0003\u0004'), described, utf8(name), packed)
    const rest = [le(2, 0), le(2, 0), le(2, 0), le(4, 0), le(4, at), utf8(name)]
    rows.push(concat(utf8('PK\u0001\u0002'), le(2, 20), described, ...rest))
    files.push(file)
    at += file.length
  }
  const directory = concat(...rows)
  const count = le(2, entries.length)
  const end = [le(4, 0), count, count, le(4, directory.length), le(4, at), le(2, 0)]
  return concat(...files, directory, utf8('PK\u0005\u0006'), ...end)
}
