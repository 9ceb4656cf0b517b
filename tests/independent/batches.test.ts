// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { cbor } from 'alvarium-sdk'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { anyBatch } from '../support/any-batch.js'
import { fromHex } from '../support/bytes.js'
import { key } from '../support/sdk.js'
import { goldenCborBatches } from '../support/vectors.js'
import { assertAgreement } from './agreement.js'
import type { Case } from './corpus.js'

const FIRST_SEED = 7
const asCbor = (message: Uint8Array): Case => ({ message, isCbor: true, payload: undefined })
const keyring = [key.verifyingKey as Uint8Array]

// claim: format-81
it('the Python verifier and the SDK agree on random batches, in JSON and in CBOR', async () => {
  const messages = fc.sample(anyBatch, { numRuns: 400, seed: FIRST_SEED })
  const cases = messages.flatMap((message) => [
    { message, isCbor: false, payload: undefined },
    asCbor(cbor().encode(message)),
  ])
  expect(await assertAgreement({ cases, keyring })).toEqual({ verified: 800 })
})

it('the Python verifier and the SDK refuse CBOR batches in which a bit was flipped', async () => {
  const { cases, publicKey } = goldenCborBatches()
  const altered = cases.flatMap(({ cbor }) => {
    const bytes = fromHex(cbor)
    return Array.from(bytes, (byte, at) => asCbor(bytes.with(at, byte ^ (1 << (at % 8)))))
  })
  const counts = await assertAgreement({ cases: altered, keyring: [fromHex(publicKey)] })
  expect(counts['verified']).toBeUndefined()
})

it('the Python verifier and the SDK agree on CBOR batches with bytes moved, doubled or removed', async () => {
  const random = new Random(FIRST_SEED)
  const cases = fc.sample(anyBatch, { numRuns: 1_500, seed: FIRST_SEED + 1 }).map((message) => {
    const bytes = Buffer.from(cbor().encode(message))
    const [at, from, length] = [random.below(bytes.length), random.below(bytes.length), random.below(40)]
    const piece = random.pick([
      bytes.subarray(from, from + length),
      random.bytes(random.below(3)),
      Buffer.alloc(0),
    ])
    return asCbor(
      Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + random.pick([0, length]))]),
    )
  })
  await assertAgreement({ cases, keyring })
})
