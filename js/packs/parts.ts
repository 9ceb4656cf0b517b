// The parts of a pack: which there are, in which order they stand, and how much each may have (FORMAT.md, Packs).

/** What a line of a part is. In this order: what comes later is judged by what came before. */
export const LINES = ['leases', 'checkpoints', 'sets', 'proofs', 'messages'] as const

/** One of them. */
export type LineKind = (typeof LINES)[number]

/** What is one JSON text, and stands before the lines. */
export const SCORE = 'score.json'
export const TRUST = 'trust.json'
export const VERDICT = 'verdict.json'
export const MANIFEST = 'manifest.json'

/** A part of lines ends with the line with which it has so many bytes: so a pack is written and read in little memory. */
export const PART_BYTES = 1_048_576
/** FORMAT.md, Limits: a batch. */
export const LONGEST_LINE = 16_777_216
/** A whole part, and a line more. */
export const LONGEST_PART = PART_BYTES + LONGEST_LINE
/** What is parsed all at once, so it must not take long: a policy of 20,000 signers, and more parts than fit into a pack. */
export const LONGEST_JSON = 2_097_152

/** The name of a part of lines: `messages/00000.ndjson`. */
export function partName(kind: LineKind, number: number): string {
  return `${kind}/${String(number).padStart(5, '0')}.ndjson`
}

/** What a name stands for; nothing of one that no part has. */
export function kindOf(name: string): LineKind | undefined {
  return LINES.find((kind) => name.startsWith(`${kind}/`))
}

/** The most bytes that a part may have. */
export function longestPart(name: string): number {
  return kindOf(name) || name === VERDICT ? LONGEST_PART : LONGEST_JSON
}

/** Whether a part may stand behind another: only of lines that fill a part there are more in the next. */
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
 * The names that may follow a part: each part stands behind those that it needs, parts of lines are counted from 0, and so no name comes
 * twice and none leads out of the pack.
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
