import { type Receipt, source } from 'alvarium-sdk'
import { expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')
/** Number of words fetched at a time; a call uses three. */
const WORDS = 4096

it('random words for annotation ids are generated 4,096 at a time, used only once, and zeroed after use', async () => {
  const { sdk } = await opened([source()])
  const fetching = vi.spyOn(crypto, 'getRandomValues')
  const receipts: Receipt[] = []
  const createUntil = async (isEnough: () => boolean) => {
    while (!isEnough() && receipts.length < 2 * WORDS) receipts.push(await sdk.create(payload))
  }
  // Use up the words that earlier tests left, then a whole stock.
  await createUntil(() => fetching.mock.calls.length === 1)
  const words = fetching.mock.calls[0]?.[0] as Uint32Array
  expect(words).toHaveLength(WORDS)
  const used = words.findIndex((word) => word !== 0)
  expect(used).toBeGreaterThan(0)
  expect(used).toBeLessThanOrEqual(3)
  const stock = words.slice()
  await sdk.create(payload)
  expect(words.subarray(0, used + 3)).toEqual(new Uint32Array(used + 3))
  expect(words.subarray(used + 3)).toEqual(stock.subarray(used + 3))
  const before = receipts.length
  await createUntil(() => fetching.mock.calls.length === 2)
  expect(receipts.length - before).toBeGreaterThanOrEqual(Math.floor((WORDS - used - 3) / 3))
  const random = receipts.map(({ bundle }) => bundle.annotations[0]?.id.slice(10))
  expect(new Set(random).size).toBe(receipts.length)
  fetching.mockRestore()
  await sdk.close()
})

// claim: threats-18
it("the part of an annotation's id after the time is random, for single and grouped calls", async () => {
  const opening = Array.from({ length: 64 }, async () => (await opened([source()])).sdk)
  const sdks = await Promise.all(opening)
  const idsOf = (receipts: readonly Receipt[]) =>
    receipts.map(({ bundle }) => bundle.annotations[0]?.id.slice(10) ?? '')
  const pairs = await Promise.all(
    sdks.map((sdk) => Promise.all([sdk.create(payload), sdk.create(payload)]).then(idsOf)),
  )
  for (const which of [0, 1]) {
    for (let digit = 0; digit < 16; digit++) {
      const seen = new Set(pairs.map((ids) => ids[which]?.[digit]))
      // With 64 draws, a few of the 32 digits do not appear.
      expect(seen.size).toBeGreaterThan(12)
    }
  }
  await Promise.all(sdks.map((sdk) => sdk.close()))
})
