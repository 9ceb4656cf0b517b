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
export const LONGEST_LINE = 16_777_216
/** Maximum bytes of a part: a full part, and one line more. */
export const LONGEST_PART = PART_BYTES + LONGEST_LINE
/**
 * Maximum bytes of a JSON text, which is parsed in one step and must not block: a policy of 20,000 signers, or more parts than fit into a
 * pack.
 */
export const LONGEST_JSON = 2_097_152

/** Returns the name of a part of lines, such as `messages/00000.ndjson`. */
export function partName(kind: LineKind, number: number): string {
  return `${kind}/${String(number).padStart(5, '0')}.ndjson`
}

/** Returns the kind of lines in a part; undefined if the part has none. */
export function kindOf(name: string): LineKind | undefined {
  return LINES.find((kind) => name.startsWith(`${kind}/`))
}

/** Returns the maximum bytes of a part. */
export function longestPart(name: string): number {
  return kindOf(name) || name === VERDICT ? LONGEST_PART : LONGEST_JSON
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
