import { crc32 } from '../../../foundation/base/bytes/checksum.js'
import { toHex } from '../../../foundation/base/bytes/hex.js'
import { isSame } from '../../../foundation/base/bytes/same.js'
import { AlvariumError, assertBytes, expected, malformed } from '../../../foundation/base/errors.js'
import { sourceTurns } from '../../../foundation/base/time/turns.js'
import type { PayloadSource, SourceOptions } from '../../../foundation/model/payload.js'
import { SourceHasher } from '../../../signing/sources/hasher.js'
import type { ReadableSource } from '../../../signing/sources/pieces.js'
import { SourceReading } from '../../../signing/sources/reading.js'
import type { PackPart } from './pack-writer.js'
import { maxPartBytes, mayFollow } from './parts.js'
import {
  ENTRY_SIGNATURE,
  endBytes,
  endOf,
  HEADER_BYTES,
  headerOf,
  isFromOtherZipWriter,
  readHeader,
  type ZipEntry,
} from './zip.js'

export interface ReadPart extends PackPart {
  readonly content: Uint8Array
}

/**
 * Yields the parts of a pack in order, one at a time. At the end, compares the directory of the ZIP file with
 * the parts, because other tools rely on the directory.
 *
 * @throws AlvariumError `PACK_UNREADABLE` for a file that is not a ZIP file as the SDK writes it;
 * `MESSAGE_MALFORMED` for an altered pack; `PAYLOAD_INVALID` for a source that cannot be read; the signal's
 * reason
 * @param maxBytes - maximum length of the pack in bytes; reading stops at this limit
 */
export async function* partsOf(
  source: PayloadSource | Uint8Array,
  options: SourceOptions,
  maxBytes: number,
): AsyncGenerator<ReadPart, void> {
  const bytes = new ByteReader(source, options, maxBytes)
  try {
    const entries: ZipEntry[] = []
    for (;;) {
      const at = bytes.position
      const header = await headerIn(bytes, entries)
      if (readHeader(header).signature !== ENTRY_SIGNATURE) {
        if (entries.length === 0) throw notZipError('another file')
        await assertEnd(bytes, header, entries, at)
        return
      }
      // Check only the first header, because a program that rewrites the pack rewrites its first header, too.
      if (entries.length === 0 && isFromOtherZipWriter(header)) throw rewrittenError()
      const { entry, content, sha256 } = await entryOf(bytes, header, at, entries.at(-1))
      entries.push(entry)
      await sourceTurns.yieldIfDueLong()
      yield { name: entry.name, bytes: entry.bytes, sha256, content }
    }
  } finally {
    bytes.close()
  }
}

/** @throws AlvariumError `PACK_UNREADABLE` without a first header, `MESSAGE_MALFORMED` for a cut-off file */
async function headerIn(bytes: ByteReader, entries: readonly ZipEntry[]): Promise<Uint8Array> {
  try {
    return await bytes.take(HEADER_BYTES, 'its directory')
  } catch (error) {
    const isShort =
      entries.length === 0 && error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED'
    throw isShort && bytes.isDone ? notZipError('a file that is too short') : error
  }
}

function notZipError(got: string): AlvariumError {
  return expected('PACK_UNREADABLE', 'pack', 'a ZIP file', got)
}

/**
 * Returns the error for a pack that another program, such as a mail client, unpacked and packed again. The
 * original bytes are lost.
 */
function rewrittenError(): AlvariumError {
  const got =
    'a ZIP file that another program has rewritten, so that its evidence cannot be compared byte for byte'
  return expected('PACK_UNREADABLE', 'pack', 'the ZIP file as it was made', got)
}

const MAX_NAME_BYTES = 64

async function entryOf(bytes: ByteReader, header: Uint8Array, at: number, before: ZipEntry | undefined) {
  const { nameBytes, bytes: length, crc } = readHeader(header)
  if (nameBytes > MAX_NAME_BYTES)
    throw malformed('pack', `part names of at most ${MAX_NAME_BYTES} bytes`, `a name of ${nameBytes} bytes`)
  const name = new TextDecoder().decode(await bytes.take(nameBytes, 'the name of a part'))
  assertName(name, before)
  const maxBytes = maxPartBytes(name)
  if (length > maxBytes) throw malformed('pack', `at most ${maxBytes} bytes in ${name}`, `${length}`)
  const content = await bytes.take(length, `the ${length} bytes of ${name}`)
  const entry: ZipEntry = { name, bytes: length, crc, at }
  if (!isSame(headerOf(entry).subarray(0, HEADER_BYTES), header)) {
    throw malformed('pack', `${name} without compression or optional header fields`, 'another header')
  }
  const sums = await checksumsOf(content)
  if (sums.crc !== crc)
    throw new AlvariumError('MESSAGE_MALFORMED', `pack: ${name} does not match its checksum: it was altered`)
  return { entry, content, sha256: sums.sha256 }
}

/** Number of bytes of a part that are hashed in one step. */
const STEP_BYTES = 262_144

/** Computes the CRC-32 and the SHA-256 in steps, because a line can be 16 MiB long. */
async function checksumsOf(content: Uint8Array): Promise<{ readonly crc: number; readonly sha256: string }> {
  const hasher = new SourceHasher('sha256')
  try {
    let crc = 0
    for (let at = 0; at < content.length; at += STEP_BYTES) {
      const step = content.subarray(at, at + STEP_BYTES)
      crc = crc32(step, 0, step.length, crc)
      await hasher.add(step)
    }
    return { crc, sha256: toHex(hasher.finish().digest) }
  } finally {
    hasher.free()
  }
}

/**
 * Asserts that a part of this name may come next. The error quotes the name, because it may contain terminal
 * sequences.
 */
function assertName(name: string, before: ZipEntry | undefined): void {
  if (mayFollow(name, before)) return
  const place = before
    ? `a part that may follow ${before.name} of ${before.bytes} bytes`
    : 'a part that may come first'
  throw malformed('pack', place, JSON.stringify(name))
}

/** Asserts that the rest of the file is the directory of the parts that were read. */
async function assertEnd(bytes: ByteReader, begun: Uint8Array, entries: readonly ZipEntry[], at: number) {
  const end = endOf(entries, at)
  const rest = await bytes.take(Math.max(0, endBytes(entries) - begun.length), 'its directory')
  const isGood =
    isSame(begun, end.subarray(0, begun.length)) &&
    isSame(rest, end.subarray(begun.length)) &&
    (await bytes.isAtEnd())
  if (!isGood) throw malformed('pack', 'the directory of its parts at its end', 'other bytes')
}

/** Initial size of a buffer in bytes. It doubles while more bytes arrive. */
const FIRST_BYTES = 65_536

function growBuffer(bytes: Uint8Array, least: number, maxLength: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(maxLength, Math.max(least, 2 * bytes.length)))
  larger.set(bytes)
  return larger
}

class ByteReader {
  readonly #reading: SourceReading
  readonly #maxBytes: number
  #piece: Uint8Array = new Uint8Array(0)
  position = 0
  isDone = false

  constructor(source: PayloadSource | Uint8Array, options: SourceOptions, maxBytes: number) {
    this.#maxBytes = maxBytes
    const readable = ArrayBuffer.isView(source) ? new Blob([source as Uint8Array<ArrayBuffer>]) : source
    this.#reading = new SourceReading(readable as ReadableSource, options)
  }

  /** Returns the next bytes. @throws AlvariumError `MESSAGE_MALFORMED` if the source has fewer */
  async take(count: number, expectation: string): Promise<Uint8Array> {
    // Start with a small buffer, because the length in a header is only a claim until the bytes have arrived.
    let bytes = new Uint8Array(Math.min(count, FIRST_BYTES))
    let missing = count
    if (this.position + count > this.#maxBytes)
      throw malformed('pack', `at most ${this.#maxBytes} bytes`, 'more')
    while (missing > 0) {
      if (this.#piece.length === 0 && !(await this.#next())) {
        throw malformed('pack', expectation, `${count - missing} bytes and the end of the pack`)
      }
      const chunk = this.#piece.subarray(0, missing)
      this.#piece = this.#piece.subarray(chunk.length)
      // Copy into one buffer, because a source may reuse the memory of its pieces, or yield very many pieces.
      const length = count - missing
      if (length + chunk.length > bytes.length) bytes = growBuffer(bytes, length + chunk.length, count)
      bytes.set(chunk, length)
      missing -= chunk.length
    }
    this.position += count
    this.#reading.reportBytes(this.position)
    return bytes
  }

  async isAtEnd(): Promise<boolean> {
    if (this.#piece.length > 0 || (await this.#next())) return false
    this.#reading.end(this.position)
    return true
  }

  close(): void {
    if (!this.isDone) this.#reading.cancel(undefined)
  }

  /** Reads the next non-empty piece; returns false at the end. Yields, because `await` alone lets no timers run. */
  async #next(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#reading.next()
      if (done) {
        this.isDone = true
        return false
      }
      assertBytes(value, 'pack: each piece')
      this.#piece = value
      const turn = sourceTurns.yieldIfDueLong()
      if (turn) await turn
      if (value.length > 0) return true
    }
  }
}
