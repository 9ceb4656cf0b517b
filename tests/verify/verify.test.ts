import { type Action, generateKey, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { content, turned } from '../support/alterations.js'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { FORGED } from '../support/forged.js'
import { MALFORMED } from '../support/malformed.js'
import { altered, genuineMessages, payload, previousPayload } from '../support/messages.js'
import { key, keyring } from '../support/sdk.js'

const messages = await genuineMessages()
const stranger = generateKey()
describe.each(Object.entries(messages) as [Action, Uint8Array][])(
  'a genuine %s message',
  (action, message) => {
    it('verifies', async () => {
      expect(await verifyMessage(message, { keyring, payload })).toMatchObject({
        action,
        payloadChecked: true,
      })
    })

    it.each(FORGED)('has an invalid signature when %s', async (_, alter) => {
      expect(await codeOf(() => verifyMessage(altered(message, alter), { keyring }))).toBe(
        'SIGNATURE_INVALID',
      )
    })

    it.each(MALFORMED)('is malformed when %s', async (_, alter) => {
      const { code, message: text } = await failure(() => verifyMessage(altered(message, alter), { keyring }))
      expect(code).toBe('MESSAGE_MALFORMED')
      expect(text.length).toBeLessThan(2000)
    })

    it('has an unknown signer when it names a signer that is not trusted', async () => {
      const other = altered(message, content('signer', stranger.keyId))
      const error = await failure(() => verifyMessage(other, { keyring }))
      expect(error).toMatchObject({
        code: 'SIGNER_UNKNOWN',
        message: expect.stringContaining(stranger.keyId),
      })
    })

    it('has an invalid signature when it names another signer that is trusted', async () => {
      const trusted = [stranger.verifyingKey, key.verifyingKey]
      const other = altered(message, content('signer', stranger.keyId))
      expect(await codeOf(() => verifyMessage(other, { keyring: trusted }))).toBe('SIGNATURE_INVALID')
    })

    it.each([utf8('hello alvariun'), new Uint8Array(), new Uint8Array(1_000_000)])(
      'does not verify for another payload',
      async (other) => {
        expect(await codeOf(() => verifyMessage(message, { keyring, payload: other }))).toBe(
          'PAYLOAD_MISMATCH',
        )
      },
    )
  },
)

// claim: format-12
describe('the previous key of a mutate', () => {
  it('is signed like every other field', async () => {
    const forged = altered(messages.mutate, ({ content }) => {
      content['previousKey'] = turned(content['previousKey'])
    })
    expect(await codeOf(() => verifyMessage(forged, { keyring }))).toBe('SIGNATURE_INVALID')
    const swapped = altered(messages.mutate, ({ content }) => {
      Object.assign(content, { key: content['previousKey'], previousKey: content['key'] })
    })
    expect(await codeOf(() => verifyMessage(swapped, { keyring, payload: previousPayload }))).toBe(
      'SIGNATURE_INVALID',
    )
  })

  it.each([undefined, null, 7, '', 'ab'])('makes a mutate malformed when the key is %j', async (value) => {
    const forged = altered(messages.mutate, content('previousKey', value))
    expect(await codeOf(() => verifyMessage(forged, { keyring }))).toBe('MESSAGE_MALFORMED')
  })

  it.each(['create', 'transit', 'publish'] as const)('makes a %s malformed', async (action) => {
    const forged = altered(messages[action], ({ content }) => {
      content['previousKey'] = content['key']
    })
    expect(await codeOf(() => verifyMessage(forged, { keyring }))).toBe('MESSAGE_MALFORMED')
  })

  it('is not compared with the payload', async () => {
    const options = { keyring, payload: previousPayload }
    expect(await codeOf(() => verifyMessage(messages.mutate, options))).toBe('PAYLOAD_MISMATCH')
  })
})
