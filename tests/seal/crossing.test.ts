import { generateKey, keyOf, memory, openSdk, type Receipt, verifyBatch } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'

const { signingKey, verifyingKey } = generateKey()

/** Calls cross into the core as numbers, alone and in groups. Their bundles must be the same either way. */
describe('the payloads and options of a call', () => {
  const annotators = [true, false, true].map((answer, at) => ({ kind: `k${at}`, isSatisfied: () => answer }))
  const skipping = { kind: 'skips', actions: ['create' as const], isSatisfied: () => true }
  const [short, long] = [utf8('a'), new Uint8Array(4000).fill(7)]

  const open = (batch?: object) =>
    openSdk({ signingKey, annotators: [...annotators, skipping], stream: memory(), ...(batch && { batch }) })

  async function checkMutate({ message, index }: Receipt, from: Uint8Array, to: Uint8Array, before: number) {
    const bundle = (await verifyBatch(message, { keyring: [verifyingKey] }))[index]
    expect(bundle).toMatchObject({ action: 'mutate', key: keyOf(to), previousKey: keyOf(from) })
    expect(bundle?.annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])).toEqual([
      ['k0', true],
      ['k1', false],
      ['k2', true],
    ])
    const when = Date.parse(bundle?.timestamp ?? '')
    expect(when).toBeGreaterThanOrEqual(before)
    expect(when).toBeLessThanOrEqual(Date.now() + 3)
    return bundle?.annotations.map(({ id }) => id) ?? []
  }

  it.each([
    ['alone', undefined],
    ['in a batch', { maxDelayMs: 1 }],
  ])('reach the core unchanged %s', async (_, batch) => {
    await using sdk = await open(batch)
    const before = Date.now() - 3
    for (const [from, to] of [
      [short, long],
      [long, short],
    ] as const) {
      await checkMutate(await sdk.mutate(from, to), from, to, before)
    }
  })

  it('reach the core unchanged in a group of calls, whichever payload is hashed first', async () => {
    await using sdk = await open()
    const before = Date.now() - 3
    const pairs = [short, long, new Uint8Array(300_000)].flatMap((from) =>
      [short, long].map((to) => [from, to] as const),
    )
    const receipts = await Promise.all(pairs.map(([from, to]) => sdk.mutate(from, to)))
    const ids: string[] = []
    for (const [at, [from, to]] of pairs.entries()) {
      ids.push(...(await checkMutate(receipts[at] as Receipt, from, to, before)))
    }
    expect(new Set(ids).size).toBe(3 * pairs.length)
    expect(ids).toEqual(ids.toSorted())
  })

  it('keep an empty payload distinct from an absent one', async () => {
    await using sdk = await open()
    const empty = new Uint8Array()
    const [created, mutated] = await Promise.all([
      sdk.create(empty),
      sdk.mutate(empty, empty),
      sdk.mutate(empty, short),
    ])
    expect(created.bundle).not.toHaveProperty('previousKey')
    expect(mutated.bundle.previousKey).toBe(keyOf(empty))
  })
})
