import { isSame } from '../../foundation/base/bytes/same.js'
import { isVerdict } from '../../foundation/base/errors.js'
import { canonicalJson } from '../../foundation/base/text/canonical.js'
import type { JudgingPolicy } from '../../verifying/score/policy.js'
import { jsonIn } from './file/json.js'
import { MAX_JSON_BYTES, VERDICT } from './file/parts.js'
import { FORMAT, type PackVerdict, type PolicyOwner, verdictBytes } from './verdict.js'
import type { PackWholeness } from './wholeness/wholeness.js'

/** Owners of the policies by which a verdict was reached, and the means to explain differences. */
export interface ClaimContext {
  readonly trustedBy: PolicyOwner
  readonly scoredBy: PolicyOwner
  readonly policy: JudgingPolicy
  wholeByAnybody(): Promise<PackWholeness>
}

/** The author's verdict compared with the reader's. */
export interface ClaimComparison {
  /** Members in which the verdicts differ; `verdict.json` if the author's cannot be read. */
  readonly differences: readonly string[]
  /** True if the reader's own policy explains all differences. */
  readonly isExplained: boolean
}

/** Compares the verdict stored in a pack with the reader's. */
export async function compareClaims(
  claimed: Uint8Array,
  verdict: PackVerdict,
  context: ClaimContext,
): Promise<ClaimComparison> {
  if (isSame(claimed, verdictBytes(verdict))) return { differences: [], isExplained: true }
  const claim = claimed.length > MAX_JSON_BYTES ? undefined : await verdictIn(claimed)
  if (!claim) return { differences: [VERDICT], isExplained: false }
  const own = canonical({ format: FORMAT, ...verdict }) as Members
  const names = [...new Set([...Object.keys(own), ...Object.keys(claim)])].sort()
  const differences = names.filter((name) => !isEqual(own[name], claim[name]))
  if (differences.length === 0) return { differences: [VERDICT], isExplained: false }
  const explained = await explainMembers(claim, own, context)
  return { differences, isExplained: differences.every((name) => explained.includes(name)) }
}

type Members = Readonly<Record<string, unknown>>

/** Returns the members of the stored verdict; undefined if it is not a JSON object. */
async function verdictIn(claimed: Uint8Array): Promise<Members | undefined> {
  try {
    const value = await jsonIn(VERDICT, claimed)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined
  } catch (error) {
    if (isVerdict(error)) return undefined
    throw error
  }
}

/** Returns the members in which two honest verdicts may differ because reader and author have different policies. */
async function explainMembers(claim: Members, own: Members, context: ClaimContext): Promise<string[]> {
  const { trustedBy, scoredBy, policy } = context
  const explained = scoredBy === 'reader' ? ['score', 'scoredBy'] : []
  if (trustedBy === 'pack') return explained
  // The two policies permit different signers, so every member may differ.
  if (isEqual(totalsOf(claim['lines']), totalsOf(own['lines'])) && !isEqual(claim['lines'], own['lines']))
    return Object.keys(own)
  // Score policies name signers by the names in the trust policy, which differ between the two.
  if (policy.trust.some(({ signer }) => signer !== undefined)) explained.push('score')
  if (isEqual(claim['whole'], canonical(await context.wholeByAnybody()))) explained.push('whole')
  return explained
}

/** Counts lines of each kind, verified or not, under the names of the counts. */
function totalsOf(lines: unknown): unknown {
  return Object.entries(Object(lines)).map(([kind, tally]) => {
    const counts = Object.values(Object(tally))
    return [kind, Object.keys(Object(tally)), counts.reduce((sum: number, one) => sum + Number(one), 0)]
  })
}

/** Compares two values. Both have been canonical JSON, so their members are in one order. */
function isEqual(one: unknown, other: unknown): boolean {
  const text = jsonOf(one)
  return one === other || (text !== undefined && text === jsonOf(other))
}

/** Returns JSON; undefined for a value that nests so deeply that writing it overflows the stack, although parsing it did not. */
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
