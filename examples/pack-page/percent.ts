import { percentOf, type Score } from 'alvarium-sdk/judge'

/** Rounded down: 99.99 % is not 100 %. */
export function percent(score: Score): string {
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}
