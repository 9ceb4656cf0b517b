// @own-process: failed once in a shared process on a busy machine, as the core got a buffer that was gone; the cause is unknown

import { type AnyAnnotator, keyOf } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { transferAway } from '../support/gone.js'
import { opened, yes } from '../support/sdk.js'

const takesAway = (payload: Uint8Array) => {
  if (payload.length > 0) transferAway(payload)
  return true
}
const CARELESS: [string, AnyAnnotator][] = [
  ['at once', { kind: 'careless', needs: 'payload', isSatisfied: ({ payload }) => takesAway(payload) }],
  [
    'later',
    {
      kind: 'careless',
      needs: 'payload',
      isSatisfied: async ({ payload }) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return takesAway(payload)
      },
    },
  ],
]

describe.each(CARELESS)("when an annotator transfers the payload's buffer %s", (_, annotator) => {
  it.each<object>([{}, { transfer: true }])(
    'createMany with the options %j reports the hashes of the original bytes',
    async (context) => {
      const { sdk } = await opened([annotator])
      const texts = ['a', 'bb', 'c'.repeat(1000)]
      const receipts = await sdk.createMany(texts.map(utf8), context)
      expect(receipts.map(({ bundle }) => bundle.key)).toEqual(texts.map((text) => keyOf(utf8(text))))
      await sdk.close()
    },
  )
})

describe.each(['sha256', 'md5', 'none'] as const)(
  'a payload that its owner overwrites while annotators run',
  (hash) => {
    it.each([10, 1_000, 5_000, 300_000])(
      `is annotated as it was at the call: ${hash}, %i bytes`,
      async (size) => {
        if (hash === 'none' && size > 65_536) return
        const payload = new Uint8Array(size).fill(0x61)
        const late = { kind: 'late', isSatisfied: () => Promise.resolve(true) }
        const { sdk } = await opened([late], { hash })
        const call = sdk.mutate(payload, payload)
        payload.fill(0x62)
        const { key, previousKey } = (await call).bundle
        const expected = keyOf(new Uint8Array(size).fill(0x61), hash)
        expect([key, previousKey]).toEqual([expected, expected])
        await sdk.close()
      },
    )
  },
)

describe('the option transfer of a call', () => {
  const late = { kind: 'late', isSatisfied: () => new Promise<boolean>((done) => setTimeout(done, 5, true)) }

  it.each([
    ['at once', yes('quick')],
    ['later', late],
  ])(
    'moves the payload to the worker pool, without a copy, when annotators answer %s',
    async (_, annotator) => {
      await using workers = await pool({ workers: 1 })
      const { sdk } = await opened([annotator], { pool: workers })
      const [before, after] = [utf8('before'), utf8('after')]
      const { bundle } = await sdk.mutate(before, after, { transfer: true })
      expect([before.length, after.length]).toEqual([0, 0])
      expect([bundle.previousKey, bundle.key]).toEqual([keyOf(utf8('before')), keyOf(utf8('after'))])
      await sdk.close()
    },
  )

  it('is false by default, which leaves the payload unchanged', async () => {
    await using workers = await pool({ workers: 1 })
    for (const annotator of [yes('quick'), late]) {
      const { sdk } = await opened([annotator], { pool: workers })
      const payload = utf8('hello')
      await sdk.create(payload)
      await sdk.create(payload, { transfer: false })
      expect(payload).toEqual(utf8('hello'))
      await sdk.close()
    }
  })

  it.each([
    ['immediately', false],
    ['asynchronously', true],
  ])(
    'makes mutate() reject with PAYLOAD_INVALID if an annotator transfers the buffer of a payload %s',
    async (_, isLate) => {
      let taken = new Uint8Array()
      const isSatisfied = () => (isLate ? Promise.resolve().then(() => takesAway(taken)) : takesAway(taken))
      const { sdk, stream } = await opened([{ kind: 'taking', isSatisfied }])
      for (const side of [0, 1] as const) {
        const sides = [utf8('before'), utf8('after')] as const
        const { length } = sides[side]
        taken = sides[side]
        const { code, message } = await failure(() => sdk.mutate(...sides, { transfer: true } as object))
        expect([code, message]).toEqual([
          'PAYLOAD_INVALID',
          `payload: expected to keep its ${length} bytes until its annotators have answered, got 0: its buffer was transferred or resized`,
        ])
      }
      expect(stream.messages).toEqual([])
      await sdk.close()
    },
  )
})
