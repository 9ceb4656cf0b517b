import { green, joined, padded, red, type Shown, shown } from '../terminal/shown.js'
import type { Known } from './confidence.js'

/** ` 75 %`, to line up. */
export function percent(score: number): string {
  // What is nearly all is not all.
  return `${`${Math.floor(100 * score)}`.padStart(3)} %`
}

/** Which answers there were, by kind. */
export function answersIn({ answers }: Known): Shown {
  if (answers.size === 0) return shown`nothing was said`
  return joined(
    [...answers].map(
      ([kind, { yes, no }]) =>
        shown`${kind}${yes > 0 ? green(` ✓${yes}`) : ''}${no > 0 ? red(` ✗${no}`) : ''}`,
    ),
    '  ',
  )
}

/** A payload in one line. */
export function rowOf(known: Known, score: number): Shown {
  return shown`${percent(score)}  ${padded(known.key, 64)}  ${answersIn(known)}`
}

/** A payload for programs. */
export function jsonOf({ key, answers, madeFrom, bundles }: Known, score: number): object {
  return { key, score, bundles, answers: Object.fromEntries(answers), madeFrom: [...madeFrom] }
}
