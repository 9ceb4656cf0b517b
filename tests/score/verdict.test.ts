// @node-only: the same core reads the same bytes in every engine

import { type ClassicVerdict, keyOf } from 'alvarium-sdk'
import {
  BundleGraph,
  nameOf,
  readPolicy,
  type ScoringInput,
  scorePayload,
  scorePayloadInTurns,
  verdictBytes,
} from 'alvarium-sdk/score'
import { describe, expect, it } from 'vitest'
import { A, fabricOf, type Saying, verdictOf } from '../support/fabrics.js'
import { said } from '../support/said.js'
import { countedTurns } from '../support/turns.js'

const yes: Saying = { key: 'A', answers: { src: true } }
const no: Saying = { key: 'A', answers: { src: false } }

describe('the verdict on a payload', () => {
  // claim: verifying-3
  it('has as its score the satisfied weight from 0 to 1, rounded down to four decimals', () => {
    expect(verdictOf([{ key: 'A', answers: { src: true, tls: true, tpm: false } }]).score).toBe(0.6666)
    expect(verdictOf([{ key: 'A', answers: { src: true, tls: false } }], { weights: { src: 3 } }).score).toBe(
      0.75,
    )
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`kind-${at}`, at > 0]))
    expect(verdictOf([{ key: 'A', answers: many }], { weights: { 'kind-1': 1_000_000 } }).score).toBe(0.9999)
  })

  // claim: scoring-4
  it('has the score 0 without annotations', () => {
    expect(verdictOf([])).toMatchObject({ ...A, score: 0, why: { own: 0, answers: [] } })
  })

  it('names the policy and the size of the log', () => {
    const policy = readPolicy({ version: 1 })
    expect(scorePayload(fabricOf([yes, yes]).scoringInput(A), policy)).toMatchObject({
      policy: policy.digest,
      log: { size: 2 },
    })
  })

  it('scores a host only by the bundles about the host that the host itself signed', () => {
    const host: Saying = { key: 'HOST', answers: { tpm: true }, layer: 'os', tag: 'edge-7' }
    const app: Saying = { key: 'HOST', answers: { src: false }, layer: 'app', tag: 'edge-7' }
    const { environments } = fabricOf([host, app, { ...yes, host: 'edge-7' }]).scoringInput(A)
    expect(environments).toMatchObject([{ layer: 'os', tag: 'edge-7', statements: [{ layer: 'os' }] }])
  })

  it("ignores an application's bundles about a host if the host signed a bundle about itself", () => {
    const host: Saying = { key: 'HOST', answers: { tpm: true }, layer: 'os', tag: 'edge-7' }
    const dossier = fabricOf([host, { ...yes, host: 'edge-7' }]).scoringInput(A)
    const policy = readPolicy({ version: 1, layers: 'stack', unknown: 'ignore' })
    const refused = fabricOf([no]).scoringInput(A).payload.statements
    const environments = dossier.environments?.map((one) => ({
      ...one,
      statements: [...one.statements, ...refused],
    }))
    expect(scorePayload(dossier, policy).score).toBe(1)
    expect(scorePayload({ ...dossier, environments }, policy).score).toBe(1)
  })

  it('has the score 0 if a required kind is missing or not satisfied, and names that kind', () => {
    const both = { ...yes, answers: { src: true, tls: false } }
    expect(verdictOf([yes], { required: ['src'] }).score).toBe(1)
    expect(verdictOf([both], { required: ['tls', 'src', 'pki'] })).toMatchObject({
      score: 0,
      why: { vetoes: ['pki', 'tls'] },
    })
  })

  // claim: scoring-6
  it("counts a signer's answers of one kind, host and layer as one, negative if any of them is negative", () => {
    const other = { ...yes, signer: 'cd'.repeat(16) }
    expect(verdictOf([yes, yes, no, other]).score).toBe(0.5)
    expect(verdictOf([yes, no, yes, { ...yes, host: 'edge-8' }]).score).toBe(0.5)
    expect(verdictOf([yes, yes, no, other], { repeats: 'each' }).score).toBe(0.75)
  })

  it('counts two public keys as one signer if a trust policy gives both the same name', () => {
    const signedBy = (id: string) => ({ signedBy: { id, name: 'gateway-1', time: 'received' as const } })
    const fabric = new BundleGraph()
    for (const [signer, src] of [
      ['ab', true],
      ['cd', false],
    ] as const) {
      const id = signer.repeat(16)
      fabric.add(said({ key: 'A', answers: { src }, signer: id, ...signedBy(id) }))
    }
    const { score, why } = scorePayload(fabric.scoringInput(A), readPolicy({ version: 1 }))
    expect([score, why.answers]).toMatchObject([0, [{ signer: 'gateway-1', isSatisfied: false }]])
  })

  it('weighs a positive answer by the trust in its signer, host, layer or kind', () => {
    const signer = 'ab'.repeat(16)
    for (const rule of [{ signer }, { host: 'edge-7' }, { layer: 'app' as const }, { kind: 'src' }, {}]) {
      expect(verdictOf([yes], { trust: [{ ...rule, trust: 0.25 }] }).score).toBe(0.25)
    }
    expect(verdictOf([yes], { trust: [{ trust: 0.0029 }] }).score).toBe(0.0029)
    const trust = [
      { signer, kind: 'tls', trust: 0 },
      { signer, trust: 0.25 },
    ]
    expect(verdictOf([{ ...yes, answers: { src: true, pki: false } }], { trust }).score).toBe(0.125)
    expect(verdictOf([yes], { trust: [{ host: 'edge-8', trust: 0 }] }).score).toBe(1)
  })

  // claim: scoring-3
  it('has the score 1 if all annotations with a weight are satisfied', () => {
    expect(verdictOf([{ ...yes, answers: { src: true, tls: false } }], { weights: { tls: 0 } }).score).toBe(1)
  })

  // claim: scoring-5
  it('ignores the annotations of signers whose trust is 0', () => {
    const liar = { ...no, signer: 'cd'.repeat(16) }
    const trust = [{ signer: 'cd'.repeat(16), trust: 0 }]
    expect(verdictOf([yes, liar], { trust, required: ['src'] }).score).toBe(1)
    expect(verdictOf([{ ...liar, answers: { src: true } }], { trust, required: ['src'] }).score).toBe(0)
  })

  it("combines the scores of a payload and its sources as the policy's member `ancestors` says", () => {
    const half = { src: true, tls: false }
    const line = [
      { ...yes, previousKey: 'B' },
      { key: 'B', answers: half, previousKey: 'C' },
      { key: 'C', answers: half },
    ]
    expect(verdictOf(line)).toMatchObject({
      score: 0.5,
      why: {
        own: 1,
        ancestors: [
          { key: 'B', depth: 1, score: 0.5 },
          { key: 'C', depth: 2 },
        ],
      },
    })
    expect(verdictOf(line, { ancestors: 'product' }).score).toBe(0.25)
    expect(verdictOf(line, { ancestors: 'own' })).toMatchObject({ score: 1, why: { ancestors: [] } })
    expect(verdictOf([{ ...yes, previousKey: 'never heard of' }]).score).toBe(0)
  })

  it('counts each of two payloads once if each was made from the other', () => {
    const circle = [
      { ...yes, previousKey: 'B' },
      { key: 'B', answers: { src: true }, previousKey: 'A' },
    ]
    expect(verdictOf(circle, { ancestors: 'product' }).why.ancestors).toHaveLength(1)
  })

  it('has an unknown score if the sources of the payload are unknown', () => {
    const fabric = fabricOf([
      { ...yes, previousKey: 'SET' },
      { key: 'SET', answers: { src: true } },
    ])
    fabric.addGap({ key: 'SET', hash: 'sha256' }, 'set')
    const policy = readPolicy({ version: 1 })
    expect(scorePayload(fabric.scoringInput(A), policy)).toMatchObject({
      score: 'unknown',
      why: { gaps: [{ key: 'SET', gap: 'set' }] },
    })
    expect(scorePayload(fabric.scoringInput(A), readPolicy({ version: 1, required: ['tls'] })).score).toBe(0)
    expect(scorePayload(fabric.scoringInput(A), readPolicy({ version: 1, ancestors: 'own' })).score).toBe(1)
  })

  // claim: scoring-1
  it('uses all inputs of a payload, each by its own hash and key', () => {
    const inputs = [
      { key: 'B', hash: 'none' },
      { key: 'B', hash: 'sha256' },
    ] as const
    const fabric = fabricOf([
      { ...yes, inputs },
      { key: 'B', answers: { src: true } },
      { key: 'B', hash: 'none', answers: { src: true, tls: false } },
    ])
    const score = (ancestors: 'min' | 'product') =>
      scorePayload(fabric.scoringInput(A), readPolicy({ version: 1, ancestors })).score
    expect(score('min')).toBe(0.5)
    fabric.add(said({ key: 'B', answers: { src: false } }))
    expect([score('min'), score('product')]).toEqual([0, 0])
  })

  // claim: scoring-2
  it('has an unknown score if the members of an input set are unknown, unless the score is 0 anyway', () => {
    const ofSet = { key: 'B', answers: { src: true }, inputs: [{ set: 'ab'.repeat(32) }] }
    const policy = readPolicy({ version: 1, ancestors: 'product' })
    for (const sayings of [[{ ...ofSet, key: 'A' }], [{ ...yes, previousKey: 'B' }, ofSet]]) {
      expect(scorePayload(fabricOf(sayings).scoringInput(A), policy)).toMatchObject({
        score: 'unknown',
        why: { gaps: [{ gap: 'set' }] },
      })
    }
    const bad = [
      { ...yes, previousKey: 'B' },
      { ...ofSet, answers: { src: false } },
    ]
    expect(scorePayload(fabricOf(bad).scoringInput(A), policy).score).toBe(0)
  })

  it('has an unknown score if the payload has more inputs than the limit', () => {
    const inputs = Array.from({ length: 10_000 }, (_, at) => ({ key: `${at}`, hash: 'none' }) as const)
    const created = inputs.map((one) => ({ ...one, answers: { src: true } }))
    const fabric = fabricOf([{ ...yes, inputs }, ...created])
    const policy = readPolicy({ version: 1 })
    expect(scorePayload(fabric.scoringInput(A, { limit: 10_000 }), policy).score).toBe(1)
    expect(scorePayload(fabric.scoringInput(A, { limit: 9_999 }), policy).score).toBe('unknown')
  })

  it('is the same with and without yielding to the event loop', async () => {
    const inputs = Array.from({ length: 5_000 }, (_, at) => ({ key: `${at}`, hash: 'none' }) as const)
    const created = inputs.map((one, at) => ({
      ...one,
      answers: { src: true, tls: at % 7 > 0, bad: at % 5 > 0 },
    }))
    const fabric = fabricOf([{ ...yes, inputs: [...inputs, { set: '9f'.repeat(32) }] }, ...created])
    for (const ancestors of ['min', 'product', 'own'] as const) {
      const policy = readPolicy({ version: 1, ancestors, weights: { bad: 0, tls: 0 } })
      const options = { limit: 5_000 }
      const whole = scorePayload(fabric.scoringInput(A, options), policy)
      const turns = await countedTurns(1)
      try {
        const verdict = await scorePayloadInTurns(await fabric.scoringInputInTurns(A, options), policy)
        expect(verdictBytes(verdict)).toEqual(verdictBytes(whole))
        // A turn ends after 8 readings of the clock; there are at least two for each input.
        expect(turns.count).toBeGreaterThan(ancestors === 'own' ? 600 : 1_200)
      } finally {
        turns.end()
      }
    }
  })

  it('lists the lowest scores of very many ancestors, the lowest first', () => {
    const inputs = Array.from({ length: 9_000 }, (_, at) => ({ key: `${at}`, hash: 'none' }) as const)
    const created = inputs.map((one, at) => ({ ...one, answers: { src: true, tls: at % 6 > 0 } }))
    const { why } = scorePayload(
      fabricOf([{ ...yes, inputs }, ...created]).scoringInput(A, { limit: 9_000 }),
      readPolicy({ version: 1 }),
    )
    const worst = inputs
      .filter((_, at) => at % 6 === 0)
      .map(({ key }) => key)
      .sort()
    expect(why.ancestors.map(({ key }) => key)).toEqual(worst.slice(0, 1_000))
    expect([why.ancestors[0]?.score, why.leftOut]).toEqual([0.5, 8_000])
  })

  it('has the exact product of the scores of very many ancestors, rounded down once', () => {
    const inputs = Array.from({ length: 300 }, (_, at) => ({ key: `${at}`, hash: 'none' }) as const)
    const created = inputs.map((one, at) => ({ ...one, answers: { src: true, tls: at % 3 > 0 } }))
    const fabric = fabricOf([{ ...yes, inputs }, ...created])
    const policy = readPolicy({ version: 1, ancestors: 'product', weights: { src: 9_999, tls: 1 } })
    expect(scorePayload(fabric.scoringInput(A), policy).score).toBe(
      Math.floor(10_000 * 0.9999 ** 100) / 10_000,
    )
  })

  it('has an unknown score if there are more ancestors than the limit', () => {
    const fabric = fabricOf([
      { ...yes, previousKey: 'B' },
      { key: 'B', answers: { src: true } },
    ])
    const policy = readPolicy({ version: 1 })
    expect(scorePayload(fabric.scoringInput(A, { limit: 0 }), policy)).toMatchObject({
      score: 'unknown',
      why: { gaps: [{ gap: 'limit' }] },
    })
    expect(scorePayload(fabric.scoringInput(A, { limit: 1 }), policy).score).toBe(1)
  })

  it('has a score that includes builds and hosts if the policy has layers: "stack"', () => {
    const app: Saying = { ...yes, layer: 'app', tag: 'v1' }
    const build: Saying = { key: 'B', layer: 'cicd', tag: 'v1', answers: { sbom: true, checksum: false } }
    const verdict = verdictOf([app, build], { layers: 'stack', unknown: 'ignore' })
    expect(verdict).toMatchObject({
      score: 0.5,
      why: {
        environments: [
          { layer: 'cicd', tag: 'v1', score: 0.5 },
          { layer: 'os', tag: 'edge-7' },
        ],
      },
    })
    expect(verdictOf([app, build], { layers: 'stack' }).score).toBe(0)
    const trust = [{ layer: 'cicd' as const, trust: 0 }]
    expect(verdictOf([app, build], { layers: 'stack', unknown: 'ignore', trust }).score).toBe(1)
  })

  it('does not depend on the order of the bundles', () => {
    const some = [yes, { ...no, host: 'edge-8' }, { ...yes, signer: 'cd'.repeat(16), answers: { tls: true } }]
    expect(verdictBytes(verdictOf(some))).toEqual(verdictBytes(verdictOf(some.toReversed())))
  })

  it('lists at most 1,000 entries of each kind, and states how many are omitted', () => {
    const some = Array.from({ length: 1_002 }, (_, at) => ({ ...yes, host: `edge-${at}` }))
    expect(verdictOf(some).why).toMatchObject({ leftOut: 2, answers: { length: 1_000 } })
  })

  it('is serialized to the same bytes on each platform', () => {
    const host = 'Zürich \u{1f600} "\u0000'
    const some: Saying[] = [
      { ...yes, host, previousKey: 'B' },
      { key: 'B', answers: { constructor: true, tls: false } },
    ]
    const bytes = verdictBytes(verdictOf(some, { weights: { tls: 7 }, trust: [{ host, trust: 0.3333 }] }))
    expect(new TextDecoder().decode(bytes)).toMatch(
      /^\{"hash":"sha256","key":"A","log":\{"size":2\},"policy":"/,
    )
    expect(keyOf(bytes)).toBe('F73E3F09A06A8403BAE278C4A63C4DDE6B931E11354F6058B995CC2420AC003F')
  })

  it('has an unknown score if the store has pruned bundles about the payload', () => {
    const payload: ScoringInput['payload'] = { ...A, statements: [], gap: 'pruned' }
    const verdict = scorePayload(
      { payload, log: { origin: 'store', size: 7, pruned: 3 } },
      readPolicy({ version: 1 }),
    )
    expect(verdict).toMatchObject({ score: 0, log: { origin: 'store', size: 7, pruned: 3 } })
  })
})

describe('a BundleGraph', () => {
  // claim: verifying-4
  it('counts a repeated bundle once', () => {
    const fabric = new BundleGraph()
    const bundle = said(yes)
    expect([fabric.add(bundle), fabric.add(bundle), fabric.size]).toEqual([true, false, 1])
  })

  it('lists equal statements about a payload once, with their count, ordered by their last occurrence', () => {
    const fabric = fabricOf([yes, no, yes, yes])
    const [first, second] = fabric.statements(A)
    expect(fabric.statements(A)).toHaveLength(2)
    expect([first?.count, second?.count]).toEqual([undefined, 3])
    expect(second?.annotations).toEqual([{ kind: 'src', tag: expect.any(String), isSatisfied: true }])
    expect(fabric.scoringInput(A).payload.statements).toEqual([first, second])
    expect(fabric.statements({ key: 'B', hash: 'sha256' })).toEqual([])
  })

  // claim: verifying-5
  it('separates payloads that have the same payload key under different hashes', () => {
    const fabric = fabricOf([no, { ...yes, hash: 'none' }])
    expect(Array.from(fabric.payloads(), nameOf)).toEqual(['sha256 A', 'none A'])
    const scores = [...fabric.payloads()].map(
      (one) => scorePayload(fabric.scoringInput(one), readPolicy({ version: 1 })).score,
    )
    expect(scores).toEqual([0, 1])
  })

  it('counts each verified annotation of a classic message once, whatever the case of its payload key', () => {
    const fabric = new BundleGraph()
    const digest = { key: 'AB'.repeat(32), hash: 'sha256' } as const
    const value = { ...digest, id: '1', kind: 'src', tag: '', isSatisfied: true, signer: 'ab'.repeat(16) }
    const annotations = [
      { status: 'fulfilled', value },
      { status: 'fulfilled', value: { ...value, id: '2', key: 'ab'.repeat(32) } },
      { status: 'fulfilled', value: { ...value, isSatisfied: false } },
      { status: 'rejected', reason: new Error('altered') },
    ] as ClassicVerdict[]
    for (let time = 0; time < 2; time++) fabric.addClassic({ annotations })
    expect([...fabric.payloads()]).toEqual([digest])
    const [said, ...others] = fabric.statements({ ...digest, key: 'ab'.repeat(32) })
    expect([fabric.size, said?.count, others.length]).toEqual([3, 2, 1])
    expect(fabric.madeFrom(digest)).toEqual([])
  })

  it('has the lineage of a payload, nearest first, each payload once, also in a cycle', () => {
    const lineage = (key: string, ...mutates: string[]) => {
      const fabric = fabricOf(
        mutates.map((text) => ({ key: text.charAt(2), previousKey: text.charAt(0), answers: {} })),
      )
      return Array.from(fabric.lineage({ key, hash: 'sha256' }), (one) => `${one.depth}${one.key}`)
    }
    expect(lineage('d', 'a>b', 'b>c', 'x>c', 'c>d')).toEqual(['0d', '1c', '2b', '2x', '3a'])
    expect(lineage('x', 'x>c')).toEqual(['0x'])
    expect(lineage('c', 'a>b', 'b>c', 'c>a', 'a>c', 'c>c')).toEqual(['0c', '1b', '1a'])
  })

  it('lists inputs with the same key but different hashes separately in a lineage', () => {
    const set = 'ab'.repeat(32)
    const fabric = fabricOf([
      { ...yes, inputs: [{ key: 'B', hash: 'none' }, { key: 'B', hash: 'sha256' }, { set }] },
      { ...yes, inputs: [{ key: 'B', hash: 'none' }, { set }] },
      { key: 'B', hash: 'none', previousKey: 'C', answers: {} },
    ])
    const lineage = [...fabric.lineage(A)]
    expect(lineage.map((one) => `${one.depth} ${nameOf(one)}`)).toEqual([
      ...['0 sha256 A', '1 none B', '1 sha256 B', '2 none C'],
    ])
    expect(lineage.map((one) => fabric.madeFromSets(one))).toEqual([[set], [], [], []])
  })

  it('counts the payloads of a set as sources only after addMembers() has named them', () => {
    const policy = readPolicy({ version: 1 })
    const set = '9f'.repeat(32)
    const fabric = fabricOf([
      { ...yes, inputs: [{ set }] },
      { ...yes, key: 'B' },
      { ...no, key: 'C' },
    ])
    const score = () => scorePayload(fabric.scoringInput(A), policy).score
    expect([score(), fabric.madeFrom(A)]).toEqual(['unknown', []])
    fabric.addMembers(set, ['B'])
    expect([score(), fabric.madeFrom(A)]).toEqual([1, [{ hash: 'sha256', key: 'B' }]])
    fabric.addMembers(set, ['B', 'C'])
    expect([...fabric.lineage(A)].map(({ key, depth, gap }) => [key, depth, gap])).toEqual([
      ['A', 0, undefined],
      ['B', 1, undefined],
      ['C', 1, undefined],
    ])
    expect(score()).toBe(0)
  })

  it('gives "pruned" rather than "set" as the reason of an unknown score if both apply', () => {
    const fabric = fabricOf([{ ...yes, inputs: [{ set: '9f'.repeat(32) }] }])
    const { key, hash } = A
    fabric.addGap(A, 'pruned')
    expect(scorePayload(fabric.scoringInput(A), readPolicy({ version: 1 }))).toMatchObject({
      score: 'unknown',
      why: { gaps: [{ key, hash, gap: 'pruned' }] },
    })
  })

  it('accepts a generator as the members of a set, and reads the generator only once', () => {
    const set = '9f'.repeat(32)
    const fabric = fabricOf([
      { ...yes, inputs: [{ set }] },
      { ...no, key: 'B' },
    ])
    fabric.addMembers(
      set,
      (function* () {
        yield 'B'
      })(),
    )
    for (let time = 0; time < 2; time++) expect(fabric.madeFrom(A)).toEqual([{ hash: 'sha256', key: 'B' }])
  })

  it('refuses an invalid limit', () => {
    expect(() => new BundleGraph().scoringInput(A, { limit: -1 })).toThrow(
      'limit: expected an integer from 0 to 100000, got -1',
    )
  })
})
