/**
 * Verdicts of the verifier, for the panels Verify, Lineage and Score. Each bundle here was verified with only
 * the public key. It was received, or comes from the example or an earlier visit.
 */
import { batch, computed, signal } from '@preact/signals'
import type { Connection, Verdict, Verified, VerifierUpdate } from '../protocol.ts'
import { payloadOf } from './payloads.ts'
import { verifier } from './workers.ts'

/** Maximum number of verdicts. The sensor's `create` bundles are dropped first, then the oldest verdicts. */
const MOST = 500

export const verifierConnection = signal<Connection>({ state: 'connecting' })

/** Exact counts since the page was opened. */
export const verdictCounts = signal({ verified: 0, rejected: 0 })

/**
 * Verdicts, newest first: a bounded list, and a sample at high rates. `verdict.at` identifies a verdict for
 * the life of the page. `'bundle' in verdict` tells a verified bundle from a rejection.
 */
export const verdicts = signal<readonly Verdict[]>([])

/** Verified bundles, oldest first, for the lineage and the scores. */
export const verifiedOnes = computed<readonly Verified[]>(() =>
  verdicts.value.filter((verdict): verdict is Verified => 'bundle' in verdict).reverse(),
)

/** Field `at` of the selected verdict, which the panels Verify, Lineage and Score show. */
export const pickedAt = signal<number | undefined>(undefined)

/** Verdict that the visitor has selected, kept even if the list has dropped it. */
export const pickedVerdict = signal<Verdict | undefined>(undefined)

verifier.listen((update: VerifierUpdate) => {
  batch(() => {
    verifierConnection.value = update.connection
    verdictCounts.value = { verified: update.verified, rejected: update.rejected }
    if (update.verdicts.length > 0)
      verdicts.value = bounded([...update.verdicts.toReversed(), ...verdicts.value])
  })
})

function bounded(all: Verdict[]): Verdict[] {
  for (let at = all.length - 1; at >= 0 && all.length > MOST; at--) {
    const verdict = all[at]
    if (verdict && 'bundle' in verdict && isSensors(verdict.bundle)) all.splice(at, 1)
  }
  return all.slice(0, MOST)
}

/**
 * Returns true for a `create` of the sensor. The visitor's bundles must stay, because their payloads may become
 * sources.
 */
function isSensors({ action, key }: Verified['bundle']): boolean {
  return action === 'create' && !payloadOf(key)
}
