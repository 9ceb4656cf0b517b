import { type ClassicVerdict, generateKey, keyOf, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { Confidence, nameOf, percentOf, type ScorePolicy } from 'alvarium-sdk/judge'
import { describe, expect, it } from 'vitest'
import { type Said, said } from '../support/said.js'

/** Returns the confidence in these bundles. */
function confidenceIn(bundles: readonly Said[], policy: ScorePolicy = {}): Confidence {
  const confidence = new Confidence(policy)
  for (const one of bundles) confidence.add(said(one))
  return confidence
}

const A = { key: 'A', hash: 'sha256' } as const

describe("a payload's score from Confidence", () => {
  const yesAndNo = [{ key: 'A', answers: { src: true, tls: false } }]

  // claim: verifying-3
  it('is the weight of its satisfied annotations divided by the weight of all', () => {
    expect(confidenceIn(yesAndNo).score(A)).toBe(0.5)
    expect(confidenceIn(yesAndNo, { weights: { src: 3 } }).score(A)).toBe(0.75)
    expect(confidenceIn(yesAndNo, { weights: { tls: 0 } }).score(A)).toBe(1)
    expect(confidenceIn(yesAndNo, { weights: { src: 2 } }).score(A)).toBe(0.6666)
  })

  it('is 0 without annotations or weights', () => {
    expect(confidenceIn([]).score(A)).toBe(0)
    expect(confidenceIn([{ key: 'A' }]).score(A)).toBe(0)
    expect(confidenceIn(yesAndNo, { weights: { src: 0, tls: 0 } }).score(A)).toBe(0)
  })

  // claim: verifying-6
  it('is 0 if a required kind is not satisfied or has no answer', () => {
    expect(confidenceIn(yesAndNo, { required: ['src'] }).score(A)).toBe(0.5)
    expect(confidenceIn(yesAndNo, { required: ['src', 'tls'] }).score(A)).toBe(0)
    expect(confidenceIn(yesAndNo, { required: ['pki'] }).score(A)).toBe(0)
  })

  it('counts kinds that are named like inherited members', () => {
    const answers = Object.fromEntries([
      ['constructor', true],
      ['__proto__', false],
    ])
    expect(confidenceIn([{ key: 'A', answers }]).score(A)).toBe(0.5)
    const weights = JSON.parse('{"__proto__":3}')
    expect(confidenceIn([{ key: 'A', answers }], { weights }).score(A)).toBe(0.25)
  })

  // claim: verifying-7
  it('counts each signer once for each kind, and a negative answer first, with oncePerSigner', () => {
    const answered = (src: boolean): Said => ({ key: 'A', answers: { src } })
    const [yes, no] = [answered(true), answered(false)]
    const others = { ...yes, signer: 'cd'.repeat(16) }
    expect(confidenceIn([yes, yes, no, others]).score(A)).toBe(0.75)
    for (const order of [
      [yes, yes, no, others],
      [no, yes, others, yes],
    ]) {
      expect(confidenceIn(order, { oncePerSigner: true }).of(A).answers.get('src')).toEqual({ yes: 1, no: 1 })
    }
  })

  it('counts two keys as one signer if a trust policy says that they belong together', () => {
    const both = ['ab', 'cd'].map((digits): Said => {
      const signer = digits.repeat(16)
      return {
        key: 'A',
        answers: { src: true },
        signer,
        signedBy: { id: signer, name: 'gateway-1', time: 'received' },
      }
    })
    expect(confidenceIn(both, { oncePerSigner: true }).of(A).answers.get('src')).toEqual({ yes: 1, no: 0 })
  })
})

describe('the statements about payloads in Confidence', () => {
  // claim: verifying-4
  it('count a repeated bundle once, even if it has no annotations', () => {
    const confidence = new Confidence()
    const bundle = said({ key: 'A', action: 'mutate', previousKey: 'B' })
    expect([confidence.add(bundle), confidence.add(bundle)]).toEqual([true, false])
    expect(confidence.of(A).bundles).toBe(1)
  })

  it('count a bundle once while it is among the last 1,000,000', () => {
    const confidence = new Confidence()
    const first = said({ key: 'A' })
    const heard = (id: string) => confidence.add({ ...first, id })
    expect(heard('first')).toBe(true)
    for (let at = 2; at <= 1_000_000; at++) heard(`${at}`)
    expect([heard('first'), heard('next'), heard('first')]).toEqual([false, true, true])
  })

  // claim: verifying-5
  it('are separate for payloads whose keys are equal under different hashes', () => {
    const confidence = confidenceIn([
      { key: 'A', answers: { src: false } },
      { key: 'A', hash: 'none', answers: { src: true } },
    ])
    expect(Array.from(confidence.payloads(), nameOf)).toEqual(['sha256 A', 'none A'])
    expect(confidence.score(A)).toBe(0)
    expect(confidence.score({ key: 'A', hash: 'none' })).toBe(1)
  })

  it('are empty for a payload that no bundle is about', () => {
    expect(confidenceIn([]).of(A)).toEqual({
      ...A,
      answers: new Map(),
      madeFrom: new Map(),
      madeFromSets: new Set(),
      bundles: 0,
    })
  })

  it('count the verified annotations of a classic message once, whatever the case of the key', () => {
    const confidence = new Confidence()
    const digest = { key: 'AB'.repeat(32), hash: 'sha256' } as const
    const annotation = { ...digest, id: '1', kind: 'src', isSatisfied: true, signer: 'ab'.repeat(16) }
    const verdicts = [
      { status: 'fulfilled', value: annotation },
      { status: 'fulfilled', value: { ...annotation, id: '2', key: 'ab'.repeat(32) } },
      { status: 'fulfilled', value: { ...annotation, isSatisfied: false } },
      { status: 'rejected', reason: new Error('altered') },
    ] as ClassicVerdict[]
    const message = { action: 'mutate', dialect: 'go', annotations: verdicts } as const
    confidence.addClassic(message)
    confidence.addClassic(message)
    const [only, ...others] = confidence.payloads()
    expect(only?.answers.get('src')).toEqual({ yes: 2, no: 1 })
    expect([others, only?.bundles]).toEqual([[], 0])
    expect(confidence.of({ ...digest, key: 'ab'.repeat(32) })).toEqual(only)
  })

  it('contain only verified bundles', async () => {
    const { signingKey, verifyingKey } = generateKey()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    const [raw, parsed] = [new TextEncoder().encode('"21.4"'), new TextEncoder().encode('21.4')]
    const receipts = [await sdk.create(raw), await sdk.mutate(raw, parsed)]
    await sdk.close()
    const confidence = new Confidence()
    for (const { message } of receipts) {
      confidence.add(await verifyMessage(message, { keyring: [verifyingKey] }))
    }
    const lineage = [...confidence.lineage({ key: keyOf(parsed), hash: 'sha256' })]
    expect(lineage.map(({ key, depth, bundles }) => [key, depth, bundles])).toEqual([
      [keyOf(parsed), 0, 1],
      [keyOf(raw), 1, 1],
    ])
  })
})

describe('the lineage of a payload in Confidence', () => {
  /** Returns the keys and depths of a payload's lineage, from mutates like `a>b`. */
  function lineage(key: string, ...mutates: string[]): string[] {
    const confidence = confidenceIn(
      mutates.map((text) => ({ action: 'mutate', previousKey: text.charAt(0), key: text.charAt(2) })),
    )
    return Array.from(confidence.lineage({ key, hash: 'sha256' }), (one) => `${one.depth}${one.key}`)
  }

  it('contains the payload and all of its sources, nearest first', () => {
    expect(lineage('d', 'a>b', 'b>c', 'x>c', 'c>d')).toEqual(['0d', '1c', '2b', '2x', '3a'])
    expect(lineage('x', 'x>c')).toEqual(['0x'])
  })

  it('contains each payload once, at its shortest distance, even in a cycle', () => {
    expect(lineage('c', 'a>b', 'b>c', 'c>a', 'a>c', 'c>c')).toEqual(['0c', '1b', '1a'])
  })

  it('follows each input by its own hash and key, and names the sets among the inputs', () => {
    const set = 'ab'.repeat(32)
    const inputs = [
      { key: 'B', hash: 'none' },
      { key: 'B', hash: 'sha256' },
      { set },
      { key: 'B', hash: 'none' },
    ] as const
    const confidence = confidenceIn([
      { action: 'mutate', key: 'A', inputs },
      { action: 'mutate', key: 'B', hash: 'none', previousKey: 'C' },
    ])
    const lineage = [...confidence.lineage(A)]
    expect(lineage.map((one) => `${one.depth} ${nameOf(one)}`)).toEqual([
      ...['0 sha256 A', '1 none B', '1 sha256 B', '2 none C'],
    ])
    expect(lineage.map(({ madeFromSets }) => [...madeFromSets])).toEqual([[set], [], [], []])
  })

  it('contains the inputs of each bundle, which are read at the first access', () => {
    let named = 0
    const inputs = ['B', 'C'].map((key) => ({
      hash: 'sha256' as const,
      get key() {
        named++
        return key
      },
    }))
    const confidence = confidenceIn([
      { action: 'mutate', key: 'A', inputs },
      { action: 'transit', key: 'A', answers: { src: true } },
    ])
    expect([confidence.score(A), named]).toEqual([1, 0])
    confidence.add(said({ action: 'mutate', key: 'A', previousKey: 'D' }))
    expect([...confidence.of(A).madeFrom.keys()]).toEqual(['sha256 B', 'sha256 C', 'sha256 D'])
  })

  it('contains only sources with the hash of the payload', () => {
    const confidence = confidenceIn([
      { action: 'mutate', hash: 'none', previousKey: 'B', key: 'A' },
      { key: 'B', answers: { src: true } },
    ])
    expect(Array.from(confidence.lineage({ key: 'A', hash: 'none' }), nameOf)).toEqual(['none A', 'none B'])
    expect([...confidence.lineage(A)]).toHaveLength(1)
  })
})

describe('a policy of Confidence', () => {
  it.each([
    [{ weights: { tls: -1 } }, 'policy.weights: expected a number from 0 to 1000000 for tls, got -1'],
    [
      { weights: { tls: Number.NaN } },
      'policy.weights: expected a number from 0 to 1000000 for tls, got NaN',
    ],
    [{ weights: { tls: 1e7 } }, 'for tls, got 10000000'],
    [{ weights: { tls: '2' } }, 'for tls, got a string'],
    [{ weights: { tls: undefined } }, 'for tls, got undefined'],
    [{ required: [''] }, 'policy.required: expected a kind, got nothing'],
    [{ required: [7] }, 'policy.required: expected a kind, got a number'],
    [{ require: ['tls'] }, 'policy.require: is not a known option (required?)'],
    [null, 'policy: expected an object with weights, required, oncePerSigner, got null'],
  ])('is refused with invalid members: %j', (policy, text) => {
    expect(() => new Confidence(policy as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(text) }),
    )
  })
})

describe('percentOf(score)', () => {
  it.each([
    [57, 100, 57],
    [29, 100, 29],
    [7, 25, 28],
    [5, 8, 62.5],
    [999, 1000, 99.9],
    [2, 3, 66.66],
    [99_999, 100_000, 99.99],
  ])('is exact: %i of %i is %d percent', (yes, all, percent) => {
    expect(percentOf(yes / all)).toBe(percent)
  })

  it('refuses a number that is not a score, and "unknown"', () => {
    for (const score of [2_000, 10_000, -1, Number.NaN, 'unknown' as unknown as number]) {
      expect(() => percentOf(score)).toThrow(/^score: expected a number from 0 to 1, got /)
    }
  })

  it('is below a whole percent if the score is, by however little', () => {
    const below = (score: number) => score * (1 - Number.EPSILON / 2)
    for (let percent = 1; percent <= 100; percent++) {
      expect(percentOf(percent / 100)).toBe(percent)
      expect(percentOf(below(percent / 100))).toBeLessThan(percent)
      expect(percentOf(percent / 100 - 1e-13)).toBeLessThan(percent)
    }
  })

  it('is 100 only for a score of 1, and not if an almost weightless annotation is negative', () => {
    const answers = { heavy: true, light: false }
    for (const yes of [1, 100_000]) {
      const confidence = new Confidence({ weights: { heavy: 1_000_000, light: 1e-6 } })
      confidence.add(said({ key: 'A', answers }))
      for (let more = 1; more < yes; more++) confidence.add(said({ key: 'A', answers: { heavy: true } }))
      const score = confidence.score({ key: 'A', hash: 'sha256' })
      expect(score).toBeLessThan(1)
      expect(percentOf(score)).toBeLessThan(100)
    }
  })
})
