import { GroupCollector } from '../../../foundation/base/bytes/join.js'
import { malformed } from '../../../foundation/base/errors.js'
import { isCheckpoint, isLease, isSealedSet, isSet } from '../../../verifying/consume/control-messages.js'

// Defines the parts of a pack: kinds, order and maximum lengths (FORMAT.md, Packs).

/** Kinds of lines, in the order of their parts. Lines of a part are verified with the help of earlier parts. */
export const LINES = ['leases', 'checkpoints', 'sets', 'proofs', 'messages'] as const

/** Kind of lines, which is also the folder name of their parts. */
export type LineKind = (typeof LINES)[number]

export const SCORE = 'score.json'
export const TRUST = 'trust.json'
export const VERDICT = 'verdict.json'
export const MANIFEST = 'manifest.json'

/** Length in bytes at which a part of lines is full. The line that reaches this length is the last one of the part. */
export const PART_BYTES = 1_048_576
/** Maximum length of a line in bytes (FORMAT.md, Limits: a batch). */
export const MAX_LINE_BYTES = 16_777_216
/** Maximum length in bytes of a part of lines: `PART_BYTES` and one more line. */
export const MAX_PART_BYTES = PART_BYTES + MAX_LINE_BYTES
/**
 * Maximum length in bytes of a JSON part other than `verdict.json`, because parsing blocks the event loop. It suffices
 * for a policy of 20,000 signers.
 */
export const MAX_JSON_BYTES = 2_097_152

/** Returns the name of a part of lines, such as `messages/00000.ndjson`. */
export function partName(kind: LineKind, number: number): string {
  return `${kind}/${String(number).padStart(5, '0')}.ndjson`
}

/** Returns the kind of lines in a part; undefined for a part that is one JSON text. */
export function kindOf(name: string): LineKind | undefined {
  return LINES.find((kind) => name.startsWith(`${kind}/`))
}

export function maxPartBytes(name: string): number {
  return kindOf(name) || name === VERDICT ? MAX_PART_BYTES : MAX_JSON_BYTES
}

/** Returns whether a part may come next. A part of lines must be full before the next part of its kind. */
export function mayFollow(name: string, before: PartLength | undefined): boolean {
  if (!namesAfter(before?.name).includes(name)) return false
  const isMore = before !== undefined && kindOf(name) !== undefined && kindOf(name) === kindOf(before.name)
  return !isMore || before.bytes >= PART_BYTES
}

interface PartLength {
  readonly name: string
  readonly bytes: number
}

/**
 * Returns the names that may follow a part. No others are accepted, so no name occurs twice or leads out of the pack.
 * Parts of lines are numbered from 0.
 */
function namesAfter(name: string | undefined): string[] {
  if (name === undefined) return [SCORE]
  if (name === SCORE) return [TRUST]
  if (name === VERDICT) return [MANIFEST]
  if (name === MANIFEST) return []
  const kind = kindOf(name)
  const next = kind ? [partName(kind, Number(/\d+/.exec(name)?.[0]) + 1)] : []
  const later = LINES.slice(kind ? LINES.indexOf(kind) + 1 : 0).map((one) => partName(one, 0))
  return [...next, ...later, VERDICT]
}

/**
 * Returns the kind of line for a message, by its first bytes; undefined for messages that are no lines of a
 * pack, such as manifests and proofs of inputs. Lines of the kind `proofs` are not messages.
 */
export function lineKindOf(message: Uint8Array): Exclude<LineKind, 'proofs'> | undefined {
  if (isLease(message)) return 'leases'
  if (isCheckpoint(message)) return 'checkpoints'
  if (isSealedSet(message)) return 'sets'
  return isSet(message) ? undefined : 'messages'
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20

/** @throws AlvariumError `MESSAGE_MALFORMED` for an empty line, a line that is too long, or a missing line feed */
function* linesIn(name: string, content: Uint8Array): Generator<Uint8Array, void> {
  let from = 0
  for (let number = 1; from < content.length || number === 1; number++) {
    const end = content.indexOf(NEWLINE, from)
    const expectation = `a line of 1 to ${MAX_LINE_BYTES} bytes, and a line feed, as line ${number}`
    if (end <= from || end - from > MAX_LINE_BYTES) {
      throw malformed(name, expectation, end < 0 ? 'no line feed' : `${end - from} bytes`)
    }
    yield content.subarray(from, end)
    from = end + 1
  }
}

/** Limits of one call, because the outcomes of short lines take a hundred times the memory of the lines. */
const VERIFY_BATCH = { count: 2_048, bytes: PART_BYTES }

interface LineGroup {
  readonly lines: readonly Uint8Array[]
  /** Number of the group's first line in the part, counted from 1. */
  readonly first: number
}

/** @throws AlvariumError as {@link linesIn} */
export function* lineGroupsIn(name: string, content: Uint8Array): Generator<LineGroup, void> {
  const grouping = new GroupCollector<Uint8Array>(VERIFY_BATCH)
  let first = 1
  for (const line of linesIn(name, content)) {
    const lines = grouping.add(line, line.length)
    if (!lines) continue
    yield { lines, first }
    first += lines.length
  }
  yield { lines: grouping.take(), first }
}

/** Returns a message as one line. Spaces replace line ends, because JSON has line ends only between tokens. */
export function lineOf(message: Uint8Array): Uint8Array {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message
  return message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte))
}
