import {
  type Action,
  type Annotation,
  type AnyAnnotator,
  keyOf,
  type Receipt,
  type Sdk,
  source,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { concat, utf8 } from '../support/bytes.js'
import { digest } from '../support/digest.js'
import { key, keyring, lastOf, opened, yes } from '../support/sdk.js'

const payload = utf8('hello alvarium')
const sha256 = (bytes: Uint8Array) => digest('sha256', bytes)

const CALLS: [Action, (sdk: Sdk, payload: Uint8Array) => Promise<Receipt>][] = [
  ['create', (sdk, payload) => sdk.create(payload)],
  ['mutate', (sdk, payload) => sdk.mutate(utf8('before'), payload)],
  ['transit', (sdk, payload) => sdk.transit(payload)],
  ['publish', (sdk, payload) => sdk.publish(payload)],
]

describe.each(CALLS)('the action %s', (action, call) => {
  it('publishes one message that verifies and contains the action and its payload', async () => {
    const { sdk, stream, verified } = await opened([source(), yes('in-range')])
    await call(sdk, payload)
    expect(stream.messages).toHaveLength(1)
    expect(await verified(payload)).toMatchObject({
      action,
      key: sha256(payload),
      hash: 'sha256',
      signer: key.keyId,
      host: 'edge-7',
      layer: 'app',
      annotations: [
        { kind: 'src', isSatisfied: true },
        { kind: 'in-range', isSatisfied: true },
      ],
      payloadChecked: true,
    })
  })

  it('returns a receipt with the published message and its bundle', async () => {
    const { sdk, stream } = await opened([source()])
    const receipt = await call(sdk, payload)
    const { payloadChecked, id: _, ...bundle } = await verifyMessage(lastOf(stream), { keyring })
    expect(receipt.message).toEqual(lastOf(stream))
    expect(receipt.bundle).toEqual(bundle)
    expect(receipt.bundle).toBe(receipt.bundle)
    expect(payloadChecked).toBe(false)
  })

  it('accepts an empty payload', async () => {
    const { sdk, verified } = await opened([source()])
    await call(sdk, new Uint8Array())
    expect((await verified(new Uint8Array())).key).toBe(sha256(new Uint8Array()))
  })

  it('hashes only the bytes of a view, and not the rest of its buffer', async () => {
    const { sdk } = await opened([source()])
    const around = concat(utf8('xx'), payload, utf8('yy'))
    const { bundle } = await call(sdk, around.subarray(2, 2 + payload.length))
    expect(bundle.key).toBe(sha256(payload))
  })

  it('makes a bundle without annotations if there are no annotators', async () => {
    const { sdk, verified } = await opened([])
    await call(sdk, payload)
    expect((await verified(payload)).annotations).toEqual([])
  })
})

describe('the action mutate', () => {
  it('writes the payload keys of both payloads into its bundle', async () => {
    const { sdk, verified } = await opened([source()])
    await sdk.mutate(utf8('old'), utf8('new'))
    const { key, previousKey } = await verified(utf8('new'))
    expect([previousKey, key]).toEqual([sha256(utf8('old')), sha256(utf8('new'))])
  })

  it('is the only action whose bundle has a previousKey', async () => {
    const { sdk } = await opened([source()])
    const receipts = [await sdk.create(payload), await sdk.transit(payload), await sdk.publish(payload)]
    for (const { bundle } of receipts) expect(bundle).not.toHaveProperty('previousKey')
  })

  it('calls each annotator with both payloads', async () => {
    const seen: unknown[] = []
    const witness = { kind: 'witness', isSatisfied: (context: unknown) => seen.push(context) > 0 }
    const { sdk } = await opened([witness])
    await sdk.mutate(utf8('old'), utf8('new'))
    await sdk.create(payload)
    expect(seen).toEqual([
      { action: 'mutate', payload: utf8('new'), previousPayload: utf8('old') },
      { action: 'create', payload },
    ])
  })

  it('accepts the same payload as original and new payload', async () => {
    const { sdk, verified } = await opened([source()])
    await sdk.mutate(payload, payload)
    expect((await verified(payload)).previousKey).toBe(sha256(payload))
  })
})

/**
 * Returns whether the clock has fractions of a millisecond. Firefox shows pages only whole ones, so that they cannot
 * time other code.
 */
function hasFineClock(): boolean {
  const end = performance.now() + 3
  for (let now = 0; now < end; now = performance.now()) if (!Number.isInteger(now)) return true
  return false
}

describe('the timestamp', () => {
  // claim: format-15
  it('is RFC 3339 in UTC with microseconds, and near the current time', async () => {
    const { sdk } = await opened([source()])
    const before = Date.now()
    const { timestamp } = (await sdk.create(payload)).bundle
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(Math.abs(Date.parse(timestamp) - before)).toBeLessThan(10_000)
  })

  it.runIf(hasFineClock())('includes fractions of a millisecond, where the clock has them', async () => {
    const { sdk } = await opened([])
    const receipts = await Promise.all(Array.from({ length: 50 }, () => sdk.create(payload)))
    const micros = receipts.map(({ bundle }) => bundle.timestamp.slice(-4, -1))
    expect(micros.some((digits) => digits !== '000')).toBe(true)
  })
})

describe('the ids of annotations', () => {
  const ids = (receipts: readonly Receipt[]) =>
    receipts.flatMap(({ bundle }) => bundle.annotations.map(({ id }: Annotation) => id))

  // claim: format-16
  it('are ULIDs that increase within a call and from call to call', async () => {
    const { sdk } = await opened([yes('a'), yes('b'), yes('c')])
    const receipts: Receipt[] = []
    for (let call = 0; call < 500; call++) receipts.push(await sdk.create(payload))
    const all = ids(receipts)
    expect(all).toHaveLength(1500)
    for (const id of all) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(all).toEqual([...new Set(all)].sort())
  })

  it('have a different random part in each SDK, even if the SDKs have the same signing key', async () => {
    const sdks = await Promise.all(Array.from({ length: 20 }, () => opened([source()])))
    const all = ids(await Promise.all(sdks.map(({ sdk }) => sdk.create(payload))))
    expect(new Set(all.map((id) => id.slice(10))).size).toBe(20)
  })
})

describe('an SDK with overlapping calls', () => {
  it('keeps the payload, the answers and the receipt of each call separate', async () => {
    const isEven = {
      kind: 'even',
      needs: 'payload',
      isSatisfied: async ({ payload }) => {
        await new Promise((resolve) => setTimeout(resolve, (payload[0] ?? 0) % 7))
        return (payload[0] ?? 0) % 2 === 0
      },
    } satisfies AnyAnnotator
    const { sdk, stream } = await opened([isEven])
    const payloads = Array.from({ length: 100 }, (_, at) => new Uint8Array([at]))
    const receipts = await Promise.all(payloads.map((payload) => sdk.create(payload)))
    expect(stream.messages).toHaveLength(100)
    for (const [at, receipt] of receipts.entries()) {
      const bundle = await verifyMessage(receipt.message, { keyring, payload: new Uint8Array([at]) })
      expect(bundle.annotations).toMatchObject([{ isSatisfied: at % 2 === 0 }])
    }
  })

  it('keeps calls of several actions, and of another SDK, separate', async () => {
    const [app, os] = [await opened([source()]), await opened([source()], { layer: 'os', hash: 'md5' })]
    const receipts = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        at % 2 ? app.sdk.mutate(payload, utf8(`${at}`)) : os.sdk.transit(utf8(`${at}`)),
      ),
    )
    for (const [at, { bundle }] of receipts.entries()) {
      const expected = at % 2 ? { action: 'mutate', layer: 'app' } : { action: 'transit', layer: 'os' }
      expect(bundle).toMatchObject({ ...expected, key: keyOf(utf8(`${at}`), at % 2 ? 'sha256' : 'md5') })
    }
  })
})
