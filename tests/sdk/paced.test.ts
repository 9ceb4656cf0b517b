import { extractBundle, source, verifyBatch } from 'alvarium-sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { keyOfPayload, patient, payloads } from '../support/batches.js'
import { deferred, quiet } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'

/** Number of calls; the first few use up the turn. */
const MANY = 500
let turns: Awaited<ReturnType<typeof countedTurns>> | undefined
afterEach(() => {
  turns?.end()
})

function mostAtOnce(turnOf: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const turn of turnOf) counts.set(turn, (counts.get(turn) ?? 0) + 1)
  return Math.max(...counts.values())
}

const later = { kind: 'later', isSatisfied: async () => true }

describe('simultaneous calls that take several turns of the event loop', () => {
  it.each([
    ['at once', source()],
    ['later', later],
  ])('send their messages in order, with annotators that answer %s', async (_, annotator) => {
    const { sdk, stream } = await opened([annotator])
    const all = payloads(MANY)
    turns = await countedTurns(0.5)
    const turnOf: number[] = []
    const receipts = await Promise.all(
      all.map(async (payload) => {
        const receipt = await sdk.create(payload)
        turnOf.push(turns?.count ?? 0)
        return receipt
      }),
    )
    // The clock is read once per 16 calls, and advances by a tenth of a turn each time.
    expect(mostAtOnce(turnOf)).toBeLessThanOrEqual(48)
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(all.map(keyOfPayload))
    expect(stream.messages).toEqual(receipts.map(({ message }) => message))
    await sdk.close()
  })

  // claim: delivery-12
  it.each([10, 300, 5000])(
    'each annotate the payload as it was when the call was made: %i bytes',
    async (length) => {
      for (const engine of ['auto', 'wasm'] as const) {
        const { sdk } = await opened([source()], { engine })
        turns = await countedTurns(0.5)
        const payload = new Uint8Array(length)
        const keys: string[] = []
        const calls = Array.from({ length: 100 }, (_, at) => {
          payload.fill(at)
          keys.push(keyOfPayload(payload))
          return sdk.create(payload)
        })
        payload.fill(255)
        expect((await Promise.all(calls)).map(({ bundle }) => bundle.key)).toEqual(keys)
        turns.end()
        await sdk.close()
      }
    },
  )

  it('annotate both payloads of a mutate as they were when the call was made', async () => {
    const { sdk } = await opened([source()])
    turns = await countedTurns(0.5)
    const [before, after] = [new Uint8Array(10), new Uint8Array(1000)]
    const keys = [keyOfPayload(before), keyOfPayload(after)]
    const calls = Array.from({ length: 50 }, () => sdk.mutate(before, after))
    for (const payload of [before, after]) payload.fill(255)
    for (const { bundle } of await Promise.all(calls)) expect([bundle.previousKey, bundle.key]).toEqual(keys)
    await sdk.close()
  })

  it('are all completed before close() resolves', async () => {
    const { sdk, stream } = await opened([source()])
    turns = await countedTurns(0.5)
    const calls = payloads(MANY).map((payload) => sdk.create(payload))
    await sdk.close()
    await Promise.all(calls)
    expect(stream.messages).toHaveLength(MANY)
  })

  it('can be aborted one by one: an aborted call rejects at once and is never published', async () => {
    const { sdk, stream } = await opened([source()])
    turns = await countedTurns(0.5)
    const given = new AbortController()
    const calls = payloads(MANY).map((payload) => sdk.create(payload))
    const last = sdk.create(new Uint8Array(1), { signal: given.signal })
    const reason = new Error('no more')
    given.abort(reason)
    const rejected = deferred<unknown>()
    last.catch(rejected.resolve)
    await quiet()
    expect(await rejected.promise).toBe(reason)
    await Promise.all(calls)
    await sdk.close()
    expect(stream.messages).toHaveLength(MANY)
  })

  it('fill batches, and each call gets the receipt of its own payload', async () => {
    const { sdk, stream } = await opened([source()], { batch: { ...patient, maxBundles: 1500 } })
    const all = payloads(3000)
    turns = await countedTurns(10)
    const turnOf: number[] = []
    const receipts = await Promise.all(
      all.map(async (payload) => {
        const receipt = await sdk.create(payload)
        turnOf.push(turns?.count ?? 0)
        return receipt
      }),
    )
    turns.end()
    // At most 512 calls of each of the two settle in one turn.
    expect(mostAtOnce(turnOf)).toBeLessThanOrEqual(2 * 512)
    expect(stream.messages).toHaveLength(2)
    expect(receipts.map(({ index }) => index)).toEqual(all.map((_, at) => at % 1500))
    const last = receipts.at(-1)
    const evidence = extractBundle(last?.message as Uint8Array, last?.index as number)
    const [bundle] = await verifyBatch(evidence, { keyring })
    expect(bundle?.key).toBe(keyOfPayload(all.at(-1) as Uint8Array))
    await sdk.close()
  })

  it('return receipts in the order of the payloads of createMany()', async () => {
    const { sdk } = await opened([source()])
    const all = payloads(10_000)
    turns = await countedTurns(0.5)
    const receipts = await sdk.createMany(all)
    expect(turns.count).toBeGreaterThan(10)
    turns.end()
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(all.map(keyOfPayload))
    await sdk.close()
  })

  it('each reject with the error about their own payload', async () => {
    const { sdk } = await opened([source()], { hash: 'none' })
    turns = await countedTurns(0.5)
    const calls = Array.from({ length: 100 }, (_, at) => sdk.create(Uint8Array.of(at < 50 ? 0x61 : 0xff)))
    const codes = await Promise.all(
      calls.map((call) =>
        call.then(
          () => 'good',
          ({ code }) => code,
        ),
      ),
    )
    expect(codes).toEqual([...Array(50).fill('good'), ...Array(50).fill('PAYLOAD_INVALID')])
    turns.end()
    expect(await codeOf(() => sdk.close().then(() => sdk.create(new Uint8Array())))).toBe('STREAM_CLOSED')
  })
})
