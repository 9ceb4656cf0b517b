import { percentOf, type Score } from 'alvarium-sdk/judge'

/** Formats a score, rounded down: 99.99 % is not 100 %. */
export function percent(score: Score): string {
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}
