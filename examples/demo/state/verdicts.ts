/**
 * What the verifier says: the base of the panels Verify, Lineage and Score. Nothing in here comes from the maker:
 * every bundle has been to the broker and back, and was verified with the public key alone.
 */
import { batch, computed, signal } from '@preact/signals'
import type { Connection, Verdict, Verified, VerifierUpdate } from '../protocol.ts'
import { payloadOf } from './payloads.ts'
import { verifier } from './workers.ts'

/** Verdicts that the page keeps; older ones go, the sensor's creates before all others. */
const MOST = 500

/** The verifier's connection. */
export const verifierConnection = signal<Connection>({ state: 'connecting' })

/** Exact counts since the page was opened, whatever the rate. */
export const verdictCounts = signal({ verified: 0, rejected: 0 })

/** Newest first, bounded; a sample at high rates. `verdict.at` is a stable key. Tell them apart with `'bundle' in verdict`. */
export const verdicts = signal<readonly Verdict[]>([])

/** The verified ones only, oldest first: what lineage and scores are made from. */
export const verifiedOnes = computed<readonly Verified[]>(() =>
  verdicts.value.filter((verdict): verdict is Verified => 'bundle' in verdict).reverse(),
)

/** The verdict that the visitor has picked in the list, by its `at`: shown by Verify, and a hint for Lineage and Score. */
export const pickedAt = signal<number | undefined>(undefined)

/** The picked one, kept although the list may have moved on. */
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

/** The visitor's own payloads are remembered, and what was made from them should not lose its source. */
function isSensors({ action, key }: Verified['bundle']): boolean {
  return action === 'create' && !payloadOf(key)
}
