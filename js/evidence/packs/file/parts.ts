import { GroupCollector } from '../../../foundation/base/bytes/join.js'
import { malformed } from '../../../foundation/base/errors.js'
import { isCheckpoint, isLease, isSet } from '../../../verifying/consume/control-messages.js'

// Parts of a pack: their kinds, order and maximum lengths (FORMAT.md, Packs).

/** Kinds of lines in the order of their parts: later lines are verified by means of earlier ones. */
export const LINES = ['leases', 'checkpoints', 'sets', 'proofs', 'messages'] as const

/** Kind of lines, and name of the folder of their parts. */
export type LineKind = (typeof LINES)[number]

/** Names of the parts that are one JSON text each. */
export const SCORE = 'score.json'
export const TRUST = 'trust.json'
export const VERDICT = 'verdict.json'
export const MANIFEST = 'manifest.json'

/**
 * Bytes at which a part of lines is full: the line that reaches them is its last. Packs are written and read in little memory for that
 * reason.
 */
export const PART_BYTES = 1_048_576
/** Maximum bytes of a line (FORMAT.md, Limits: a batch). */
export const MAX_LINE_BYTES = 16_777_216
/** Maximum bytes of a part: a full part, and one line more. */
export const MAX_PART_BYTES = PART_BYTES + MAX_LINE_BYTES
/**
 * Maximum bytes of a JSON text, which is parsed in one step and must not block: a policy of 20,000 signers, or more parts than fit into a
 * pack.
 */
export const MAX_JSON_BYTES = 2_097_152

/** Returns the name of a part of lines, such as `messages/00000.ndjson`. */
export function partName(kind: LineKind, number: number): string {
  return `${kind}/${String(number).padStart(5, '0')}.ndjson`
}

/** Returns the kind of lines in a part; undefined if the part has none. */
export function kindOf(name: string): LineKind | undefined {
  return LINES.find((kind) => name.startsWith(`${kind}/`))
}

/** Returns the maximum bytes of a part. */
export function maxPartBytes(name: string): number {
  return kindOf(name) || name === VERDICT ? MAX_PART_BYTES : MAX_JSON_BYTES
}

/** Returns whether a part may follow another. A second part of one kind of lines may only follow a full one. */
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
 * Returns the names that may follow a part. Each part comes after the parts that it needs, and parts of lines are numbered from 0. No name
 * occurs twice, and none leads out of the pack, because only these names are accepted.
 */
function namesAfter(name: string | undefined): string[] {
  if (name === undefined) return [SCORE]
  if (name === SCORE) return [TRUST]
  if (name === VERDICT) return [MANIFEST]
  if (name === MANIFEST) return []
  const kind = kindOf(name)
  const next = kind ? [partName(kind, numberOf(name) + 1)] : []
  const later = LINES.slice(kind ? LINES.indexOf(kind) + 1 : 0).map((one) => partName(one, 0))
  return [...next, ...later, VERDICT]
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0])
}

/**
 * Returns the kind of line for a message, by its first bytes alone. Proofs are no messages of their own: a proof line also names set and
 * payload.
 */
export function lineKindOf(message: Uint8Array): Exclude<LineKind, 'proofs'> {
  if (isLease(message)) return 'leases'
  if (isCheckpoint(message)) return 'checkpoints'
  return isSet(message) ? 'sets' : 'messages'
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20

/** Yields the lines of a part. Each ends with a line feed and is not empty. @throws AlvariumError `MESSAGE_MALFORMED` */
function* linesIn(name: string, content: Uint8Array): Generator<Uint8Array, void> {
  let from = 0
  for (let number = 1; from < content.length || number === 1; number++) {
    const end = content.indexOf(NEWLINE, from)
    const what = `a line of 1 to ${MAX_LINE_BYTES} bytes, and a line feed, as line ${number}`
    if (end <= from || end - from > MAX_LINE_BYTES) {
      throw malformed(name, what, end < 0 ? 'no line feed' : `${end - from} bytes`)
    }
    yield content.subarray(from, end)
    from = end + 1
  }
}

/**
 * Batch limits. Without them, a part of short lines would take a hundred times its size in memory, because each line has its own outcome.
 */
const VERIFY_BATCH = { count: 2_048, bytes: PART_BYTES }

/** Lines to verify in one call. */
interface LineGroup {
  readonly lines: readonly Uint8Array[]
  /** Number of the first of these lines in the part, from 1. */
  readonly first: number
}

/** Yields the lines of a part in groups. @throws AlvariumError as {@link linesIn} */
export function* lineGroupsIn(name: string, content: Uint8Array): Generator<LineGroup, void> {
  const grouping = new GroupCollector(VERIFY_BATCH)
  let first = 1
  for (const line of linesIn(name, content)) {
    const lines = grouping.add(line)
    if (!lines) continue
    yield { lines, first }
    first += lines.length
  }
  yield { lines: grouping.take(), first }
}

/** Returns a message as one line. JSON has line ends only between tokens, where a space means the same. */
export function lineOf(message: Uint8Array): Uint8Array {
  if (!message.includes(NEWLINE) && !message.includes(RETURN)) return message
  return message.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte))
}
