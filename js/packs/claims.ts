import { isSame } from '../base/bytes/same.js'
import { isVerdict } from '../base/errors.js'
import { canonicalJson } from '../base/text/canonical.js'
import type { JudgingPolicy } from '../judge/policy.js'
import { jsonIn } from './json.js'
import { LONGEST_JSON, VERDICT } from './parts.js'
import { FORMAT, type PackVerdict, verdictBytes } from './verdict.js'
import type { PackWholeness } from './whole.js'
import type { Whose } from './whose.js'

/** Policies by which a verdict was reached, and what it would be by others. */
export interface ClaimContext {
  readonly trustedBy: Whose
  readonly scoredBy: Whose
  readonly policy: JudgingPolicy
  wholeByAnybody(): Promise<PackWholeness>
}

/** A verdict of the author, compared with the one that was reached here. */
export interface ComparedClaim {
  /** Members in which they differ; `verdict.json` for one that cannot be read. */
  readonly differences: readonly string[]
  /** True if another policy than that of the author explains all of them. */
  readonly isExplained: boolean
}

/** Compares the verdict in a pack with the one that was reached here. */
export async function comparedClaim(
  claimed: Uint8Array,
  verdict: PackVerdict,
  context: ClaimContext,
): Promise<ComparedClaim> {
  if (isSame(claimed, verdictBytes(verdict))) return { differences: [], isExplained: true }
  const claim = claimed.length > LONGEST_JSON ? undefined : await verdictIn(claimed)
  if (!claim) return { differences: [VERDICT], isExplained: false }
  const own = canonical({ format: FORMAT, ...verdict }) as Members
  const names = [...new Set([...Object.keys(own), ...Object.keys(claim)])].sort()
  const differences = names.filter((name) => !isEqual(own[name], claim[name]))
  if (differences.length === 0) return { differences: [VERDICT], isExplained: false }
  const explained = await explainedMembers(claim, own, context)
  return { differences, isExplained: differences.every((name) => explained.includes(name)) }
}

type Members = Readonly<Record<string, unknown>>

/** Returns its members; nothing for what is no object. */
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

/** Returns the members in which two honest verdicts may differ, because reader and author have policies of their own. */
async function explainedMembers(claim: Members, own: Members, context: ClaimContext): Promise<string[]> {
  const { trustedBy, scoredBy, policy } = context
  const explained = scoredBy === 'reader' ? ['score', 'scoredBy'] : []
  if (trustedBy === 'pack') return explained
  // Each lets other signers say something.
  if (isEqual(totalsOf(claim['lines']), totalsOf(own['lines'])) && !isEqual(claim['lines'], own['lines']))
    return Object.keys(own)
  // Rules name signers as the policy of each calls them.
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

/** Compares two values. Both have been canonical JSON, so that members stand in one order. */
function isEqual(one: unknown, other: unknown): boolean {
  const text = written(one)
  return one === other || (text !== undefined && text === written(other))
}

/** Parses JSON. A value that nests very deep ends the stack where it is written, and not where it is read. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Returns the members of a value in the order of canonical JSON. */
function canonical(value: unknown): unknown {
  return JSON.parse(canonicalJson(value))
}
