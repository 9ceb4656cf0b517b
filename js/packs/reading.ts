import { crc32 } from '../base/bytes/checksum.js'
import { toHex } from '../base/bytes/hex.js'
import { isSame } from '../base/bytes/same.js'
import { AlvariumError, assertBytes, expected, malformed } from '../base/errors.js'
import { sourceTurns } from '../base/time/turns.js'
import type { PayloadSource, SourceOptions } from '../model/payload.js'
import { SourceHasher } from '../sources/hasher.js'
import type { ReadableSource } from '../sources/pieces.js'
import { SourceReading } from '../sources/reading.js'
import { longestPart, mayFollow } from './parts.js'
import type { PackPart } from './writing.js'
import {
  ENTRY_SIGNATURE,
  endBytes,
  endOf,
  HEADER_BYTES,
  headerOf,
  isOfAnotherWriter,
  readHeader,
  type ZipEntry,
} from './zip.js'

/** A part as it was read. */
export interface ReadPart extends PackPart {
  readonly content: Uint8Array
}

/**
 * The parts of a pack, in the order in which they stand in it, one at a time. The directory of the ZIP file, which other tools go by, is
 * not believed: it is written again from what was read, and has to be the same.
 *
 * @throws AlvariumError `PACK_UNREADABLE` for what is no ZIP file as we write one, `MESSAGE_MALFORMED` for what was altered, `PAYLOAD_INVALID` for a source that cannot be read; the signal's reason
 * @param maxBytes - what is longer is refused, before more of it is read
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
        if (entries.length === 0) throw notZip('something else')
        await assertEnd(bytes, header, entries, at)
        return
      }
      // A program that writes it anew writes the first header, too.
      if (entries.length === 0 && isOfAnotherWriter(header)) throw rewritten()
      const { entry, content, sha256 } = await entryOf(bytes, header, at, entries.at(-1))
      entries.push(entry)
      await sourceTurns.takeLong()
      yield { name: entry.name, bytes: entry.bytes, sha256, content }
    }
  } finally {
    bytes.close()
  }
}

/** Names the fault: a file shorter than a header is no ZIP file; behind a part, it was cut off. */
async function headerIn(bytes: ByteReader, entries: readonly ZipEntry[]): Promise<Uint8Array> {
  try {
    return await bytes.take(HEADER_BYTES, 'its directory')
  } catch (error) {
    const isShort =
      entries.length === 0 && error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED'
    throw isShort && bytes.isDone ? notZip('fewer bytes than it begins with') : error
  }
}

function notZip(got: string): AlvariumError {
  return expected('PACK_UNREADABLE', 'pack', 'a ZIP file', got)
}

/** Tells a container that was written again. Mail programs and file managers do so: the bytes of the evidence cannot be compared any more. */
function rewritten(): AlvariumError {
  const got =
    'one that another program has written anew, so that the evidence in it could not be compared byte for byte'
  return expected('PACK_UNREADABLE', 'pack', 'the ZIP file as it was made', got)
}

const LONGEST_NAME = 64

async function entryOf(bytes: ByteReader, header: Uint8Array, at: number, before: ZipEntry | undefined) {
  const { nameBytes, bytes: length, crc } = readHeader(header)
  if (nameBytes > LONGEST_NAME)
    throw malformed(
      'pack',
      `names of at most ${LONGEST_NAME} bytes for its parts`,
      `one of ${nameBytes} bytes`,
    )
  const name = new TextDecoder().decode(await bytes.take(nameBytes, 'the name of a part'))
  assertName(name, before)
  const most = longestPart(name)
  if (length > most) throw malformed('pack', `at most ${most} bytes in ${name}`, `${length}`)
  const content = await bytes.take(length, `the ${length} bytes of ${name}`)
  const entry: ZipEntry = { name, bytes: length, crc, at }
  if (!isSame(headerOf(entry).subarray(0, HEADER_BYTES), header)) {
    throw malformed('pack', `${name} without compression and optional fields`, 'another header')
  }
  const sums = await checksumsOf(content)
  if (sums.crc !== crc) throw malformed('pack', `the checksum of ${name}`, 'another: it was altered')
  return { entry, content, sha256: sums.sha256 }
}

/** Bytes of a part that are hashed in one step. */
const STEP_BYTES = 262_144

/** Computes both checksums of a part in steps: a line may have 16 MiB. */
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

/** Names are few: what else stands there is not shown as it is, as it may be sequences for a terminal. */
function assertName(name: string, before: ZipEntry | undefined): void {
  if (mayFollow(name, before)) return
  const place = before
    ? `a part that may follow ${before.name} of ${before.bytes} bytes`
    : 'a part that may come first'
  throw malformed('pack', place, JSON.stringify(name))
}

/** That the rest is the directory of what was read, and nothing more. */
async function assertEnd(bytes: ByteReader, begun: Uint8Array, entries: readonly ZipEntry[], at: number) {
  const end = endOf(entries, at)
  const rest = await bytes.take(Math.max(0, endBytes(entries) - begun.length), 'its directory')
  const isGood =
    isSame(begun, end.subarray(0, begun.length)) &&
    isSame(rest, end.subarray(begun.length)) &&
    (await bytes.isAtEnd())
  if (!isGood) throw malformed('pack', 'the directory of its parts at its end', 'something else')
}

/** Of what is taken, there is memory for so many bytes at first; later for twice as many as have come. */
const FIRST_BYTES = 65_536

function grown(bytes: Uint8Array, least: number, most: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(most, Math.max(least, 2 * bytes.length)))
  larger.set(bytes)
  return larger
}

/** Takes bytes off a source, as many as are wanted. */
class ByteReader {
  readonly #reading: SourceReading
  readonly #most: number
  #piece: Uint8Array = new Uint8Array(0)
  #position = 0
  #isDone = false

  constructor(source: PayloadSource | Uint8Array, options: SourceOptions, most: number) {
    this.#most = most
    const readable = ArrayBuffer.isView(source) ? new Blob([source as Uint8Array<ArrayBuffer>]) : source
    this.#reading = new SourceReading(readable as ReadableSource, options)
  }

  /** How many were taken. */
  get position(): number {
    return this.#position
  }

  /** @throws AlvariumError `MESSAGE_MALFORMED` when there are fewer */
  async take(count: number, what: string): Promise<Uint8Array> {
    // What a header claims is not there before it has come.
    let taken = new Uint8Array(Math.min(count, FIRST_BYTES))
    let missing = count
    if (this.#position + count > this.#most) throw malformed('pack', `at most ${this.#most} bytes`, 'more')
    while (missing > 0) {
      if (this.#piece.length === 0 && !(await this.#next())) {
        throw malformed('pack', what, `${count - missing} bytes and its end`)
      }
      const some = this.#piece.subarray(0, missing)
      this.#piece = this.#piece.subarray(some.length)
      // Copied, as a file's pieces share memory; and into one memory, as pieces may have a byte each.
      const length = count - missing
      if (length + some.length > taken.length) taken = grown(taken, length + some.length, count)
      taken.set(some, length)
      missing -= some.length
    }
    this.#position += count
    this.#reading.took(this.#position)
    return taken
  }

  /** True if the source has ended. */
  get isDone(): boolean {
    return this.#isDone
  }

  async isAtEnd(): Promise<boolean> {
    if (this.#piece.length > 0 || (await this.#next())) return false
    this.#reading.end(this.#position)
    return true
  }

  close(): void {
    if (!this.#isDone) this.#reading.cancel(undefined)
  }

  /** Returns whether there is a next part. Empty parts are skipped. Other tasks run in between: promises alone let none run. */
  async #next(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#reading.next()
      if (done) {
        this.#isDone = true
        return false
      }
      assertBytes(value, 'pack: each piece')
      this.#piece = value
      const turn = sourceTurns.takeLong()
      if (turn) await turn
      if (value.length > 0) return true
    }
  }
}
