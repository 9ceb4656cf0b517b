import type { AlvariumError } from '../../foundation/base/errors.js'
import { needs } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'
import { type Judged, type Outcome, outcomeOfCode, worstOf } from '../../foundation/model/outcome.js'

/** Verification result of one annotation. The reason of a rejection is an `AlvariumError`. */
type Verdict = PromiseSettledResult<unknown>

const NOTHING = {
  says: 'no annotations: nothing of it is signed',
  needs: 'a message with annotations, as only they are signed',
}
const KEY = "the sender's public key"
const FEWER = `${KEY}, among fewer: too many were tried`

/**
 * Returns the verdict on a message from the results of its annotations.
 *
 * @param isCut - true if a limit prevented the search for the signer of an annotation
 */
export function classicVerdict(annotations: readonly Verdict[], isCut: boolean): Judged {
  const outcomes = annotations.map(outcomeOf)
  const outcome = worstOf(outcomes)
  if (annotations.length === 0) return { outcome, ...NOTHING }
  const says = `${withNoun(outcomes.length, 'annotation')}: ${partsOf(outcomes).join(', ')}`
  if (outcome !== 'cannot tell') return { outcome, says }
  return {
    outcome,
    says: `${says}: altered, or signed by a key that is not here`,
    needs: isCut ? FEWER : KEY,
  }
}

/** Returns the first error with the same outcome as the message, or undefined if all annotations verified. */
export function decidingError({
  annotations,
  outcome,
}: {
  readonly annotations: readonly Verdict[]
  readonly outcome: Outcome
}): AlvariumError | undefined {
  if (annotations.length === 0)
    return needs('annotations', 'at least one annotation: nothing else is signed', 'SIGNER_UNKNOWN')
  const deciding = annotations.find((one) => one.status === 'rejected' && outcomeOf(one) === outcome)
  return deciding?.status === 'rejected' ? deciding.reason : undefined
}

function outcomeOf(one: Verdict): Judged['outcome'] {
  return one.status === 'fulfilled' ? 'holds' : outcomeOfCode(one.reason.code)
}

const WORDS = { holds: 'verified', 'does not hold': 'refused', 'cannot tell': 'unknown signer' } as const

function partsOf(outcomes: readonly Judged['outcome'][]): string[] {
  return Object.entries(WORDS).flatMap(([outcome, word]) => {
    const count = outcomes.filter((one) => one === outcome).length
    return count > 0 ? [`${count} ${word}`] : []
  })
}
