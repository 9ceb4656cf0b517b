// @firefox: a compiler of its own for the core
import {
  extractBundle,
  generateKey,
  Keyring,
  keyIdOf,
  signBytes,
  toHex,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { golden, goldenBatches } from '../support/vectors.js'

const { seed, publicKey, keyId, cases } = golden()

describe('the golden messages of bundle/1', () => {
  it('are signed by the key that they name', () => {
    expect(keyIdOf(publicKey)).toBe(keyId)
  })

  it.each(cases)(
    'verify with the values that were signed: $name',
    async ({ message, payload, bundle, id }) => {
      const options = { keyring: [publicKey], payload: fromHex(payload) }
      expect(await verifyMessage(utf8(message), options)).toEqual({ ...bundle, id, payloadChecked: true })
    },
  )

  it.each(cases)('have the signature of their identity bytes: $name', ({ identity, signature }) => {
    expect(toHex(signBytes({ seed }, fromHex(identity)))).toBe(signature)
  })

  it.each(cases)('do not verify with the key of another signer: $name', async ({ message }) => {
    const stranger = { keyring: [generateKey().verifyingKey] }
    expect(await codeOf(() => verifyMessage(utf8(message), stranger))).toBe('SIGNER_UNKNOWN')
  })
})

describe('the golden batches of FORMAT.md', () => {
  const { publicKey, cases } = goldenBatches()
  const keyring = new Keyring([publicKey])

  it.each(cases)('verify as a whole, and bundle by bundle: $name', async ({ extracted, ids, ...batch }) => {
    const message = utf8(batch.message)
    const bundles = await verifyBatch(message, { keyring })
    expect(bundles.map(({ id }) => id)).toEqual(ids)
    for (const [index, expected] of extracted.entries()) {
      const single = extractBundle(message, index)
      expect(new TextDecoder().decode(single)).toBe(expected)
      expect(await verifyMessage(single, { keyring })).toEqual(bundles[index])
    }
  })
})
