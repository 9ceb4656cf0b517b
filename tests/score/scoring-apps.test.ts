// @node-only: the same core reads the same bytes in every engine

import 'alvarium-sdk/verify'
import type { ScoringPolicyFile } from 'alvarium-sdk/score'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Saying, verdictOf } from '../support/fabrics.js'
import { type ScoringApps, scoreOf, toHundredths, toTenThousandths } from '../support/scoring-apps.js'

const weights = { src: 3, tls: 10 }
/** The rules of scoring-apps-go as a policy: it counts every repetition, and ignores the lineage. */
const ITS = { weights, repeats: 'each', ancestors: 'own', layers: 'stack', unknown: 'ignore' } as const
const withRounding = (round: ScoringApps['round']): ScoringApps => ({ weights, round })
const ITS_OWN = withRounding(toHundredths)

const of = (all: readonly Saying[], policy: Partial<ScoringPolicyFile> = ITS) => verdictOf(all, policy).score
const app: Saying = { key: 'A', layer: 'app', host: 'edge-7', tag: 'v1', answers: { src: true } }

describe('a score by the formula of scoring-apps-go', () => {
  it('equals the formula computed without intermediate rounding, in 2,000 random graphs', () => {
    fc.assert(
      fc.property(fabrics(), (all) => {
        const exact = scoreOf(withRounding(toTenThousandths), all, 'A')
        expect(of(all)).toBe(exact)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is 0 if no annotation of the host is satisfied, whereas scoring-apps-go gives 1.0', () => {
    const all: Saying[] = [{ key: 'H', layer: 'os', tag: 'edge-7', answers: { tpm: false } }, app]
    expect(scoreOf(ITS_OWN, all, 'A')).toBe(1)
    expect(of(all)).toBe(0)
  })

  it('is not halved if one of two hosts has no annotations, whereas scoring-apps-go halves it', () => {
    const all: Saying[] = [
      { key: 'H', layer: 'os', tag: 'edge-7', answers: { tpm: true } },
      app,
      { ...app, host: 'edge-8' },
    ]
    expect(scoreOf(ITS_OWN, all, 'A')).toBe(0.5)
    expect(of(all)).toBe(1)
    expect(of(all, { ...ITS, unknown: 'lower' })).toBe(0)
  })

  it('does not depend on the order of arrival, unlike the score of scoring-apps-go', () => {
    const host: Saying = {
      key: 'H',
      layer: 'os',
      tag: 'edge-7',
      answers: { tpm: true, 'secure-boot': false },
    }
    // scoring-apps-go scores when an annotation arrives, and never again.
    expect(scoreOf(ITS_OWN, [app], 'A')).toBe(1)
    expect(scoreOf(ITS_OWN, [host, app], 'A')).toBe(0.5)
    expect([of([app, host]), of([host, app])]).toEqual([0.5, 0.5])
  })

  it('may be lowered by a bad source, which scoring-apps-go ignores', () => {
    const all: Saying[] = [
      { ...app, key: 'B', answers: { src: false } },
      { ...app, previousKey: 'B' },
    ]
    expect(scoreOf(ITS_OWN, all, 'A')).toBe(1)
    expect(of(all)).toBe(1)
    expect(of(all, { ...ITS, ancestors: 'min' })).toBe(0)
  })
})

const NAMES = ['1', '2']

/**
 * Makes bundles in which every build and host is known and none scores 0: each has one kind that is always satisfied.
 */
function fabrics(): fc.Arbitrary<Saying[]> {
  const [name, ok] = [fc.constantFrom(...NAMES), fc.boolean()]
  const answers = fc
    .record({ src: ok, tls: ok, tpm: ok }, { requiredKeys: [] })
    .map((some) => ({ ...some, fine: true }))
  const lower = (layer: 'cicd' | 'os' | 'host') =>
    fc.tuple(
      ...NAMES.map((tag) =>
        answers.map((some): Saying => ({ key: `${layer}${tag}`, layer, tag, answers: some })),
      ),
    )
  const apps = fc.array(
    fc.record({ host: name, tag: name, answers }).map((one): Saying => ({ ...one, key: 'A', layer: 'app' })),
    { minLength: 1, maxLength: 6 },
  )
  return fc.tuple(lower('host'), lower('os'), lower('cicd'), apps).map((parts) => parts.flat())
}
