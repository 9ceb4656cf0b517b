import {
  cbor,
  extractBundle,
  generateKey,
  memory,
  openSdk,
  type Receipt,
  type SdkOptions,
  signBytes,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { afterAll, describe, expect, it } from 'vitest'
import { patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { key, keyring, opened, yes } from '../support/sdk.js'

const workers = await pool({ workers: 1 })
afterAll(() => workers.close())

const elsewhere = {
  verifyingKey: key.verifyingKey,
  sign: async (identity: Uint8Array) => signBytes(key.signingKey, identity),
}
const p256 = await generateKey({ algorithm: 'P-256' })
keyring.add(p256.verifyingKey)

type Options = Partial<Omit<SdkOptions, 'annotators' | 'stream'>>
const WAYS: readonly (readonly [name: string, options: Options])[] = [
  ['an Ed25519 key', {}],
  ['a pool', { pool: workers }],
  ['an external signer', { signingKey: elsewhere }],
  ['a P-256 key', { signingKey: p256.signingKey }],
  ['a P-256 key in a pool', { signingKey: p256.signingKey, pool: workers }],
  ['CBOR', { codec: cbor() }],
  ['hash none', { hash: 'none' }],
]
const [one = utf8(''), two = utf8('')] = payloads(2)

/** Returns the id of the receipt's bundle after its verification: in its message, or extracted from its batch. */
async function verifiedId({ message, index }: Receipt, { codec }: Options): Promise<string | undefined> {
  const form = codec ? { codec } : {}
  const bundles = await verifyBatch(message, { keyring, ...form })
  const evidence = bundles.length > 1 ? extractBundle(message, index, form) : message
  const { id } = await verifyMessage(evidence, { keyring, ...form })
  expect(bundles[index]?.id).toBe(id)
  return id
}

async function expectIds(receipts: readonly Receipt[], options: Options): Promise<void> {
  expect(receipts.length).toBeGreaterThan(0)
  for (const receipt of receipts) expect(receipt.id).toBe(await verifiedId(receipt, options))
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(receipts.length)
}

// claim: delivery-10
describe.each(WAYS)('with %s, receipt.id equals the id that the verifier reports', (_, options) => {
  // claim: format-22
  it('for single calls', async () => {
    const { sdk } = await opened([source(), yes('ready')], options)
    await expectIds([await sdk.create(one), await sdk.mutate(one, two), await sdk.transit(two)], options)
    await expectIds(await Promise.all([sdk.create(one), sdk.create(two), sdk.create(one)]), options)
    await sdk.close()
  })

  it('for calls in a batch, and for createMany', async () => {
    const { sdk } = await opened([source()], { ...options, batch: { maxBundles: 5 } })
    await expectIds(await Promise.all(payloads(5).map((payload) => sdk.transit(payload))), options)
    await expectIds(await sdk.createMany(payloads(12)), options)
    await sdk.close()
  })
})

describe('the id of a receipt', () => {
  it('is available after close(), and is the same each time', async () => {
    for (const options of [{}, { batch: {} }]) {
      const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: memory(), ...options })
      const [receipt] = await Promise.all([sdk.create(one), sdk.create(two)])
      await sdk.close()
      expect(receipt.id).toMatch(/^[0-9a-f]{64}$/)
      expect(receipt.id).toBe(receipt.id)
      expect(receipt.id).toBe(await verifiedId(receipt, options))
    }
  })

  it("is computed from the bundle's own batch, even if the next batch is full before the external signer has signed", async () => {
    const signs: (() => void)[] = []
    const signingKey = {
      verifyingKey: key.verifyingKey,
      sign: async (identity: Uint8Array) => {
        const signature = signBytes(key.signingKey, identity)
        await new Promise<void>((resolve) => signs.push(resolve))
        return signature
      },
    }
    const { sdk } = await opened([source()], { signingKey, batch: { ...patient, maxBundles: 2 } })
    const calls = payloads(4).map((payload) => sdk.create(payload))
    await expect.poll(() => signs.length).toBe(2)
    for (const sign of signs.reverse()) sign()
    await expectIds(await Promise.all(calls), {})
    await sdk.close()
  })
})
