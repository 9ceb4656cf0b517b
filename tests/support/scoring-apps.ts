import type { Saying } from './fabrics.js'

/** Model of how scoring-apps-go scores annotations in floating-point numbers, written from its code. */
export interface ScoringApps {
  readonly weights: Readonly<Record<string, number>>
  /** Rounds a score for storage: to hundredths. */
  round(score: number): number
}

export const toHundredths = (score: number) => Math.round(score * 100) / 100
/** Returns whole ten-thousandths of a number with a floating-point error. */
export const toTenThousandths = (score: number) => Math.floor(score * 10_000 + 1e-8) / 10_000

/** Returns the stored score of a payload in a layer, from all earlier statements. */
export function scoreOf(apps: ScoringApps, said: readonly Saying[], key: string, layer = 'app'): number {
  const about = said.filter((one) => one.key === key && one.layer === layer)
  const answers = about.flatMap(({ answers }) => Object.entries(answers))
  let [satisfied, all] = [0, 0]
  for (const [kind, ok] of answers) {
    const weight = apps.weights[kind] ?? 1
    satisfied += ok ? weight : 0
    all += weight
  }
  const below: [string, (one: Saying) => string | undefined][] =
    layer === 'app'
      ? [
          ['cicd', ({ tag }) => tag],
          ['os', ({ host }) => host],
        ]
      : layer === 'os'
        ? [['host', ({ tag }) => tag]]
        : []
  const factors = below.map(([lower, nameOf]) => {
    const sum = about.reduce((total, one) => {
      const newest = said.findLast(({ layer: its, tag }) => its === lower && tag === nameOf(one))
      const times = Object.keys(one.answers).length
      return total + times * (newest ? scoreOf(apps, said, newest.key, lower) : 0)
    }, 0)
    return sum / answers.length
  })
  // `if > 0`: a score of 0.0 counts as unknown.
  return apps.round(factors.reduce((score, factor) => (factor > 0 ? score * factor : score), satisfied / all))
}
