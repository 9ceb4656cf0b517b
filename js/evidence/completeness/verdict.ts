import { printable, quote } from '../../foundation/base/text/text.js'
import type { Judged } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import type { SignerReport } from './report.js'

export type SignerFindings = Omit<SignerReport, 'verdict' | keyof Judged>

type Counts = readonly (readonly [count: number, text: string])[]

/**
 * Returns the verdict on a signer, by the findings (FORMAT.md, Words of verdicts).
 *
 * @param prunedOrMissing - number of listed messages that are not there, and may have been pruned
 */
export function verdictOn(found: SignerFindings, prunedOrMissing = 0): SignerReport {
  const who = shownSigner(found)
  const faults = faultsOf(found)
  const doubts = doubtsOf(found, prunedOrMissing)
  const judged = judgedBy(who, faults, doubts, found)
  const { signer, name, ...rest } = found
  // Twice: early for people who read the JSON, and last to override an earlier verdict.
  return { signer, name, ...judged, ...rest, ...judged }
}

/** Returns the signer's name or key id for a sentence. A name is escaped, because the owner of a store can alter it. */
export function shownSigner({ signer, name }: Pick<SignerReport, 'signer' | 'name'>): string {
  return name === undefined ? signer : quote(printable(name))
}

type Verdict = Pick<SignerReport, 'verdict' | keyof Judged>

function judgedBy(
  who: string,
  faults: readonly string[],
  doubts: readonly Doubt[],
  found: SignerFindings,
): Verdict {
  if (faults.length > 0) return incomplete(who, faults)
  return doubts.length > 0 ? unknown(who, doubts) : complete(who, found)
}

function complete(who: string, { runs, refused }: SignerFindings): Verdict {
  const listed = runs.reduce((total, { size }) => total + size, 0)
  const but = refused > 0 ? `, but for ${refused} that its stream refused, as it says itself` : ''
  const says = `${listed === 1 ? 'the one message' : `all ${listed} messages`} that the checkpoints of ${who} list ${listed === 1 ? 'is' : 'are'} here${but}`
  return { verdict: 'complete', outcome: VERDICT_WORDS.complete, says }
}

function incomplete(who: string, faults: readonly string[]): Verdict {
  const says = `the checkpoints of ${who} show: ${faults.join(', ')}`
  return { verdict: 'incomplete', outcome: VERDICT_WORDS.incomplete, says }
}

function unknown(who: string, doubts: readonly Doubt[]): Verdict {
  const says = `nothing is known to be missing of ${who}, but ${doubts.map(({ text }) => text).join(', and ')}`
  return { verdict: 'unknown', outcome: VERDICT_WORDS.unknown, says, needs: (doubts[0] as Doubt).needs }
}

function faultsOf({ missing, missingInGaps, forks, unlisted }: SignerFindings): string[] {
  const absent = missing.reduce((total, { first, last }) => total + last - first + 1, 0)
  const counts: Counts = [
    [absent, `${absent} listed and not here`],
    [missingInGaps, `at least ${missingInGaps} not here where checkpoints are missing too`],
    [forks.length, `logs told in two ways, ${forks.length}`],
    [unlisted.length, `${unlisted.length} here and in no log`],
  ]
  return counts.flatMap(([count, text]) => (count > 0 ? [text] : []))
}

/** A reason why completeness cannot be known, and the next step. */
interface Doubt {
  readonly text: string
  readonly needs: string
}

function doubtsOf(
  { runs, gaps, pending, unknown: unlisted }: SignerFindings,
  prunedOrMissing: number,
): Doubt[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  const before = sum(runs.map((run) => run.before))
  const inGaps = sum(gaps.map(({ first, last }) => last - first + 1))
  const lists = 'add the checkpoints that list them'
  const doubts: readonly (readonly [isSo: boolean, text: string, needs: string])[] = [
    [runs.length === 0, 'no checkpoint from this signer was given', 'add its checkpoints'],
    [inGaps > 0, `no given checkpoint lists ${inGaps} of its messages`, lists],
    [before > 0, `${before} came before its first given checkpoint`, lists],
    [pending > 0, `${pending} were still in transit at its last checkpoint`, 'add its next checkpoint'],
    [unlisted > 0, `${unlisted} that were given are in no checkpoint`, lists],
    [
      prunedOrMissing > 0,
      `${prunedOrMissing} were pruned or are missing`,
      'ask someone who has an older copy',
    ],
  ]
  return doubts.flatMap(([isSo, text, needs]) => (isSo ? [{ text, needs }] : []))
}
