// @each-database

import { keyOf, type Layer, source, verifyBatch } from 'alvarium-sdk'
import {
  BundleGraph,
  readPolicy,
  type ScoringPolicyFile,
  scorePayload,
  scorePayloadInTurns,
  verdictBytes,
} from 'alvarium-sdk/score'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { soon } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { keyring, opened, yes } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'
import { onEachDatabase, onOneDatabase } from './databases.js'

const NAMES = 'abcdef'.split('')
const no = (kind: string) => ({ kind, isSatisfied: () => false })

/**
 * Signs mutates, written as `from>to` or `from+from>to` (`*` and `**` are sealed sets, and `#` before a name its text
 * itself), and statements of a layer, as `layer:name`; a name alone is a create. `v2:` is another build. With `!`,
 * one more annotation is not satisfied.
 */
async function fabric(...steps: string[]): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = []
  for (const step of steps) {
    const [said, rest] = step.includes(':') ? (step.split(':') as [string, string]) : ['app', step]
    const layer = (said === 'v2' ? 'app' : said) as Layer
    const options = { layer, tag: said === 'v2' ? said : said === 'os' ? 'edge-7' : 'v1', host: 'edge-7' }
    const { sdk, stream } = await opened(
      [source(), yes('tls'), ...(rest.includes('!') ? [no('pki')] : [])],
      options,
    )
    const [from = '', to] = rest.replace('!', '').split('>')
    if (to === undefined) await sdk.create(utf8(from))
    else if (from.includes('+')) await sdk.mutate(from.split('+').map(inputNamed), utf8(to))
    else await sdk.mutate(utf8(from), utf8(to))
    await sdk.close()
    messages.push(...stream.messages)
  }
  return messages
}

/** Keys in the sets. The second set contains `b`, which can be made from the first. */
const listed = new Map(
  [
    ['*', 'a', 'e', 'never heard of'],
    ['**', 'b', 'e'],
  ].map(([name = '', ...rest]) => [setNamed(name), rest.map((one) => keyOf(utf8(one)))] as const),
)

function setNamed(name: string): string {
  return (name === '*' ? 'ab' : 'cd').repeat(32)
}

function inputNamed(name: string) {
  if (name.startsWith('*')) return { set: setNamed(name) }
  return name.startsWith('#') ? ({ key: name.slice(1), hash: 'none' } as const) : utf8(name)
}

/** A repeated statement, with another build's statement between: a signer's last statement counts. */
const REPEATED = ['a', 'v2:a', 'a', 'cicd:b!']

const POLICIES: ScoringPolicyFile[] = [
  { version: 1 },
  { version: 1, ancestors: 'product', repeats: 'each', weights: { pki: 3 } },
  { version: 1, ancestors: 'own', layers: 'stack', unknown: 'ignore' },
  { version: 1, layers: 'stack', required: ['src'], trust: [{ kind: 'tls', trust: 0.5 }] },
]

onEachDatabase((database) => {
  it('store.why returns the same verdict, byte for byte, as a BundleGraph in memory', async () => {
    const step = fc.oneof(
      fc
        .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES))
        .map(([from, to]) => (from === to ? from : `${from}>${to}`)),
      fc
        .tuple(
          fc.array(fc.constantFrom(...NAMES, '*', '**', '#a'), { minLength: 2, maxLength: 4 }),
          fc.constantFrom(...NAMES),
        )
        .map(([from, to]) => `${from.join('+')}>${to}`),
      fc
        .tuple(fc.constantFrom('cicd', 'os', 'host', 'app'), fc.constantFrom(...NAMES))
        .map((parts) => parts.join(':')),
    )
    const steps = fc.array(
      fc.tuple(step, fc.constantFrom('', '!')).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        await database.query('drop schema if exists alvarium cascade')
        const [store, known] = [await database.open(), new BundleGraph()]
        const messages = await fabric(...some)
        await store.ingest(messages)
        for (const message of messages)
          for (const bundle of await verifyBatch(message, { keyring })) known.add(bundle)
        const asked = [[new Map(), POLICIES] as const, [listed, POLICIES.slice(0, 2)] as const]
        for (const [sets, policies] of asked) {
          for (const [set, keys] of sets) known.addMembers(set, keys)
          for (const policy of policies.map(readPolicy)) {
            for (const name of NAMES) {
              const expected = scorePayload(
                known.scoringInput({ key: keyOf(utf8(name)), hash: 'sha256' }),
                policy,
              )
              const found = await store.why({ key: keyOf(utf8(name)), hash: 'sha256' }, { policy, sets })
              expect(new TextDecoder().decode(verdictBytes(found))).toBe(
                new TextDecoder().decode(verdictBytes(expected)),
              )
            }
          }
        }
        await store.close()
      }),
      { numRuns: 5, examples: [[REPEATED]] },
    )
  })

  it('store.score uses the scoring policy of the call, or by default that of the store', async () => {
    const policy = readPolicy({ version: 1, required: ['tpm'] })
    const store = await database.open({ policy })
    await store.ingest(await fabric('a'))
    const key = keyOf(utf8('a'))
    expect(await store.score(utf8('a'))).toEqual({
      version: 1,
      key,
      hash: 'sha256',
      score: 0,
      policy: policy.digest,
      log: { size: 1 },
    })
    expect((await store.score(utf8('a'), { policy: readPolicy({ version: 1 }) })).score).toBe(1)
    expect(await store.score(utf8('never heard of'))).toMatchObject({ score: 0, log: { size: 1 } })
  })

  it('store.score is unknown if a payload has more ancestors than the limit', async () => {
    const store = await database.open()
    await store.ingest(await fabric('a', 'a>b', 'b>c'))
    expect((await store.why(utf8('c'), { limit: 1 })).why.gaps).toMatchObject([{ gap: 'limit' }])
    expect([
      (await store.score(utf8('c'), { limit: 1 })).score,
      (await store.score(utf8('c'), { limit: 2 })).score,
    ]).toEqual(['unknown', 1])
  })

  it('a store refuses a policy that readPolicy did not return', async () => {
    expect(await codeOf(() => database.open({ policy: { version: 1 } as never }))).toBe('CONFIG_INVALID')
    const store = await database.open()
    expect(await codeOf(() => store.score(utf8('a'), { policy: { version: 1 } as never }))).toBe(
      'CONFIG_INVALID',
    )
  })
})

onOneDatabase((database) => {
  it('store.score lets the event loop run if a sealed set has very many payloads without bundles', async () => {
    const [store, known] = [await database.open(), new BundleGraph()]
    const messages = await fabric('*+b>a')
    await store.ingest(messages)
    for (const bundle of await verifyBatch(messages[0] as Uint8Array, { keyring })) known.add(bundle)
    const keys = Array.from({ length: 20_000 }, (_, at) => at.toString(16).toUpperCase().padStart(64, '0'))
    known.addMembers(setNamed('*'), keys)
    const [policy, limit] = [readPolicy({ version: 1 }), 10_000]
    const dossier = known.scoringInput({ key: keyOf(utf8('a')), hash: 'sha256' }, { limit })
    const scored = await inCountedTurns(() => scorePayloadInTurns({ ...dossier, log: { size: 1 } }, policy))
    const read = new Reading(keys)
    const found = await inCountedTurns(() =>
      store.why(utf8('a'), { policy, limit, sets: new Map([[setNamed('*'), read]]) }),
    )
    expect(verdictBytes(found.result)).toEqual(verdictBytes(scored.result))
    // The store queries 1,024 keys at a time. The turn that resets the count may come after the next query.
    expect(read.mostInATurn).toBeLessThanOrEqual(2_048)
    // The store reads the clock once per 256 keys in each of three loops: over reached, selected and ancestor keys.
    // Scoring adds its own turns.
    expect(found.turns - scored.turns).toBeGreaterThan((3 * limit) / 256 / 2)
  })
})

/** Runs with a clock that makes every second reading late, so that two readings make a turn. */
async function inCountedTurns<T>(run: () => Promise<T>) {
  const turns = await countedTurns(20)
  try {
    return { result: await run(), turns: turns.count }
  } finally {
    turns.end()
  }
}

/** Keys, with a count of those read within one turn. */
class Reading implements Iterable<string> {
  readonly #keys: readonly string[]
  #read = 0
  mostInATurn = 0

  constructor(keys: readonly string[]) {
    this.#keys = keys
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (const key of this.#keys) {
      if (this.#read++ === 0) soon(() => (this.#read = 0))
      this.mostInATurn = Math.max(this.mostInATurn, this.#read)
      yield key
    }
  }
}
