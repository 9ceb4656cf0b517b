import { keyOf } from 'alvarium-sdk'
import { readPolicy, type ScoringPolicyFile } from 'alvarium-sdk/score'
import { describe, expect, it } from 'vitest'
import { verdictOf } from '../support/fabrics.js'

const version = 1

function faultsOf(given: unknown): string {
  try {
    readPolicy(given as ScoringPolicyFile)
  } catch (error) {
    return String(error)
  }
  return 'nothing'
}

describe('a scoring policy', () => {
  it('has a digest, which is the SHA-256 of its canonical JSON', () => {
    const { digest, json } = readPolicy({ version, weights: { tls: 2, src: 3 } })
    expect(json).toBe(
      '{"ancestors":"min","layers":"own","repeats":"once","required":[],"trust":[],"unknown":"lower","version":1,"weights":{"src":3,"tls":2}}',
    )
    expect(digest).toBe(keyOf(new TextEncoder().encode(json)).toLowerCase())
  })

  // claim: scoring-7
  it('has the same digest whatever its order of members, repetitions and omitted defaults', () => {
    const one = readPolicy({
      version,
      required: ['src', 'tls', 'src'],
      weights: { a: 1, b: 2 },
      repeats: 'once',
    })
    const other = readPolicy(
      '{"$schema": "x", "weights": {"b": 2, "a": 1}, "required": ["tls", "src"], "version": 1}',
    )
    expect(other.digest).toBe(one.digest)
    expect(readPolicy({ version, ancestors: 'own' }).digest).not.toBe(one.digest)
    const rules = [
      { signer: 'a', trust: 0 },
      { host: 'b', trust: 0.0001 },
    ]
    expect(readPolicy({ version, trust: rules }).digest).not.toBe(
      readPolicy({ version, trust: rules.toReversed() }).digest,
    )
  })

  it('can be read again from its canonical JSON', () => {
    const policy = readPolicy({
      version,
      required: ['src'],
      trust: [{ kind: 'tls', trust: 0.0007 }],
      layers: 'stack',
    })
    expect(readPolicy(policy.json)).toEqual(policy)
  })

  it('is refused with more than 1,000 weights, required kinds or trust rules', () => {
    const weights = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`kind-${at}`, 1]))
    expect(readPolicy({ version, weights: weights(1_000) }).json).toContain('"kind-999":1')
    expect(faultsOf({ version, weights: weights(1_001) })).toContain(
      'weights: expected at most 1000 entries, got 1001',
    )
    expect(faultsOf({ version, required: Array(1_001).fill('src') })).toContain(
      'required: expected at most 1000 entries, got 1001',
    )
    expect(faultsOf({ version, trust: Array(1_001).fill('?') })).toContain(
      'trust: expected at most 1000 entries, got 1001',
    )
  })

  it('may contain weights of kinds whose names are members of every object, such as __proto__', () => {
    const answers = JSON.parse('{"__proto__":true,"constructor":false}')
    const { weights } = JSON.parse('{"weights":{"__proto__":3}}')
    expect(verdictOf([{ key: 'A', answers }], { weights }).score).toBe(0.75)
    expect(faultsOf('{"version":1,"weights":{"__proto__":-1}}')).toContain(
      'weights.__proto__: expected an integer from 0',
    )
    expect(faultsOf('{"version":1,"weights":{"constructor":0.5}}')).toContain(
      'weights.constructor: expected an integer',
    )
    const one = readPolicy('{"version":1,"weights":{"__proto__":3}}')
    expect(one.digest).not.toBe(readPolicy({ version }).digest)
  })

  // claim: scoring-9
  it('may contain trust values from 0 to 1 with at most four decimals', () => {
    for (const trust of [0, 0.0001, 0.1, 0.5741, 0.9999, 1]) {
      expect(readPolicy({ version, trust: [{ trust }] }).json).toContain(`"trust":[{"trust":${trust}}]`)
    }
    for (const trust of [8_000, 80, 1.0001, -0.1, 0.00005, 1 / 3, 0.1 + 0.2, '0.5', null]) {
      expect(faultsOf({ version, trust: [{ trust }] })).toMatch(
        /^AlvariumError: trust\.0\.trust: expected a number from 0 to 1 with at most four decimals, got /,
      )
    }
    expect(faultsOf('{"version":1,"trust":[{"trust":8000}]}')).toMatch(/ got 8000$/)
  })

  it('is refused with an error that names all faults of the policy', () => {
    const faults = faultsOf({
      version: 2,
      wieghts: {},
      required: [''],
      trust: [{ trust: 8_000 }],
      ancestors: 'max',
    })
    for (const fault of [
      'version: expected 1, got 2',
      'wieghts: is not a known option (weights?)',
      'required.0: expected a kind',
      'trust.0.trust: expected a number from 0 to 1 with at most four decimals, got 8000',
      'ancestors: expected',
    ]) {
      expect(faults).toContain(fault)
    }
  })

  it.each([
    ['policy: expected JSON, got "{"', '{'],
    [
      'policy: expected JSON with each name once, got "required" twice',
      '{"version":1,"required":["src"],"required":[]}',
    ],
    ['weights.tls: expected an integer from 0 to 1000000', { version, weights: { tls: 0.5 } }],
    [
      'trust.0.signer: expected a text of whole characters',
      { version, trust: [{ signer: '\ud800', trust: 1 }] },
    ],
    ['trust.0.trust: expected', { version, trust: [{ signer: 'a' }] }],
    ['required: expected at most 1000', { version, required: Array(1_001).fill('src') }],
    [
      'policy: expected JSON with at most 10000 different names, got more',
      `{"weights":{${Array.from({ length: 10_001 }, (_, at) => `"${at}":1`)}}}`,
    ],
    ['policy: expected a text of at most 4194304 characters, got 4194305', ' '.repeat(4 * 1024 * 1024 + 1)],
    ['expected an object with options', 7],
  ])('is refused with the fault: %s', (fault, given) => {
    expect(faultsOf(given)).toContain(
      `AlvariumError: ${fault}`.replace('AlvariumError: expected', 'expected'),
    )
  })
})
