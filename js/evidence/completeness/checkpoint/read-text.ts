import { fromBase64 } from '../../../foundation/base/bytes/base64.js'
import { toBytes, toHex } from '../../../foundation/base/bytes/hex.js'
import { AlvariumError, malformed } from '../../../foundation/base/errors.js'
import { readDecimal } from '../../../foundation/base/text/text.js'
import { runSync, runYielding } from '../../../foundation/base/time/turns.js'
import { MaxCount, withCore } from '../../../foundation/core/core.js'
import { EMPTY_ROOT, HASH_BYTES } from '../../../foundation/core/tree.js'
import { LogTree } from '../../logs/log-tree.js'
import { quoteLine } from '../../logs/note.js'
import { originIn } from '../../logs/run-origin.js'
import { readRanges } from './ranges.js'
import { type Checkpoint, ENTRY_BYTES, type LogEntry, MAX_ENTRIES } from './text.js'

/**
 * Reads the text of a checkpoint. Each line has only one valid spelling.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readText(text: string): Checkpoint {
  return runSync(readInSteps(text))
}

export function readTextInTurns(text: string): Promise<Checkpoint> {
  return runYielding(readInSteps(text))
}

/** Number of lines of a list, or leaves of a log, that one step of the generator processes. */
const STEP = 1024

function* readInSteps(text: string): Generator<void, Checkpoint> {
  const lines = new Lines(text)
  const { signer, run } = originIn(text)
  lines.next()
  const [size, root] = [sizeIn(lines.next(), 'size'), rootIn(lines.next(), 'root')]
  const number = sizeIn(lines.after('number'), 'number')
  const from = fromIn(lines.after('from'))
  const peaks = lines.isNext('peaks') ? [] : lines.has('peaks') ? peaksIn(lines.after('peaks')) : undefined
  const after = lines.has('after') ? afterIn(lines.after('after')) : undefined
  const at = timeIn(lines.after('at'), 'at')
  const entries = yield* entriesIn(lines, peaks ? HASH_BYTES : ENTRY_BYTES)
  const pending = lines.has('pending') ? readRanges(lines.after('pending'), 'pending', size) : []
  yield
  const refused = lines.has('refused') ? readRanges(lines.after('refused'), 'refused', size) : []
  const isLast = lines.isNext('end')
  lines.end()
  const ends = { size, root, number, from, peaks, after, at }
  const checkpoint = { signer, run, ...ends, entries, pending, refused, isLast }
  assertConsistent(checkpoint)
  if (peaks) yield* assertProved(checkpoint, peaks)
  return checkpoint
}

/** Refuses fields that contradict each other, so that callers need not handle contradictions. */
function assertConsistent({ size, root, number, from, at, entries }: Checkpoint): void {
  if (size - from.size !== entries.length) {
    throw malformed('size', `${from.size} in "from" + ${entries.length} messages in the list`, `${size}`)
  }
  if (from.size === size && from.root !== root)
    throw new AlvariumError(
      'MESSAGE_MALFORMED',
      'root: differs from the root in the line "from", although the size is the same',
    )
  if (from.size === 0 && from.root !== EMPTY_ROOT)
    throw new AlvariumError('MESSAGE_MALFORMED', 'from: has the size 0, but not the root of an empty log')
  if (number === 0 && from.size > 0)
    throw malformed('from', 'the size 0 in the first checkpoint of a log', `${from.size}`)
  if (at < from.at) throw malformed('at', `a time not before ${from.at}`, at)
}

function* assertProved(
  { root, from, entries }: Pick<Checkpoint, 'root' | 'from' | 'entries'>,
  peaks: readonly string[],
): Generator<void, void> {
  const bytes = (hex: string) => toBytes(hex) as Uint8Array
  const tree = LogTree.of(from.size, peaks.map(bytes))
  const rootOf = (log: LogTree) => (log.root ? toHex(log.root) : EMPTY_ROOT)
  if (!tree || rootOf(tree) !== from.root)
    throw new AlvariumError('MESSAGE_MALFORMED', 'peaks: do not match the root in the line "from"')
  for (let at = 0; at < entries.length; at += STEP) {
    yield
    const group = entries.slice(at, at + STEP)
    tree.append(bytes(group.map(({ leaf }) => leaf).join('')))
  }
  if (rootOf(tree) !== root)
    throw new AlvariumError('MESSAGE_MALFORMED', 'root: does not match the peaks and the list')
}

function* entriesIn(lines: Lines, bytes: number): Generator<void, LogEntry[]> {
  const entries: LogEntry[] = []
  for (let count = 0; ; count++) {
    if (count % STEP === 0) yield
    if (lines.has('bundles')) entries.push(...singlesIn(lines.after('bundles'), bytes))
    else if (lines.has('batch')) entries.push(batchIn(lines.after('batch'), bytes))
    else return entries
    if (entries.length > MAX_ENTRIES) throw malformed('list', `at most ${MAX_ENTRIES} messages`, 'more')
  }
}

function singlesIn(text: string, each: number): LogEntry[] {
  const bytes = fromBase64(text)
  const count = (bytes?.length ?? 0) / each
  if (!bytes || !Number.isInteger(count) || count === 0 || count > MAX_ENTRIES) {
    throw malformed(
      'bundles',
      `${each} bytes for each of 1 to ${MAX_ENTRIES} bundles, in base64`,
      quoteLine(text),
    )
  }
  return piecesOf(bytes, each).map((hex) => entryOf(hex, 1))
}

/** @param hex - all bytes of a leaf hash, or the first {@link ENTRY_BYTES} bytes, in hexadecimal */
function entryOf(hex: string, bundles: number): LogEntry {
  const id = hex.slice(0, 2 * ENTRY_BYTES)
  return hex.length > id.length ? { id, bundles, leaf: hex } : { id, bundles }
}

function batchIn(text: string, each: number): LogEntry {
  const [count = '', base64 = '', more] = text.split(' ')
  const [bundles = 0, bytes] = [readDecimal(count), fromBase64(base64)]
  if (more === undefined && bytes?.length === each && bundles >= 1 && bundles <= MaxCount.Bundles) {
    return entryOf(toHex(bytes), bundles)
  }
  throw malformed('batch', `1 to ${MaxCount.Bundles} bundles, and ${each} bytes in base64`, quoteLine(text))
}

function fromIn(text: string): Checkpoint['from'] {
  const [size, root, at, more] = text.split(' ')
  if (more !== undefined) throw malformed('from', 'a size, a root and a time', quoteLine(text))
  return { size: sizeIn(size, 'from'), root: rootIn(root, 'from'), at: timeIn(at, 'from') }
}

function afterIn(text: string): NonNullable<Checkpoint['after']> {
  const [run, size, root, more] = text.split(' ')
  if (!run || !/^[\da-f]{32}$/.test(run) || more !== undefined) {
    throw malformed('after', 'the id of a run, a size and a root', quoteLine(text))
  }
  return { run, size: sizeIn(size, 'after'), root: rootIn(root, 'after') }
}

function peaksIn(text: string): string[] {
  const bytes = fromBase64(text)
  const count = (bytes?.length ?? 0) / HASH_BYTES
  if (!bytes || count === 0 || !Number.isInteger(count))
    throw malformed('peaks', `${HASH_BYTES} bytes for each peak, in base64`, quoteLine(text))
  return piecesOf(bytes, HASH_BYTES)
}

function piecesOf(bytes: Uint8Array, each: number): string[] {
  const hex = toHex(bytes)
  return Array.from({ length: bytes.length / each }, (_, at) => hex.slice(2 * at * each, 2 * (at + 1) * each))
}

function sizeIn(text = '', field: string): number {
  const size = readDecimal(text)
  if (size === undefined) throw malformed(field, 'a decimal number below 2^53', quoteLine(text))
  return size
}

function rootIn(text = '', field: string): string {
  const bytes = fromBase64(text)
  if (bytes?.length !== HASH_BYTES) throw malformed(field, `${HASH_BYTES} bytes in base64`, quoteLine(text))
  return toHex(bytes)
}

/** Reads a time. Requires six decimal places and `Z`, so that times compare as strings. */
function timeIn(text = '', field: string): string {
  const isTime =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text) && withCore((core) => core.isTimestamp(text))
  if (!isTime) throw malformed(field, 'a time such as 2026-11-20T10:00:00.123456Z', quoteLine(text))
  return text
}

class Lines {
  readonly #lines: readonly string[]
  #at = 0

  constructor(text: string) {
    // Never split off more lines than a valid checkpoint has: one per message, and up to 16 others.
    this.#lines = text.split('\n', MAX_ENTRIES + 16)
  }

  next(): string {
    return this.#lines[this.#at++] ?? ''
  }

  has(word: string): boolean {
    return this.#lines[this.#at]?.startsWith(`${word} `) ?? false
  }

  /** Reads the next line, which must begin with `word`, and returns the rest of the line. */
  after(word: string): string {
    if (!this.has(word))
      throw malformed('checkpoint', `a line that begins with ${word}`, quoteLine(this.#lines[this.#at]))
    return this.next().slice(word.length + 1)
  }

  /** Returns whether the next line equals `whole`, and reads the line in that case. */
  isNext(whole: string): boolean {
    if (this.#lines[this.#at] !== whole) return false
    this.#at++
    return true
  }

  end(): void {
    if (this.#at === this.#lines.length - 1 && this.#lines[this.#at] === '') return
    throw malformed('checkpoint', 'the end', quoteLine(this.#lines[this.#at]))
  }
}
