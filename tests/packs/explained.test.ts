// @internal: packs by as many policies take minutes
// @node-only: no engine decides it

import { expect, it } from 'vitest'
import { compareClaims } from '../../dist/evidence/packs/claims.js'
import { verdictBytes } from '../../dist/evidence/packs/verdict.js'
import { utf8 } from '../support/bytes.js'

type Verdict = Parameters<typeof compareClaims>[1]
type Context = Parameters<typeof compareClaims>[2]

const notShown = { word: 'not shown', missing: 0, refused: 0, undecided: 0 }
const byAnybody = { ...notShown, word: 'whole by seal', by: 'aa' }
const tally = { verified: 2, refused: 1, unknownSigner: 0 }

const verdict = {
  about: { query: 'all' },
  lines: { messages: tally, checkpoints: tally },
  payloads: 2,
  score: 1,
  scoredBy: 'bb',
  whole: notShown,
}

/** Values that the author writes in place of a member, and when FORMAT.md lets another policy explain them. */
const CHANGES: Readonly<
  Record<string, readonly [name: string, value: unknown, isExplained: (by: Policies) => boolean]>
> = {
  'another score': ['score', 0.5, ({ scoredBy, hasSignerRule }) => scoredBy === 'reader' || hasSignerRule],
  'another policy of scores': ['scoredBy', 'cc', ({ scoredBy }) => scoredBy === 'reader'],
  'what anybody may confirm': ['whole', byAnybody, () => true],
  'what nobody confirms': ['whole', { ...byAnybody, by: 'dd' }, () => false],
  'another number of payloads': ['payloads', 3, () => false],
  'a member more': ['more', 1, () => false],
  'other sums of lines': ['lines', { ...verdict.lines, messages: { ...tally, verified: 3 } }, () => false],
  'other counts of lines': [
    'lines',
    { ...verdict.lines, messages: { ...tally, verified: 1, unknownSigner: 1 } },
    () => true,
  ],
}

interface Policies {
  readonly trustedBy: 'reader' | 'pack'
  readonly scoredBy: 'reader' | 'pack'
  readonly hasSignerRule: boolean
}

const POLICIES: readonly Policies[] = (['reader', 'pack'] as const).flatMap((scoredBy) => [
  { trustedBy: 'reader', scoredBy, hasSignerRule: false },
  { trustedBy: 'reader', scoredBy, hasSignerRule: true },
])

async function compare(changes: readonly string[], { trustedBy, scoredBy, hasSignerRule }: Policies) {
  const changed = Object.fromEntries(
    changes.map((change) => CHANGES[change]?.slice(0, 2) as [string, unknown]),
  )
  const rule = { kind: 'tls', ...(hasSignerRule && { signer: 'edge-7' }) }
  const context = { trustedBy, scoredBy, policy: { trust: [rule] }, wholeByAnybody: async () => byAnybody }
  const claimed = verdictBytes({ ...verdict, ...changed } as unknown as Verdict)
  return compareClaims(claimed, verdict as unknown as Verdict, context as unknown as Context)
}

/** Returns every subset of these names. */
function choices([first, ...others]: readonly string[]): string[][] {
  if (first === undefined) return [[]]
  const rest = choices(others)
  const nameOf = (change: string) => CHANGES[change]?.[0]
  return [
    ...rest,
    ...rest.filter((all) => all.every((one) => nameOf(one) !== nameOf(first))).map((all) => [first, ...all]),
  ]
}

// claim: format-72
it('compareClaims attributes to a different policy exactly those differences that FORMAT.md lists', async () => {
  const all = choices(Object.keys(CHANGES))
  for (const policies of POLICIES)
    for (const changes of all) {
      const { differences, isExplained } = await compare(changes, policies)
      const isAll = changes.includes('other counts of lines')
      const isOf = (change: string) => change !== 'a member more' && (isAll || CHANGES[change]?.[2](policies))
      const expected = changes.every(isOf)
      expect([policies, changes, isExplained]).toEqual([policies, changes, expected])
      expect(differences).toEqual(changes.map((change) => CHANGES[change]?.[0]).sort())
    }
  expect(all).toHaveLength(144)
})

it.each([
  [
    'no difference to a different policy if the verdict uses the pack’s trust policy and scoring policy',
    'pack',
    [],
  ],
  [
    'only the score and the digest of the scoring policy to a different policy if only that policy is the reader’s',
    'reader',
    ['another score', 'another policy of scores'],
  ],
] as const)('compareClaims attributes %s', async (_, scoredBy, explained) => {
  for (const hasSignerRule of [false, true])
    for (const change of Object.keys(CHANGES)) {
      const found = await compare([change], { trustedBy: 'pack', scoredBy, hasSignerRule })
      expect([change, found.isExplained]).toEqual([change, explained.some((one) => one === change)])
    }
})

it.each([
  ['a JSON string', utf8('"verdict"')],
  ['a JSON array', utf8('[]')],
  ['not JSON', utf8('{')],
  [
    'the expected verdict in non-canonical JSON',
    utf8(`${new TextDecoder().decode(verdictBytes(verdict as unknown as Verdict))} `),
  ],
])('compareClaims attributes nothing to another policy if the stored verdict is %s', async (_, claimed) => {
  const context = {
    trustedBy: 'reader',
    scoredBy: 'reader',
    policy: { trust: [] },
    wholeByAnybody: async () => byAnybody,
  }
  const found = await compareClaims(claimed, verdict as unknown as Verdict, context as unknown as Context)
  expect(found).toEqual({ differences: ['verdict.json'], isExplained: false })
})
