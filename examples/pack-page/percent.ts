import { percentOf, type Score } from 'alvarium-sdk/score'

/** Formats a score as a percentage. Rounds down, so that only a full score shows 100 %. */
export function percent(score: Score): string {
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}
