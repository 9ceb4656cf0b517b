import { type Outcome, worstOf } from '../../foundation/model/outcome.js'
import type { SeenRuns } from '../completeness/report.js'
import type { ClaimComparison } from './claims.js'
import type { PackVerdict, PolicyOwner } from './verdict.js'
import type { WholenessFinding } from './wholeness/wholeness.js'

export interface PackFacts {
  readonly verdict: PackVerdict
  readonly found: WholenessFinding
  readonly claim: ClaimComparison
  readonly trustedBy: PolicyOwner
  /** True if the reader asks only whether the pack is consistent with itself. */
  readonly checksConsistencyOnly: boolean
  /** Verdict on whether the reader's witnesses have seen the logs; undefined if the reader trusts no witnesses. */
  readonly witnessed?: SeenRuns | undefined
}

/** Outcome of one check. `needs` is the next step if the outcome is `cannot tell`. */
interface Check {
  readonly outcome: Outcome
  readonly needs?: string | undefined
}

const HOLDS: Check = { outcome: 'holds' }
const FAILS: Check = { outcome: 'does not hold' }
const cannotTell = (needs: string): Check => ({ outcome: 'cannot tell', needs })

/** Returns the worst outcome of all checks, and the next step that would decide the outcome (FORMAT.md, Packs). */
export function outcomeOf(pack: PackFacts): Check {
  const checks = CHECKS.map((check) => check(pack))
  const outcome = worstOf(checks.map((one) => one.outcome))
  return outcome === 'cannot tell'
    ? { outcome, needs: checks.find(({ needs }) => needs)?.needs }
    : { outcome }
}

const CHECKS: readonly ((pack: PackFacts) => Check)[] = [
  checkTrust,
  checkLines,
  checkNotEmpty,
  compareClaim,
  checkWholeness,
  checkLogs,
  // Without witnesses that the reader trusts, there is nothing to check.
  ({ witnessed }) => witnessed ?? HOLDS,
]

function checkTrust({ trustedBy, checksConsistencyOnly }: PackFacts): Check {
  if (trustedBy === 'reader' || checksConsistencyOnly) return HOLDS
  return cannotTell(
    'Give public keys or a trust policy of your own (keyring; --key or --trust), as anyone can make a pack with their own keys; or ask whether it is consistent with itself, and no more (itself; --itself).',
  )
}

function checkNotEmpty({ verdict: { bundles, annotations } }: PackFacts): Check {
  if (bundles + annotations.satisfied + annotations.notSatisfied > 0) return HOLDS
  return cannotTell('Get a pack with a message that verifies.')
}

function checkLines(pack: PackFacts): Check {
  if (Object.values(pack.verdict.lines).some(({ refused }) => refused > 0)) return FAILS
  if (areSignersKnown(pack)) return HOLDS
  return cannotTell(
    'Give the public keys of the unknown signers, or a policy that has them, if you trust them.',
  )
}

/** Holds if the reader's policy explains each difference, or if the reader does not know all signers. */
function compareClaim(pack: PackFacts): Check {
  return pack.claim.isExplained || !areSignersKnown(pack) ? HOLDS : FAILS
}

/** Returns whether the reader knows the signers of all lines. Only then can the stored verdict be compared. */
export function areSignersKnown({ verdict: { lines } }: Pick<PackFacts, 'verdict'>): boolean {
  return Object.values(lines).every(({ unknownSigner }) => unknownSigner === 0)
}

/**
 * Holds for a pack about a payload or a query if nothing is known to be missing, because such a pack does not
 * claim to be complete.
 */
function checkWholeness({ verdict: { about, whole: shown }, found }: PackFacts): Check {
  if (shown.missing > 0) return FAILS
  if (shown.word !== 'not shown' || 'payload' in about || 'query' in about) return HOLDS
  return cannotTell(found.needs ?? 'Get what shows that nothing was left out.')
}

/**
 * Fails if a log was forked, or if a message is in no log. A pack about a query also fails if it lacks
 * messages that its checkpoints list. Other packs contain only parts of logs, which {@link checkWholeness}
 * checks.
 */
function checkLogs({ verdict: { about, logs } }: PackFacts): Check {
  const isBad = logs.some(
    ({ forks, unlisted, verdict }) => forks + unlisted > 0 || ('query' in about && verdict === 'incomplete'),
  )
  return isBad ? FAILS : HOLDS
}
