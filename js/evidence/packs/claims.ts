import { isSame } from '../../foundation/base/bytes/same.js'
import { verdictIn } from '../../foundation/base/errors.js'
import { canonicalJson } from '../../foundation/base/text/canonical.js'
import type { ScoringPolicy } from '../../verifying/score/policy.js'
import { jsonIn } from './file/json.js'
import { MAX_JSON_BYTES, VERDICT } from './file/parts.js'
import { FORMAT, type PackVerdict, type PolicyOwner, verdictBytes } from './verdict.js'
import type { PackWholeness } from './wholeness/wholeness.js'

/** Facts about a pack that may explain why the verdict of its author differs from the verdict of its reader. */
export interface ClaimContext {
  readonly trustedBy: PolicyOwner
  readonly scoredBy: PolicyOwner
  readonly policy: ScoringPolicy
  wholeByAnybody(): Promise<PackWholeness>
}

export interface ClaimComparison {
  /** Names of the members that differ; `verdict.json` if the author's verdict is unreadable or not canonical JSON. */
  readonly differences: readonly string[]
  /** True if there are no differences, or if the reader's own policy explains all of them. */
  readonly isExplained: boolean
}

/** Compares the verdict that a pack stores with the verdict that its reader reached. */
export async function compareClaims(
  claimed: Uint8Array,
  verdict: PackVerdict,
  context: ClaimContext,
): Promise<ClaimComparison> {
  if (isSame(claimed, verdictBytes(verdict))) return { differences: [], isExplained: true }
  const claim = claimed.length > MAX_JSON_BYTES ? undefined : await membersIn(claimed)
  if (!claim) return { differences: [VERDICT], isExplained: false }
  const ownMembers = canonical({ format: FORMAT, ...verdict }) as Members
  const names = [...new Set([...Object.keys(ownMembers), ...Object.keys(claim)])].sort()
  const differences = names.filter((name) => !isEqual(ownMembers[name], claim[name]))
  if (differences.length === 0) return { differences: [VERDICT], isExplained: false }
  const explained = await explainMembers(claim, ownMembers, context)
  return { differences, isExplained: differences.every((name) => explained.includes(name)) }
}

type Members = Readonly<Record<string, unknown>>

async function membersIn(claimed: Uint8Array): Promise<Members | undefined> {
  const value = await jsonIn(VERDICT, claimed).catch((error) => void verdictIn(error))
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined
}

/** Returns the members that may differ between honest verdicts if author and reader use different policies. */
async function explainMembers(claim: Members, ownMembers: Members, context: ClaimContext): Promise<string[]> {
  const { trustedBy, scoredBy, policy } = context
  const explained = scoredBy === 'reader' ? ['score', 'scoredBy'] : []
  if (trustedBy === 'pack') return explained
  // If both verdicts have equal totals of lines for each kind, but different outcomes, the trust policies
  // permit different signers. Any member may then differ.
  if (
    isEqual(totalsOf(claim['lines']), totalsOf(ownMembers['lines'])) &&
    !isEqual(claim['lines'], ownMembers['lines'])
  )
    return Object.keys(ownMembers)
  // Scoring policies refer to signers by their names in the trust policy, and the two trust policies may name
  // them differently.
  if (policy.trust.some(({ signer }) => signer !== undefined)) explained.push('score')
  if (isEqual(claim['whole'], canonical(await context.wholeByAnybody()))) explained.push('whole')
  return explained
}

/** Returns the names of the outcomes and the total number of lines, for each kind of line. */
function totalsOf(lines: unknown): unknown {
  return Object.entries(Object(lines)).map(([kind, tally]) => {
    const counts = Object.values(Object(tally))
    return [kind, Object.keys(Object(tally)), counts.reduce((sum: number, one) => sum + Number(one), 0)]
  })
}

/** Compares two values by their JSON. Members in a different order count as a difference. */
function isEqual(one: unknown, other: unknown): boolean {
  const text = jsonOf(one)
  return one === other || (text !== undefined && text === jsonOf(other))
}

/** Returns the JSON of a value; undefined if deep nesting overflows the stack of `JSON.stringify`. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function canonical(value: unknown): unknown {
  return JSON.parse(canonicalJson(value))
}
