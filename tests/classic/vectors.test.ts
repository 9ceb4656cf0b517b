import { classic, keyOf, memory, openSdk, source, verifyClassic } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { caseOf, everyCase, keyringOf, signerOf, verdicts, verifiedOf } from '../support/classic.js'
import { key, keyring as own } from '../support/sdk.js'

describe('a message of another SDK', () => {
  // claim: readme-6
  it.each(everyCase)('verifies with the payloads that it is about: %s', async (_, dialect, one) => {
    const { payload, previousPayload, message, action } = one
    const options = { keyring: keyringOf(dialect), payload, previousPayload }
    const verified = await verifyClassic(utf8(message), options)
    expect(verified).toMatchObject({ action, dialect })
    const signer = signerOf(dialect)
    const expected = one.annotations.map((annotation) => ({ ...annotation, signer, payloadChecked: true }))
    expect(verifiedOf(verified)).toMatchObject(expected)
    expect(verified.annotations).toHaveLength(expected.length)
  })

  it.each(everyCase)(
    'has the verdict SIGNER_UNKNOWN for every annotation if the keyring lacks the signer: %s',
    async (_, dialect, one) => {
      const keyring = keyringOf(dialect === 'rust' ? 'go' : 'rust')
      const expected = one.annotations.map(() => 'SIGNER_UNKNOWN')
      expect(await verdicts(utf8(one.message), { keyring })).toEqual(expected)
    },
  )

  it.each(everyCase)('does not verify with a different payload: %s', async (_, dialect, one) => {
    const options = { keyring: keyringOf(dialect), payload: utf8('another'), previousPayload: utf8('older') }
    const expected = one.annotations.map(() => 'PAYLOAD_MISMATCH')
    expect(await verdicts(utf8(one.message), options)).toEqual(expected)
  })

  it.each(everyCase)(
    'verifies without payloads, and its verdicts have payloadChecked false: %s',
    async (_, dialect, one) => {
      const verified = verifiedOf(await verifyClassic(utf8(one.message), { keyring: keyringOf(dialect) }))
      expect(verified.map(({ payloadChecked }) => payloadChecked)).toEqual(one.annotations.map(() => false))
    },
  )
})

describe("another SDK's message about a mutate", () => {
  const { message, payload, previousPayload } = caseOf('java', 'base-mutate-hello-to-pki-valid')
  const keyring = keyringOf('java')

  it('begins with an annotation about the original payload', async () => {
    const rest = ['verified', 'verified', 'verified']
    expect(await verdicts(utf8(message), { keyring, payload })).toEqual(['PAYLOAD_MISMATCH', ...rest])
    expect(await verdicts(utf8(message), { keyring, payload, previousPayload })).toEqual([
      'verified',
      ...rest,
    ])
  })

  it('verifies with only the original payload', async () => {
    const verified = verifiedOf(await verifyClassic(utf8(message), { keyring, previousPayload }))
    expect(verified.map(({ payloadChecked }) => payloadChecked)).toEqual([true, false, false, false])
  })

  it('has exactly one annotation about the original payload, which comes first', async () => {
    const outcome = await verdicts(utf8(message), { keyring, payload: previousPayload })
    expect(outcome).toEqual(['verified', 'PAYLOAD_MISMATCH', 'PAYLOAD_MISMATCH', 'PAYLOAD_MISMATCH'])
  })
})

describe('payloads of classic messages', () => {
  it('in the Rust dialect, have the payload key of their seed if they are JSON of a seed and a signature', async () => {
    const { message, payload } = caseOf('rust', 'create-signable')
    const [first] = verifiedOf(await verifyClassic(utf8(message), { keyring: keyringOf('rust'), payload }))
    const { seed } = JSON.parse(new TextDecoder().decode(payload))
    expect(first?.key).toBe(keyOf(utf8(seed)).toLowerCase())
    const otherSeed = utf8(JSON.stringify({ seed: `${seed}!`, signature: '' }))
    const outcome = await verdicts(utf8(message), { keyring: keyringOf('rust'), payload: otherSeed })
    expect(new Set(outcome)).toEqual(new Set(['PAYLOAD_MISMATCH']))
  })

  it.each<[string, string, boolean]>([
    ['an object', '{"seed":"S","signature":"s"}', true],
    ['one with white space and escapes', ' {"\\u0073eed" : "S", "signature":"s"}\n', true],
    ['one with other members', '{"a":[{"seed":"x"},1e999],"seed":"S","signature":"s"}', true],
    ['one with invalid UTF-8 in another member', '{"a":"\xff","seed":"S","signature":"s"}', true],
    ['an array of a seed and a signature', '["S","s"]', true],
    ['one with invalid UTF-8 in the signature', '{"seed":"S","signature":"\xff"}', false],
    ['one with invalid UTF-8 in a name', '{"\xff":1,"seed":"S","signature":"s"}', false],
    ['one with the seed twice', '{"seed":"x","seed":"S","signature":"s"}', false],
    ['one without a signature', '{"seed":"S"}', false],
    ['one whose signature is a number', '{"seed":"S","signature":7}', false],
    ['an array of three', '["S","s","t"]', false],
    ['an array of one', '["S"]', false],
    ['text after an array', '["S","s"] x', false],
    ['a byte order mark before an array', '\xef\xbb\xbf["S","s"]', false],
  ])(
    'in the Rust dialect, are read as JSON of a seed and a signature only if the Rust SDK does so: %s',
    async (_, text, isSignable) => {
      const payload = Uint8Array.from(text, (character) => character.charCodeAt(0))
      const codec = classic({ signingKey: key.signingKey, dialect: 'rust' })
      const sdk = await openSdk({
        signingKey: key.signingKey,
        annotators: [source()],
        stream: memory(),
        codec,
      })
      const { message } = await sdk.create(utf8('S'))
      const outcome = await verdicts(message, { keyring: own, payload })
      expect(outcome).toEqual([isSignable ? 'verified' : 'PAYLOAD_MISMATCH'])
    },
  )

  it('in the Go dialect, verify with the hash "none" even if their letter case was changed', async () => {
    const { message, payload } = caseOf('go', 'create-utf8-hash-none')
    const keyring = keyringOf('go')
    const text = new TextDecoder().decode(payload)
    expect(text).toContain('ß')
    expect(await verdicts(utf8(message), { keyring, payload: utf8(text.toLowerCase()) })).toEqual([
      'verified',
    ])
    const other = utf8(text.replace('ß', 'ss'))
    expect(await verdicts(utf8(message), { keyring, payload: other })).toEqual(['PAYLOAD_MISMATCH'])
  })

  it('do not verify with the hash "none" if they are not UTF-8 or are too long', async () => {
    const { message } = caseOf('go', 'create-hello-hash-none')
    const keyring = keyringOf('go')
    for (const payload of [Uint8Array.of(0xff), new Uint8Array(70_000)]) {
      expect(await verdicts(utf8(message), { keyring, payload })).toEqual(['PAYLOAD_MISMATCH'])
    }
  })
})
