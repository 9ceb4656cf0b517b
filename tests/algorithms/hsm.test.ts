// @node-only: it starts SoftHSM

import { memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { startToken } from '../support/softhsm.js'

let token: Awaited<ReturnType<typeof startToken>>
beforeAll(async () => {
  token = await startToken()
})
afterAll(() => token.stop())

it.each([
  ['P-256', 'EC:prime256v1', '01'],
  ['secp256k1', 'EC:secp256k1', '02'],
])(
  'a key of %s in a PKCS#11 module signs messages, and only its signatures leave the module',
  async (_, type, id) => {
    const signingKey = token.signerOf(type, id)
    const stream = memory()
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    for (let call = 0; call < 3; call++) await sdk.create(utf8('hello'))
    for (const message of stream.messages) {
      await verifyMessage(message, { keyring: [signingKey.verifyingKey], payload: utf8('hello') })
    }
    expect(stream.messages).toHaveLength(3)
  },
)
