// @node-only: no engine decides it

import { verifyPack } from 'alvarium-sdk/packs'
import { readTrust } from 'alvarium-sdk/trust'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { craftedBundle } from '../support/crafted.js'
import { packed, signer } from '../support/packs.js'

const holders = [signer('first'), signer('second'), signer('third')]
const trust = { signers: holders.flatMap(({ trust }) => trust.signers) }

const bundles = fc.uniqueArray(
  fc.record({
    holder: fc.constantFrom(0, 1, 2),
    minute: fc.integer({ min: 10, max: 59 }),
    src: fc.boolean(),
    tls: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8, selector: ({ holder, minute }) => `${holder} ${minute}` },
)
const timeOf = ({ minute }: { readonly minute: number }) => `2026-01-01T00:${minute}:00.000000Z`

it('a pack lists which statements each signer made and when, whatever the order of its bundles', async () => {
  await using keyring = await readTrust(trust)
  const compare = fc.asyncProperty(bundles, async (all) => {
    const messages = all.map((one) => {
      const { src, tls } = one
      const about = `payload ${one.minute}`
      return craftedBundle(holders[one.holder] as (typeof holders)[0], {
        timestamp: timeOf(one),
        about,
        says: { src, tls },
      }).message
    })
    const { bytes } = await packed(messages, { about: { query: 'all' }, trust })
    const found = await verifyPack(bytes, { keyring })
    const expected = ['first', 'second', 'third'].flatMap((name, at) => {
      const own = all.filter(({ holder }) => holder === at)
      const times = own.map(timeOf).sort()
      const yes = own.flatMap(({ src, tls }) => [src, tls]).filter(Boolean).length
      const counts = { statements: own.length, yes, no: 2 * own.length - yes }
      const keyIds = [holders[at]?.keyId]
      return times.length === 0
        ? []
        : [{ signer: name, keyIds, ...counts, since: times[0], until: times.at(-1) }]
    })
    expect(found.signers.toSorted((one, other) => (one.signer < other.signer ? -1 : 1))).toEqual(expected)
    const maxStatements = Math.max(1, all.length - 1)
    const fewer = await verifyPack(bytes, { keyring, maxStatements })
    expect([fewer.statements.length, fewer.signers]).toEqual([maxStatements, found.signers])
  })
  await fc.assert(compare, { numRuns: 25 })
})
