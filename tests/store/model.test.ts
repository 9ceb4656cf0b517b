// @node-only: it needs a database

import { generateKey, keyIdOf, keyOf, type VerifiedBundle, verifyMessage } from 'alvarium-sdk'
import type { PayloadName } from 'alvarium-sdk/score'
import type { BundleFilter, Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { utf8 } from '../support/bytes.js'
import { resigned } from '../support/messages.js'
import { opened, yes } from '../support/sdk.js'
import { onOneDatabase } from './databases.js'

// Questions of the guide (store.md, "Find bundles"), put to a store and to an array of the same bundles.

const HOUR = 3_600_000
const BEGIN = Date.parse('2026-11-20T10:00:00Z')
const SIGNERS = [generateKey(), generateKey(), generateKey()]
const keyring = SIGNERS.map(({ verifyingKey }) => verifyingKey)
const [HOSTS, TAGS, KINDS, TEXTS] = [['edge-7', 'edge-8'], ['', 'v1'], ['src', 'tls'], 'abcdef'.split('')]
const COUNT = 60

interface StoredBundle {
  readonly message: Uint8Array
  readonly receivedAt: number | undefined
  readonly bundle: VerifiedBundle
  readonly seq: number
}

/** Makes bundles of three signers on two hosts, signed and received at random in five hours. */
async function makeBundles(random: Random): Promise<StoredBundle[]> {
  const all: StoredBundle[] = []
  for (let seq = 0; seq < COUNT; seq++) {
    const { signingKey } = random.pick(SIGNERS)
    const annotators = KINDS.filter(() => random.below(3) > 0).map((kind) => {
      const isSatisfied = random.below(3) > 0
      return { ...yes(kind), isSatisfied: () => isSatisfied }
    })
    const naming = { host: random.pick(HOSTS), tag: random.pick(TAGS), signingKey }
    const { sdk, stream } = await opened(annotators, naming)
    const [one, other] = [utf8(random.pick(TEXTS)), utf8(random.pick(TEXTS))]
    if (random.below(2) > 0) await sdk.mutate(one, other)
    else await sdk.create(other)
    await sdk.close()
    const timestamp = new Date(BEGIN + random.below(5 * HOUR)).toISOString()
    const message = resigned(
      stream.messages[0] as Uint8Array,
      ({ content }) => {
        content['timestamp'] = timestamp
      },
      signingKey,
    )
    const receivedAt = random.below(3) > 0 ? BEGIN + random.below(5 * HOUR) : undefined
    all.push({ message, receivedAt, bundle: await verifyMessage(message, { keyring }), seq })
  }
  return all
}

const nameOfText = (text: string) => ({ hash: 'sha256', key: keyOf(utf8(text)) }) as const
const isAbout = ({ key }: PayloadName, { bundle }: StoredBundle) => bundle.key === key
const signedAt = ({ bundle }: StoredBundle) => Date.parse(bundle.timestamp)
const countEach = <T>(values: readonly T[]) =>
  new Map([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]))
const sortKeys = (names: Iterable<PayloadName>) => Array.from(names, ({ key }) => key).sort()

/** Returns whether a filter finds a bundle: all of its members must fit. */
function isMeant({ signer, host, kind, tag, at }: BundleFilter, one: StoredBundle): boolean {
  const { bundle } = one
  const has = (is: (annotation: VerifiedBundle['annotations'][number]) => boolean) =>
    bundle.annotations.some(is)
  return (
    (signer === undefined || bundle.signer === signer) &&
    (host === undefined || bundle.host === host) &&
    (kind === undefined || has((annotation) => annotation.kind === kind)) &&
    (tag === undefined || has((annotation) => annotation.tag === tag)) &&
    (at?.from === undefined || signedAt(one) >= Number(at.from)) &&
    (at?.until === undefined || signedAt(one) < Number(at.until))
  )
}

function filterOf(random: Random, all: readonly StoredBundle[]): BundleFilter {
  const maybe = <T>(value: T) => (random.below(3) === 0 ? value : undefined)
  // The moment may be exactly the time of a signature.
  const moment = () => signedAt(random.pick(all))
  return {
    signer: maybe(keyIdOf(random.pick(keyring))),
    host: maybe(random.pick(HOSTS)),
    kind: maybe(random.pick(KINDS)),
    tag: maybe(random.pick(TAGS)),
    at: { from: maybe(moment()), until: moment() },
  }
}

/** Goes through all pages, and returns the places of their bundles. */
async function pagesOf(page: (after: string | undefined) => ReturnType<Store['by']>): Promise<number[]> {
  const found: number[] = []
  let after: string | undefined
  do {
    const { bundles, next } = await page(after)
    found.push(...bundles.map(({ seq }) => seq))
    after = next
  } while (after !== undefined)
  return found
}

/** Lists the payloads that a payload was made from, or that were made from it. */
function relativesOf(all: readonly StoredBundle[], key: string, direction: 'up' | 'down'): string[] {
  const pairs = all.flatMap(({ bundle }) =>
    bundle.previousKey ? [[bundle.key, bundle.previousKey] as const] : [],
  )
  const found = pairs.flatMap(([child, parent]) => {
    if (direction === 'up') return child === key ? [parent] : []
    return parent === key ? [child] : []
  })
  return [...new Set(found)]
}

function depthsFrom(
  all: readonly StoredBundle[],
  key: string,
  direction: 'up' | 'down',
): Map<string, number> {
  const depths = new Map([[key, 0]])
  for (const [one, depth] of depths)
    for (const other of relativesOf(all, one, direction)) if (!depths.has(other)) depths.set(other, depth + 1)
  return depths
}

onOneDatabase((database) => {
  // claim: store-47, store-48
  it('a store answers each query like a simple model over an array of the same bundles', async () => {
    const random = new Random(46)
    const all = await makeBundles(random)
    const store = await database.open({ keyring })
    await store.ingest(all.map(({ message, receivedAt }) => ({ message, receivedAt })))
    await expectStats(store, all)
    for (const text of TEXTS) await expectAbout(store, all, nameOfText(text))
    for (let round = 0; round < 60; round++) {
      const filter = filterOf(random, all)
      const expected = all.filter((one) => isMeant(filter, one)).map(({ seq }) => seq)
      expect([filter, await pagesOf((after) => store.by(filter, { limit: 7, after }))]).toEqual([
        filter,
        expected,
      ])
    }
    for (let round = 0; round < 20; round++) {
      const [since, from, until] = [0, 1, 2].map(() => BEGIN + random.below(5 * HOUR)) as [
        number,
        number,
        number,
      ]
      await expectSilent(store, all, since)
      await expectAnswers(store, all, Math.min(from, until), Math.max(from, until))
    }
  })
})

async function expectStats(store: Store, all: readonly StoredBundle[]): Promise<void> {
  const payloads = new Set(all.flatMap(({ bundle }) => [bundle.key, bundle.previousKey ?? bundle.key]))
  const counts = { bundles: COUNT, messages: COUNT, payloads: payloads.size, pruned: 0, quarantinedBytes: 0 }
  expect(await store.stats()).toMatchObject({ ...counts, quarantined: new Map() })
}

async function expectAbout(store: Store, all: readonly StoredBundle[], name: PayloadName): Promise<void> {
  const own = all.filter((one) => isAbout(name, one))
  const answers = own.flatMap(({ bundle }) => bundle.annotations)
  const count = (kind: string, isYes: boolean) =>
    answers.filter((one) => one.kind === kind && one.isSatisfied === isYes).length
  const about = await store.about(name)
  expect(about.bundles).toBe(own.length)
  expect(Object.fromEntries(about.answers)).toEqual(
    Object.fromEntries(answers.map(({ kind }) => [kind, { yes: count(kind, true), no: count(kind, false) }])),
  )
  expect(new Map(about.signers)).toEqual(countEach(own.map(({ bundle }) => bundle.signer)))
  expect(new Map(about.hosts)).toEqual(countEach(own.map(({ bundle }) => bundle.host)))
  expect(sortKeys(about.madeFrom)).toEqual(relativesOf(all, name.key, 'up').sort())
  expect(sortKeys(about.madeInto)).toEqual(relativesOf(all, name.key, 'down').sort())
  expect(await pagesOf((after) => store.history(name, { limit: 3, after }))).toEqual(
    own.map(({ seq }) => seq),
  )
  const exported: Uint8Array[] = []
  for await (const { message } of store.export(name)) exported.push(message)
  expect(exported.map((one) => keyOf(one)).sort()).toEqual(own.map(({ message }) => keyOf(message)).sort())
  for (const direction of ['up', 'down'] as const) {
    const { payloads, isWhole } = await store.lineage(name, { direction })
    expect([isWhole, new Map(payloads.map(({ key, depth }) => [key, depth]))]).toEqual([
      true,
      depthsFrom(all, name.key, direction),
    ])
    expect(payloads.map(({ depth }) => depth)).toEqual(payloads.map(({ depth }) => depth).sort())
  }
}

async function expectSilent(store: Store, all: readonly StoredBundle[], since: number): Promise<void> {
  const heardAt = (one: StoredBundle) => one.receivedAt ?? signedAt(one)
  const last = SIGNERS.flatMap(({ keyId }) => all.findLast(({ bundle }) => bundle.signer === keyId) ?? [])
  const silent = last.filter((one) => heardAt(one) < since).sort((a, b) => heardAt(a) - heardAt(b))
  const places = (some: readonly { readonly seq: number }[]) => some.map(({ seq }) => seq)
  expect(places(await store.silent({ since }))).toEqual(places(silent))
  expect(places(await store.silent({ since, limit: 1 }))).toEqual(places(silent.slice(0, 1)))
}

async function expectAnswers(
  store: Store,
  all: readonly StoredBundle[],
  from: number,
  until: number,
): Promise<void> {
  const inTime = all.filter((one) => signedAt(one) >= from && signedAt(one) < until)
  const said = inTime.flatMap((one) =>
    one.bundle.annotations.map(({ kind, isSatisfied }) => {
      const hour = Math.floor(signedAt(one) / HOUR) * HOUR
      return `${hour} ${one.bundle.host} ${kind} ${isSatisfied ? 'yes' : 'no'}`
    }),
  )
  const answers = await store.answers({ from, until })
  const told = answers.flatMap(({ hour, host, kind, yes, no }) => [
    ...Array.from({ length: yes }, () => `${hour} ${host} ${kind} yes`),
    ...Array.from({ length: no }, () => `${hour} ${host} ${kind} no`),
  ])
  expect(told.sort()).toEqual(said.sort())
  expect(answers.map(({ hour }) => hour)).toEqual(answers.map(({ hour }) => hour).sort((a, b) => b - a))
}
