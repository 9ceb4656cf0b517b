// @internal: packs of as many seals take minutes
// @node-only: no engine decides it

import { generateKey, keyOf } from 'alvarium-sdk'
import { proveMember, sealSet, type VerifiedSet, verifySet } from 'alvarium-sdk/sets'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PackedSets } from '../../dist/evidence/packs/wholeness/packed-sets.js'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { said } from '../support/said.js'

interface Seal {
  readonly signer: string
  readonly size: number
  readonly isRight: boolean
  readonly isSalted: boolean
}

/** Applies the rules of FORMAT.md ("Seals"), one by one. */
function bySpecification(seals: readonly Seal[], bundles: number, confirming: readonly string[]) {
  const size = Math.max(0, ...seals.map((one) => one.size))
  const largest = seals.filter((one) => one.size === size && !one.isSalted)
  const nothing = { word: 'not shown', by: undefined, missing: 0 }
  if (size > bundles) return { ...nothing, missing: size - bundles }
  if (size < bundles) return nothing
  if (largest.some((one) => !one.isRight)) return { ...nothing, missing: 1 }
  const [by] = largest
    .map(({ signer }) => signer)
    .filter((signer) => confirming.includes(signer))
    .sort()
  return by === undefined ? nothing : { word: 'whole by seal', by, missing: 0 }
}

const KEY = '9F'.repeat(32)
const SIGNERS = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
const seal = fc.record({
  signer: fc.constantFrom(...SIGNERS),
  size: fc.integer({ min: 1, max: 3 }),
  isRight: fc.oneof(
    { weight: 3, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  isSalted: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
})

// claim: format-69
it('a pack about a payload is "whole by seal" (no bundle is missing) exactly under the conditions of FORMAT.md', async () => {
  const ids = ['1', '2', '3'].map((text) => keyOf(utf8(text)).toLowerCase())
  const { signingKey } = generateKey()
  const rootOf = async (count: number) =>
    (
      await sealSet(
        ids.slice(0, count).map((one) => one.toUpperCase()),
        { signingKey },
      )
    ).list.root
  const roots = await Promise.all([0, 1, 2, 3].map(rootOf))
  const words = { shown: 0, missing: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(seal, { maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.subarray(SIGNERS),
      async (seals, bundles, confirming) => {
        const sets = new PackedSets()
        for (const [at, { signer, size, isRight, isSalted }] of seals.entries()) {
          const root = isRight && !isSalted ? roots[bundles] : '0'.repeat(64)
          const name = `bundles of sha256 ${KEY}`
          sets.add({ id: `${at}`, name, signer, size, root, ...(isSalted && { salt: root }) } as VerifiedSet)
        }
        for (const id of ids.slice(0, bundles)) sets.addBundle(said({ key: KEY, id }))
        const payload = { hash: 'sha256', key: KEY } as const
        const mayConfirm = (signer: string) => confirming.includes(signer)
        const { whole } = await sets.ofPayload(payload, { nameOf: (id) => id, mayConfirm })
        const expected = bySpecification(seals, bundles, confirming)
        expect({ word: whole.word, by: whole.by, missing: whole.missing }).toEqual(expected)
        words.shown += Number(expected.word !== 'not shown')
        words.missing += Number(expected.missing > 0)
      },
    ),
    { numRuns: 1_500 },
  )
  expect(Math.min(words.shown, words.missing)).toBeGreaterThan(30)
})

it('a pack cannot contain proofs about a set with a salt', async () => {
  const { signingKey, verifyingKey } = generateKey()
  const add = async (salt?: Uint8Array) => {
    const { list, message } = await sealSet([utf8('a'), utf8('b')], { signingKey, salt })
    const set = verifySet(message, { keyring: [verifyingKey] })
    const sets = new PackedSets()
    sets.add(await set)
    sets.addProof({ set: (await set).id, key: keyOf(utf8('a')), proof: proveMember(list, utf8('a')) })
  }
  await add()
  expect(await codeOf(() => add(new Uint8Array(32)))).toBe('MESSAGE_MALFORMED')
})
