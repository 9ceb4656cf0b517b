/** Counts of the whole page since it was opened. */
import { computed } from '@preact/signals'
import { refusals } from './journey.ts'
import { made } from './making.ts'
import { verdictCounts } from './verdicts.ts'

/** Numbers of signed, verified and rejected messages, both of the stream and of the example. */
export const tally = computed(() => ({
  signed: made.value.accepted,
  verified: verdictCounts.value.verified,
  rejected: verdictCounts.value.rejected + refusals.value,
}))
