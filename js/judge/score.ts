import type { Rules } from './policy.js'

/** How often the annotations of a kind are satisfied, and how often they are not. */
export interface Answers {
  /** Satisfied annotations. */
  readonly yes: number
  /** The others. */
  readonly no: number
}

/** See `Confidence.score`. */
export function scoreOf(answers: ReadonlyMap<string, Answers>, { weights, required }: Rules): number {
  // Without an answer there is no number of noes either.
  if (required.some((kind) => answers.get(kind)?.no !== 0)) return 0
  let [satisfied, all] = [0, 0]
  for (const [kind, { yes, no }] of answers) {
    const weight = weights.get(kind) ?? 1
    satisfied += weight * yes
    all += weight * (yes + no)
  }
  return all === 0 ? 0 : satisfied / all
}

/**
 * A score in percent. To show it, round it down with `Math.floor`: 99.9 % is not 100 %. 57 of 100 is 57 here, although
 * `100 * 0.57` is less.
 *
 * @param score - from 0 to 1
 * @returns from 0 to 100
 *
 * @example
 * ```ts
 * import { percentOf } from 'alvarium-sdk/judge'
 *
 * console.log(Math.floor(percentOf(0.57)), Math.floor(percentOf(0.999))) // 57 99
 * ```
 */
export function percentOf(score: number): number {
  const exact = 100 * score
  const whole = Math.round(exact)
  return Math.abs(exact - whole) < 1e-9 ? whole : exact
}
