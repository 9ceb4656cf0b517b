import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { join } from '../../foundation/base/bytes/join.js'
import { codeOf } from '../../foundation/base/errors.js'
import { Unreadable } from './files.js'
import { peek } from './peek.js'
import type { InputSource } from './source.js'

/** Compression format, recognized by the first bytes of a file (RFC 1952 §2.3.1, RFC 8878 §3.1.1). */
interface Compression {
  readonly name: string
  readonly magic: readonly number[]
  /** Function that creates the decoder; undefined if this Node.js version lacks it. */
  readonly decoder: (() => zlib.Gunzip) | undefined
}

const COMPRESSIONS: readonly Compression[] = [
  { name: 'gzip', magic: [0x1f, 0x8b], decoder: () => zlib.createGunzip() },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], decoder: Reflect.get(zlib, 'createZstdDecompress') },
]
const MAGIC_BYTES = 4

/**
 * Limit against decompression bombs: the output may have this many times the input's bytes, plus {@link
 * MAX_START_BYTES}. Messages and records expand 5 to 30 times, bombs 1,000 times.
 */
export const MAX_EXPANSION = 200
export const MAX_START_BYTES = 64 * 1024 * 1024

export function uncompressedName(path: string): string {
  return path.replace(/\.(gz|zst)$/i, '')
}

/**
 * Decompresses a gzip or zstd source piece by piece. Passes other sources through unchanged.
 *
 * @throws Unreadable if the source is damaged or expands beyond the limit
 */
export async function* unpack({ name, bytes }: InputSource): AsyncGenerator<Uint8Array, void> {
  const counts = { packed: 0, end: 0 }
  const { head, bytes: whole } = await peek(count(bytes(), counts), (_, length) => length >= MAGIC_BYTES)
  const start = join(head).bytes
  const compression = COMPRESSIONS.find(({ magic }) => magic.every((byte, at) => start[at] === byte))
  if (!compression) return yield* whole
  if (!compression.decoder)
    throw new Unreadable(name, 'a file that can be unpacked', `${compression.name}: use Node 22.15 or later`)
  const decoder = compression.decoder()
  const damaged = () => new Unreadable(name, `a whole file of ${compression.name}`, 'a damaged file')
  let length = 0
  try {
    for await (const piece of pipeline(whole, decoder, () => {})) {
      length += piece.length
      if (length > MAX_START_BYTES + MAX_EXPANSION * counts.packed) throw tooLong(name)
      yield piece
    }
  } catch (error) {
    throw isDamage(error) ? damaged() : error
  }
  // Refuse data after zero padding, where Node.js stops but other programs read the next gzip member.
  if (compression.name === 'gzip' && counts.end > decoder.bytesWritten) throw damaged()
}

function tooLong(name: string): Unreadable {
  return new Unreadable(
    name,
    `a file that unpacks to at most ${MAX_EXPANSION} times its length`,
    'a longer file: unpack it first',
  )
}

function isDamage(error: unknown): boolean {
  return /^(Z_|ZSTD_)/.test(String(codeOf(error)))
}

async function* count(
  pieces: AsyncIterable<Uint8Array>,
  counts: PackedCounts,
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    let length = piece.length
    while (length > 0 && piece[length - 1] === 0) length--
    if (length > 0) counts.end = counts.packed + length
    counts.packed += piece.length
    yield piece
  }
}

/** Number of compressed bytes read, and the number up to the last byte that is not zero. */
interface PackedCounts {
  packed: number
  end: number
}
