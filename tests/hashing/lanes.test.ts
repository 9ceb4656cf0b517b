import { type Engine, type HashName, keyOf } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { opened } from '../support/sdk.js'

const filled = (length: number, at: number) => new Uint8Array(length).fill(0x61 + (at % 26))
/** Lengths around the limits for hashing by the host, and in pieces. */
const SIZES = [0, 1, 255, 256, 257, 60_000]
const LONG = [262_143, 262_144, 262_145, 524_289]

describe.each<HashName>(['sha256', 'md5', 'none'])('many payloads in one call, hashed by %s,', (hash) => {
  it.each<Engine>(['auto', 'wasm', 'host'])(
    'have the same keys as each payload hashed alone, with engine %s',
    async (engine) => {
      const { sdk } = await opened([], { hash, engine })
      const sizes = hash === 'none' ? SIZES : [...SIZES, ...LONG, ...SIZES]
      for (const count of [1, 2, sizes.length]) {
        const payloads = sizes.slice(0, count).map(filled)
        const keys = payloads.map((payload) => keyOf(payload, hash, 'wasm'))
        const receipts = await sdk.createMany(payloads)
        expect(receipts.map(({ bundle }) => bundle.key)).toEqual(keys)
      }
      await sdk.close()
    },
  )

  it('keep their payload keys if they are overwritten while annotators run', async () => {
    const late = { kind: 'late', isSatisfied: async () => true }
    const { sdk } = await opened([late], { hash })
    const payloads = SIZES.map(filled)
    const keys = payloads.map((payload) => keyOf(payload, hash))
    const calls = sdk.createMany(payloads)
    for (const payload of payloads) payload.fill(0x7a)
    expect((await calls).map(({ bundle }) => bundle.key)).toEqual(keys)
    await sdk.close()
  })
})
