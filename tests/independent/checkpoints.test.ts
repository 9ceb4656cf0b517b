// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readLease } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { utf8 } from '../support/bytes.js'
import { goldenMessage, loggedSdk } from '../support/checkpoints.js'
import { openLogged } from '../support/leased.js'
import { goldenCheckpoints } from '../support/vectors.js'
import { verdictsOf } from './python.js'

const { cases, publicKey } = goldenCheckpoints()

async function both(messages: readonly Uint8Array[], key: string) {
  const keyring = [Buffer.from(key, 'hex')]
  const ours = messages.map((message) =>
    verifyCheckpoint(message, { keyring }).then(
      ({ note, ...checkpoint }) => ({ checkpoint: JSON.parse(JSON.stringify(checkpoint)) }),
      ({ code }) => ({ code }),
    ),
  )
  const asked = messages.map((message) => ({
    message: Buffer.from(message).toString('base64'),
    cbor: false,
    checkpoint: true,
  }))
  return { ours: await Promise.all(ours), python: await verdictsOf(asked, [key]) }
}

it('a Python implementation reads golden checkpoints as the SDK does', async () => {
  const { ours, python } = await both(
    cases.map(({ message }) => utf8(message)),
    publicKey,
  )
  expect(ours).toEqual(python)
  expect(ours.every((verdict) => 'checkpoint' in verdict)).toBe(true)
})

it("a Python implementation reads an SDK's checkpoints over single messages and batches as the SDK does", async () => {
  const { sdk, notes, keyring } = await loggedSdk({}, { every: 3 })
  for (let at = 0; at < 4; at++) await sdk.create(Uint8Array.of(at))
  await sdk.createMany([Uint8Array.of(1), Uint8Array.of(2)])
  await sdk.close()
  const { ours, python } = await both(notes, Buffer.from(keyring[0] as Uint8Array).toString('hex'))
  expect(ours).toEqual(python)
  expect(ours.every((verdict) => 'checkpoint' in verdict)).toBe(true)
})

it("a Python implementation reads an SDK's checkpoints under a lease as the SDK does", async () => {
  const { sdk, notes, leases } = await openLogged({}, { every: 3 })
  for (let at = 0; at < 7; at++) await sdk.create(Uint8Array.of(at))
  await sdk.createMany([Uint8Array.of(1), Uint8Array.of(2)])
  await sdk.close()
  const { subject } = readLease(leases[0] as Uint8Array)
  const { ours, python } = await both(notes, subject)
  expect(ours).toEqual(python)
  expect(ours.flatMap((verdict) => ('checkpoint' in verdict ? verdict.checkpoint.entries : []))).toHaveLength(
    8,
  )
})

/** Texts in which other characters replace some. */
// claim: format-49
it('a Python implementation and the SDK agree on hundreds of checkpoints with altered characters', async () => {
  const random = new Random(27)
  const characters = '0123456789-= \nabcdeABCDEZ+/\r\t'
  const texts = Array.from({ length: 700 }, () => {
    const { text } = random.pick(cases)
    const at = 88 + random.below(text.length - 88)
    return `${text.slice(0, at)}${random.pick([...characters])}${text.slice(at + random.below(2))}`
  })
  const { ours, python } = await both(texts.map(goldenMessage), publicKey)
  expect(ours).toEqual(python)
  expect(new Set(ours.map((verdict) => ('code' in verdict ? verdict.code : 'verified'))).size).toBe(2)
})
