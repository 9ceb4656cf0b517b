// @internal: packs of as many kinds take minutes
// @node-only: no engine decides it

import { expect, it } from 'vitest'
import { outcomeOf, type PackFacts } from '../../dist/evidence/packs/outcome.js'

/** Facts that decide the outcome of a pack, one value for each column of the table in FORMAT.md. */
interface Facts {
  readonly policy: 'the reader’s own' | 'that of the pack' | 'none, to see whether it is consistent'
  readonly content: { readonly bundles: number; readonly satisfied: number; readonly notSatisfied: number }
  readonly lines: readonly { readonly refused: number; readonly unknownSigner: number }[]
  readonly isExplained: boolean
  readonly about: 'payload' | 'query' | 'set' | 'log' | 'signer'
  readonly whole: { readonly word: 'not shown' | 'whole by log'; readonly missing: number }
  readonly logs: readonly { readonly forks: number; readonly unlisted: number; readonly verdict: string }[]
}

const nothing = { bundles: 0, satisfied: 0, notSatisfied: 0 }
const allGood = { refused: 0, unknownSigner: 0 }
const log = { forks: 0, unlisted: 0, verdict: 'complete' }

const VALUES: { readonly [Name in keyof Facts]: readonly Facts[Name][] } = {
  policy: ['the reader’s own', 'that of the pack', 'none, to see whether it is consistent'],
  content: [
    nothing,
    { ...nothing, bundles: 1 },
    { ...nothing, satisfied: 1 },
    { ...nothing, notSatisfied: 1 },
  ],
  lines: [
    [allGood, allGood],
    [{ ...allGood, refused: 1 }, allGood],
    [allGood, { ...allGood, refused: 2 }],
    [allGood, { ...allGood, unknownSigner: 1 }],
    [
      { ...allGood, unknownSigner: 3 },
      { ...allGood, refused: 1 },
    ],
  ],
  isExplained: [true, false],
  about: ['payload', 'query', 'set', 'log', 'signer'],
  whole: [
    { word: 'whole by log', missing: 0 },
    { word: 'not shown', missing: 0 },
    { word: 'not shown', missing: 1 },
  ],
  logs: [
    [],
    [log, { ...log, verdict: 'unknown' }],
    [log, { ...log, verdict: 'incomplete' }],
    [{ ...log, forks: 1 }, log],
    [log, { ...log, unlisted: 1 }],
  ],
}

/** Applies the table of FORMAT.md, row by row. */
function bySpecification({ policy, content, lines, isExplained, about, whole, logs }: Facts) {
  const hasUnknown = lines.some(({ unknownSigner }) => unknownSigner > 0)
  const isLoose = about === 'payload' || about === 'query'
  const rows: readonly (readonly [holds: boolean, fails: boolean])[] = [
    [policy !== 'that of the pack', false],
    [content !== nothing, false],
    [!hasUnknown && lines.every(({ refused }) => refused === 0), lines.some(({ refused }) => refused > 0)],
    [isExplained || hasUnknown, !isExplained && !hasUnknown],
    [whole.missing === 0 && (isLoose || whole.word !== 'not shown'), whole.missing > 0],
    ...logs.map(({ forks, unlisted, verdict }) => {
      const isBad = forks > 0 || unlisted > 0 || (about === 'query' && verdict === 'incomplete')
      return [!isBad, isBad] as const
    }),
  ]
  if (rows.some(([, fails]) => fails)) return 'does not hold'
  return rows.every(([holds]) => holds) ? 'holds' : 'cannot tell'
}

function packOf({ policy, content, lines, isExplained, about, whole, logs }: Facts): PackFacts {
  const { bundles, ...annotations } = content
  const pack = {
    trustedBy: policy === 'the reader’s own' ? 'reader' : 'pack',
    checksConsistencyOnly: policy === 'none, to see whether it is consistent',
    claim: { differences: [], isExplained },
    found: { whole, clause: '' },
    verdict: { bundles, annotations, lines: { ...lines }, about: { [about]: '' }, whole, logs },
  }
  return pack as unknown as PackFacts
}

function* combinations(names = Object.keys(VALUES) as (keyof Facts)[]): Generator<Facts> {
  const [name, ...others] = names
  if (!name) yield {} as Facts
  else
    for (const rest of combinations(others))
      for (const value of VALUES[name]) yield { ...rest, [name]: value }
}

// claim: format-71
it('the outcome of a pack is the worst outcome of its checks', () => {
  const wrong: unknown[] = []
  let count = 0
  for (const facts of combinations()) {
    count++
    const { outcome, needs } = outcomeOf(packOf(facts))
    const expected = bySpecification(facts)
    if (outcome !== expected || (needs !== undefined) !== (expected === 'cannot tell'))
      wrong.push([facts, outcome])
  }
  expect([count, wrong.slice(0, 3)]).toEqual([9_000, []])
})
