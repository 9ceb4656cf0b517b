// @each-database

import { classic, generateKey, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { readPolicy } from 'alvarium-sdk/score'
import type { Store } from 'alvarium-sdk/store'
import { serveStore } from 'alvarium-sdk/store/serve'
import { type PolicySigner, readTrust, type Trust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { bundleBy } from '../support/by-hand.js'
import { utf8 } from '../support/bytes.js'
import { openLogged } from '../support/leased.js'
import { key, opened, yes } from '../support/sdk.js'
import { keyText, policyOf, trustOf } from '../support/trust.js'
import { witnessedCheckpoint } from '../support/witnessed.js'
import { NoteSigner } from '../witness/logs.mjs'
import { onEachDatabase, type TestDatabase } from './databases.js'
import { messages } from './filled.js'

const HOUR_MS = 3_600_000
const stolen = generateKey()
/** The time of the theft, and times before and after it. */
const [BEFORE, THEFT, AFTER] = [1, 2, 3].map(
  (hours) => Date.parse('2026-11-24T10:00:00Z') + hours * HOUR_MS,
) as [number, number, number]
const policy = (rules: Partial<PolicySigner> = {}) => ({
  signers: [
    { name: 'dev-6', keys: [keyText] },
    { name: 'dev-7', keys: [toHex(stolen.verifyingKey)], ...rules },
  ],
})
const revokedPolicy = () =>
  readTrust(policy({ revoked: { since: new Date(THEFT).toISOString(), why: 'stolen' } }))

/** Signs messages about payloads, written as `from>to`. */
async function sign(signingKey: Uint8Array, ...steps: string[]): Promise<Uint8Array[]> {
  const { sdk, stream } = await opened([source(), yes('tls')], { signingKey })
  for (const step of steps) {
    const [from = '', to] = step.split('>')
    await (to === undefined ? sdk.create(utf8(from)) : sdk.mutate(utf8(from), utf8(to)))
  }
  await sdk.close()
  return stream.messages
}

const at = (receivedAt: number | undefined, some: readonly Uint8Array[]) =>
  some.map((message) => ({ message, receivedAt }))

/** Fills a store with a signer's messages from before the theft of its key and from afterwards. */
async function afterTheft(database: TestDatabase): Promise<Store> {
  const store = await database.open({ keyring: await readTrust(policy()) })
  await store.ingest(at(BEFORE, await sign(stolen.signingKey, 'a')))
  await store.ingest(at(AFTER, await sign(stolen.signingKey, 'a', 'x>a')))
  await store.ingest(at(AFTER, await sign(key.signingKey, 'a', 'a>b')))
  return store
}

onEachDatabase((database) => {
  it("a query under a policy refuses a revoked signer's messages that no witness saw before the revocation", async () => {
    const log = [bundleBy(stolen, { payload: 'a', timestamp: '2026-05-01T11:00:00.000000Z' })] as const
    const witness = new NoteSigner('witness.example/w1', 4)
    const seen = witnessedCheckpoint(stolen, log, [[witness, (THEFT - HOUR_MS) / 1000]])
    const store = await database.open({ keyring: await readTrust(policy()) })
    await store.ingest(at(AFTER, [log[0].message, seen]))
    const { signers } = policy({ revoked: { since: new Date(THEFT).toISOString() } })
    const asked = async (trust: Trust) => (await store.history(utf8('a'), { trust })).trust?.refused
    expect(await asked(await readTrust({ signers }))).toEqual({ SIGNER_REVOKED: 1 })
    expect(await asked(await readTrust({ signers, witnesses: [witness.vkey] }))).toEqual({})
  })

  // claim: store-50
  it("under a policy that revokes a stolen key, a store's answers exclude messages of the key that were received after the theft", async () => {
    const store = await afterTheft(database)
    const trust = await revokedPolicy()
    const applied = { policy: trust.digest, refused: { SIGNER_REVOKED: 2 } }
    expect(await store.about(utf8('a'))).toMatchObject({ bundles: 4, madeFrom: [{ key: keyOf(utf8('x')) }] })
    expect(await store.about(utf8('a'), { trust })).toMatchObject({
      bundles: 2,
      madeFrom: [],
      madeInto: [{ key: keyOf(utf8('b')) }],
      trust: applied,
      signers: new Map([
        ['dev-7', 1],
        ['dev-6', 1],
      ]),
    })
    const { bundles, trust: ofPage } = await store.history(utf8('a'), { trust })
    expect(ofPage).toEqual(applied)
    expect(bundles.map(({ signedBy, trusted }) => [signedBy, trusted?.outcome, trusted?.code])).toEqual([
      ['dev-7', 'holds', undefined],
      ['dev-7', 'does not hold', 'SIGNER_REVOKED'],
      ['dev-7', 'does not hold', 'SIGNER_REVOKED'],
      ['dev-6', 'holds', undefined],
    ])
    expect(bundles[1]?.trusted?.says).toContain('stolen')
    const suspect = await store.by({ signer: 'dev-7', received: { from: THEFT } }, { trust })
    expect(suspect.bundles.map(({ trusted }) => trusted?.code)).toEqual(['SIGNER_REVOKED', 'SIGNER_REVOKED'])
    expect((await store.history(utf8('a'))).bundles[1]).not.toHaveProperty('trusted')
    expect((await store.audit({ itself: true })).differences).toEqual([])
  })

  it('a score under a new policy excludes annotations and ancestors of revoked signers, and names the policy', async () => {
    const store = await afterTheft(database)
    const trust = await revokedPolicy()
    const policy = readPolicy({ version: 1, ancestors: 'min' })
    const before = await store.why(utf8('b'), { policy })
    expect([before.score, before.trust, before.why.ancestors.length]).toEqual([0, undefined, 2])
    const { score, trust: applied, why } = await store.why(utf8('b'), { policy, trust })
    expect([score, applied]).toEqual([1, { policy: trust.digest, refused: { SIGNER_REVOKED: 2 } }])
    expect(why.ancestors.map((one) => one.key)).toEqual([keyOf(utf8('a'))])
    expect(await store.score(utf8('never'), { trust })).toMatchObject({
      trust: { policy: trust.digest, refused: {} },
    })
  })

  it('a query under a policy refuses unknown signers, and also revoked signers if the time of receipt is unknown', async () => {
    const store = await database.open({ keyring: await readTrust(policy()) })
    await store.ingest(at(undefined, await sign(stolen.signingKey, 'a')))
    const codeBy = async (trust: Awaited<ReturnType<typeof readTrust>>) => {
      const { bundles } = await store.history(utf8('a'), { trust })
      return [bundles[0]?.trusted?.code, bundles[0]?.trusted?.outcome, bundles[0]?.trusted?.needs]
    }
    expect(await codeBy(await revokedPolicy())).toEqual(['SIGNER_REVOKED', 'does not hold', undefined])
    expect(await codeBy(await trustOf())).toEqual([
      'SIGNER_UNKNOWN',
      'cannot tell',
      'add the signer to the trust policy',
    ])
  })

  // claim: store-51
  it.each<[string, Partial<PolicySigner>]>([
    ['hosts', { hosts: ['edge-7'] }],
    ['actions', { actions: ['create'] }],
    ['a time limit', { until: new Date(BEFORE).toISOString(), acceptLateMs: 0 }],
    ['a revocation', { revoked: { since: new Date(AFTER).toISOString() } }],
    ['no limits', {}],
  ])(
    'a query under a policy with %s has the answer of a store that was filled under that policy',
    async (_, rules) => {
      const trust = await trustOf(rules)
      const { sdk, stream } = await opened([source()], { batch: patient })
      const sent = ['a', 'b', 'c', 'd'].map((text) => sdk.create(utf8(text)))
      await sdk.close()
      await Promise.all(sent)
      const all = at(AFTER - 1, [...(await messages()), ...stream.messages])
      const answers = async (store: Store, options: object) => {
        const found: unknown[] = []
        for (const text of ['a', 'b', 'c', 'd', 'e', 'g']) {
          const { trust: _, ...about } = await store.about(utf8(text), options)
          const {
            trust: __,
            log,
            ...why
          } = await store.why(utf8(text), {
            ...options,
            policy: readPolicy({ version: 1, ancestors: 'product' }),
          })
          const names = (some: readonly { key: string }[]) => some.map((one) => one.key).sort()
          found.push({ ...about, madeFrom: names(about.madeFrom), madeInto: names(about.madeInto) }, why)
        }
        return found
      }
      const open = await database.open({ keyring: await trustOf(), classic: true })
      await open.ingest(all)
      const asked = await answers(open, { trust })
      await database.query('drop schema alvarium cascade')
      const strict = await database.open({ keyring: trust, classic: true })
      await strict.ingest(all)
      expect(asked).toEqual(await answers(strict, {}))
    },
  )

  it('a trust policy permits or refuses each annotation in a classic message separately', async () => {
    const store = await database.open({ keyring: await trustOf(), classic: true })
    const stream = memory()
    const codec = classic({ signingKey: key.signingKey, dialect: 'go' })
    const { signingKey } = key
    const sdk = await openSdk({ signingKey, annotators: [source(), yes('tls')], stream, codec })
    await sdk.create(utf8('a'))
    await sdk.close()
    await store.ingest(at(AFTER, stream.messages))
    const { bundles } = await store.by({ at: { from: 0 } }, { trust: await trustOf({ kinds: ['src'] }) })
    const verdicts = bundles.map(({ annotations, trusted }) => [annotations[0]?.kind, trusted?.code])
    expect(verdicts).toContainEqual(['src', undefined])
    expect(verdicts).toContainEqual(['tls', 'SIGNER_NOT_ALLOWED'])
  })

  it('a query under a policy accepts late messages of a leased key if checkpoints list them, unless the issuer is revoked', async () => {
    const { sdk, leases, messages, notes } = await openLogged({}, { every: 1 })
    await sdk.create(utf8('a'))
    await sdk.close()
    const store = await database.open({ keyring: await trustOf() })
    const late = Date.now() + 365 * 24 * HOUR_MS
    await store.ingest(at(Date.now(), leases))
    await store.ingest(at(late, [...notes, ...messages]))
    expect(await store.retryQuarantine()).toMatchObject({ quarantined: 0 })
    const held = (await store.history(utf8('a'))).bundles.length
    const { bundles } = await store.history(utf8('a'), { trust: await trustOf() })
    expect(bundles.map(({ trusted }) => trusted?.outcome)).toEqual(new Array(held).fill('holds'))
    const stolen = await trustOf({ revoked: { since: '2020-01-01T00:00:00Z' } })
    const refused = await store.history(utf8('a'), { trust: stolen })
    expect(refused.bundles.map(({ trusted }) => trusted?.code)).toEqual(
      new Array(held).fill('SIGNER_REVOKED'),
    )
  })

  // claim: store-52
  it('serveStore applies the current trust policy to each answer, even after `trust.update()`', async () => {
    const store = await afterTheft(database)
    const trust = await readTrust(policy())
    const handler = serveStore(store, { trust })
    const ask = async (path: string) => {
      const response = await handler(new Request(`http://localhost${path}key=${keyOf(utf8('a'))}`))
      return JSON.parse(await response.text())
    }
    expect(await ask('/payload?')).toMatchObject({ bundles: 4, trust: { policy: trust.digest, refused: {} } })
    await trust.update(policy({ revoked: { since: new Date(THEFT).toISOString() } }))
    const applied = { policy: trust.digest, refused: { SIGNER_REVOKED: 2 } }
    expect(await ask('/payload?')).toMatchObject({ bundles: 2, trust: applied })
    expect(await ask('/payload/score?')).toMatchObject({ trust: applied })
    expect(await ask('/payload/history?')).toMatchObject({
      trust: applied,
      bundles: [{ trusted: { outcome: 'holds' } }, {}, {}, {}],
    })
  })
})

it('the digest of a trust policy depends on the content of the policy, and not on JSON formatting', async () => {
  const written = await readTrust(JSON.stringify(policyOf(), undefined, 2))
  expect(written.digest).toBe((await trustOf()).digest)
  expect((await trustOf({ hosts: ['edge-7'] })).digest).not.toBe(written.digest)
  expect(written.digest).toMatch(/^[0-9a-f]{64}$/)
})
