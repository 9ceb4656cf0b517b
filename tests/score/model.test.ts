// @node-only: the same core reads the same bytes in every engine

import 'alvarium-sdk/verify'
import type { Input } from 'alvarium-sdk'
import type { ScoringPolicyFile } from 'alvarium-sdk/score'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Saying, verdictOf } from '../support/fabrics.js'
import { DEFAULTS, scoreOf } from './model.js'

const [KINDS, KEYS, SIGNERS, NAMES] = [
  ['src', 'tls', 'tpm'],
  ['A', 'B', 'C'],
  ['x', 'y'],
  ['1', '2'],
]
const LAYERS = ['app', 'cicd', 'os', 'host'] as const
const ok = fc.boolean()
const answers = fc.record({ src: ok, tls: ok, tpm: ok }, { requiredKeys: [] })

// claim: scoring-10, scoring-11, scoring-12, scoring-13
it('the score of a payload follows the rules of the guide, in 1,500 random graphs and policies', () => {
  fc.assert(
    fc.property(sayings(), policies(), (all, policy) => {
      expect(verdictOf(all, policy).score).toBe(
        scoreOf(all, { ...DEFAULTS, ...policy } as typeof DEFAULTS, 'A'),
      )
    }),
    { numRuns: 1_500 },
  )
})

function weights(): fc.Arbitrary<Record<string, number>> {
  const weight = fc.constantFrom(0, 1, 3, 1_000_000)
  return fc.record({ src: weight, tls: weight }, { requiredKeys: [] })
}

function sayings(): fc.Arbitrary<Saying[]> {
  const input: fc.Arbitrary<Input> = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...KEYS).map((key): Input => ({ key, hash: 'sha256' })) },
    { weight: 1, arbitrary: fc.constant<Input>({ set: '9f'.repeat(32) }) },
  )
  const one = fc.record({
    key: fc.constantFrom(...KEYS),
    answers,
    signer: fc.constantFrom(...SIGNERS),
    host: fc.constantFrom(...NAMES),
    tag: fc.constantFrom('', ...NAMES),
    layer: fc.constantFrom(...LAYERS, 'app' as const, 'os' as const),
    inputs: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(input, { maxLength: 2 }) },
    ),
  })
  return fc.array(one, { minLength: 1, maxLength: 12 })
}

function policies(): fc.Arbitrary<Omit<ScoringPolicyFile, 'version'>> {
  const named = fc.record(
    {
      signer: fc.constantFrom(...SIGNERS),
      host: fc.constantFrom(...NAMES),
      layer: fc.constantFrom(...LAYERS),
      kind: fc.constantFrom(...KINDS),
    },
    { requiredKeys: [] },
  )
  const rule = fc.tuple(named, fc.constantFrom(0, 0.3333, 0.5, 1)).map(([one, trust]) => ({ ...one, trust }))
  return fc.record(
    {
      weights: weights(),
      required: fc.subarray(KINDS, { maxLength: 2 }),
      trust: fc.array(rule, { maxLength: 3 }),
      repeats: fc.constantFrom('once' as const, 'each' as const),
      ancestors: fc.constantFrom('min' as const, 'product' as const, 'own' as const),
      layers: fc.constantFrom('own' as const, 'stack' as const),
      unknown: fc.constantFrom('lower' as const, 'ignore' as const),
    },
    { requiredKeys: [] },
  )
}
