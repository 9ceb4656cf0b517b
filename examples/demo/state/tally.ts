/** Counts of the whole page, since it was opened. */
import { computed } from '@preact/signals'
import { refusals } from './journey.ts'
import { made } from './making.ts'
import { verdictCounts } from './verdicts.ts'

/** Messages that were signed, verified and rejected: those of the stream, and those that the story alters. */
export const tally = computed(() => ({
  signed: made.value.accepted,
  verified: verdictCounts.value.verified,
  rejected: verdictCounts.value.rejected + refusals.value,
}))
