// @alone: it chooses the core of the whole page

import 'alvarium-sdk/reference'
import {
  AlvariumError,
  generateKey,
  memory,
  openSdk,
  signBytes,
  source,
  toHex,
  verifyBytes,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { CCTV_COUNTS, judgeCctv } from '../support/cctv.js'
import { rfc8032, speccheck, wycheproof } from '../support/vectors.js'

/** Returns the verdict, or the error's code if the public key is rejected. */
function verdictOf(publicKey: string, message: string, signature: string): unknown {
  try {
    return verifyBytes(publicKey, fromHex(message), fromHex(signature))
  } catch (error) {
    if (error instanceof AlvariumError) return error.code
    throw error
  }
}

// claim: security-12
describe('with the reference core', () => {
  it.each(rfc8032())(
    'signBytes returns the published signature of $name of RFC 8032',
    ({ seed, message, signature }) => {
      expect(toHex(signBytes({ seed }, fromHex(message)))).toBe(signature)
    },
  )

  it('verifyBytes returns the published verdict on each Wycheproof vector', () => {
    const { groups, numberOfTests } = wycheproof()
    const wrong = groups.flatMap(({ publicKey, tests }) =>
      tests.filter(
        ({ message, signature, result }) => verdictOf(publicKey, message, signature) !== (result === 'valid'),
      ),
    )
    expect(wrong).toEqual([])
    expect(groups.flatMap(({ tests }) => tests)).toHaveLength(numberOfTests)
  })

  it('verifyBytes returns the verdicts of FORMAT.md on the 914 vectors of CCTV', () => {
    expect(judgeCctv('wasm')).toEqual({ wrong: [], counts: CCTV_COUNTS })
  })

  it.each(speccheck())(
    'verifyBytes refuses the signature of ed25519-speccheck by key $publicKey',
    (vector) => {
      const { publicKey, message, signature, isKey } = vector
      expect(verdictOf(publicKey, message, signature)).toBe(isKey ? false : 'KEY_INVALID')
    },
  )

  it("an SDK's message verifies, and an altered message is refused", async () => {
    const { signingKey, verifyingKey } = generateKey()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    const payload = utf8('21.4')
    const { message } = await sdk.create(payload)
    await sdk.close()
    const options = { keyring: [verifyingKey], payload }
    expect((await verifyMessage(message, options)).annotations).toHaveLength(1)
    const altered = utf8(new TextDecoder().decode(message).replace('create', 'mutate'))
    await expect(verifyMessage(altered, options)).rejects.toBeInstanceOf(AlvariumError)
  })
})
