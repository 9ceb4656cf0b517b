// @alone

import { type Receipt, source, verifyMessage } from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { trapCore } from '../support/core-memory.js'
import { quiet } from '../support/deferred.js'
import { digest } from '../support/digest.js'
import { keyring, opened, yes } from '../support/sdk.js'

const keyOfPayload = (payload: Uint8Array) => digest('sha256', payload)
const codesOf = (outcomes: readonly PromiseSettledResult<Receipt>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'fulfilled'))

describe('simultaneous calls', () => {
  it('each get their own message, whatever their payloads and however many there are', async () => {
    const { sdk, stream } = await opened([source(), yes('other')], { engine: 'wasm' })
    const payloads = fc.array(fc.uint8Array({ maxLength: 600 }), { minLength: 1, maxLength: 70 })
    await fc.assert(
      fc.asyncProperty(payloads, async (all) => {
        stream.messages.length = 0
        const receipts = await Promise.all(all.map((payload) => sdk.create(payload)))
        expect(receipts.map(({ bundle }) => bundle.key)).toEqual(all.map(keyOfPayload))
        expect(stream.messages).toEqual(receipts.map(({ message }) => message))
        for (const [at, { message }] of receipts.entries()) {
          await verifyMessage(message, { keyring, payload: all[at] as Uint8Array })
        }
      }),
      { numRuns: 20 },
    )
    await sdk.close()
  })

  it('get ids that increase from call to call', async () => {
    const { sdk } = await opened([source(), yes('other')])
    const calls = Array.from({ length: 200 }, (_, at) => sdk.create(utf8(`${at}`)))
    const ids = (await Promise.all(calls)).flatMap(({ bundle }) => bundle.annotations.map(({ id }) => id))
    expect(ids).toEqual([...new Set(ids)].sort())
    await sdk.close()
  })

  it('of mutate() get the right payload keys even if some payloads are too long to be grouped', async () => {
    const { sdk } = await opened([source()], { engine: 'wasm' })
    const payloads = [10, 100_000, 200_000, 20].map((size) => new Uint8Array(size).fill(size))
    const calls = payloads.map((payload) => sdk.mutate(utf8('before'), payload))
    for (const [at, { message, bundle }] of (await Promise.all(calls)).entries()) {
      expect(bundle.previousKey).toBe(keyOfPayload(utf8('before')))
      await verifyMessage(message, { keyring, payload: payloads[at] as Uint8Array })
    }
    await sdk.close()
  })

  // Long payloads are hashed before their call joins a group, short ones in the group.
  it.each(['sha256', 'md5'] as const)(
    'of mutate() get the right payload keys for short and long payloads, hashed with %s',
    async (hash) => {
      const { sdk } = await opened([source()], { hash })
      const [short, long] = [utf8('short'), new Uint8Array(300_000).fill(1)]
      const pairs = [short, long].flatMap((before) => [short, long].map((after) => [before, after] as const))
      const calls = [sdk.create(short), ...pairs.map(([before, after]) => sdk.mutate(before, after))]
      const [, ...receipts] = await Promise.all(calls)
      expect(receipts.map(({ bundle }) => [bundle.previousKey, bundle.key])).toEqual(
        pairs.map((pair) => pair.map((payload) => digest(hash, payload))),
      )
      for (const { message } of receipts) await verifyMessage(message, { keyring })
      await sdk.close()
    },
  )

  it('each annotate their own payload, even if one buffer is overwritten for each call', async () => {
    const { sdk } = await opened([source()], { engine: 'wasm' })
    const payload = utf8('a')
    const calls = ['a', 'b', 'c'].map((letter) => {
      payload.set(utf8(letter))
      return sdk.create(payload)
    })
    const keys = (await Promise.all(calls)).map(({ bundle }) => bundle.key)
    expect(keys).toEqual(['a', 'b', 'c'].map((letter) => keyOfPayload(utf8(letter))))
    await sdk.close()
  })

  it('reject only for a payload that cannot be annotated', async () => {
    const { sdk, stream } = await opened([source()], { hash: 'none' })
    const calls = [utf8('a'), utf8('b'), Uint8Array.of(0xff), utf8('c')].map((one) => sdk.create(one))
    const codes = codesOf(await Promise.allSettled(calls))
    expect(codes).toEqual(['fulfilled', 'fulfilled', 'PAYLOAD_INVALID', 'fulfilled'])
    expect(stream.messages).toHaveLength(3)
    await sdk.close()
  })

  it('are all signed before the SDK closes', async () => {
    const { sdk, stream } = await opened([source()])
    const calls = Array.from({ length: 100 }, () => sdk.create(utf8('a')))
    await sdk.close()
    await Promise.all(calls)
    expect(stream.messages).toHaveLength(100)
  })

  it('are rejected with CORE_FAILED if the core traps before they are signed', async () => {
    const { sdk } = await opened([source()])
    // Begin in an idle turn, or the calls would wait for another one.
    await quiet()
    const calls = ['a', 'b', 'c'].map((letter) => sdk.create(utf8(letter)))
    expect(trapCore()).toMatchObject({ code: 'CORE_FAILED' })
    const codes = codesOf(await Promise.allSettled(calls))
    expect(codes).toEqual(['fulfilled', 'CORE_FAILED', 'CORE_FAILED'])
    await sdk.close()
  })
})
