import { cbor, identityBytes, signBytes, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { golden, goldenBatches, goldenCborBatches } from '../support/vectors.js'
import { assertAgreement } from './agreement.js'
import { type Case, corpus } from './corpus.js'

const { publicKey, seed, cases: bundles } = golden()
const { cases: batches } = goldenBatches()
const reversed = (hex: string) => Buffer.from(hex, 'hex').reverse().toString('hex')
const keyring = [Buffer.from(publicKey, 'hex')]

const asJson = (text: string, payload?: Uint8Array): Case => ({ message: utf8(text), isCbor: false, payload })
const asCbor = (text: string, payload?: Uint8Array): Case => ({
  message: cbor().encode(utf8(text)),
  isCbor: true,
  payload,
})

describe('a Python implementation written from FORMAT.md alone', () => {
  // claim: readme-16, format-1
  it('reads the signed content of every golden bundle, in JSON and in CBOR', async () => {
    const asked = bundles.flatMap(({ message, payload }) =>
      [asJson, asCbor].map((as) => as(message, Buffer.from(payload, 'hex'))),
    )
    expect(await assertAgreement({ cases: asked, keyring })).toEqual({ verified: 2 * bundles.length })
  })

  it('reads the signed content of every golden batch, and of each extracted bundle', async () => {
    const texts = batches.flatMap(({ message, extracted }) => [message, ...extracted])
    const asked = texts.flatMap((text) => [asJson(text), asCbor(text)])
    expect(await assertAgreement({ cases: asked, keyring })).toEqual({ verified: asked.length })
  })

  // claim: format-82
  it('reads the signed content of every golden batch in CBOR, whatever the ids, times and members of its bundles', async () => {
    const asked = goldenCborBatches().cases.flatMap(({ message, cbor }) => [
      asJson(message),
      { message: Buffer.from(cbor, 'hex'), isCbor: true, payload: undefined },
    ])
    expect(await assertAgreement({ cases: asked, keyring })).toEqual({ verified: asked.length })
  })

  it('agrees with the SDK on random valid and invalid messages', async () => {
    const counts = await assertAgreement(await corpus(1, 250))
    expect(Object.keys(counts).sort()).toEqual([
      'MESSAGE_MALFORMED',
      'PAYLOAD_MISMATCH',
      'SIGNATURE_INVALID',
      'SIGNER_UNKNOWN',
      'verified',
    ])
  })
})

describe('at the limits of the format, the Python verifier and the SDK', () => {
  const [bundle = ''] = bundles.map(({ message }) => message)
  const single = batches[1]?.extracted[0] ?? ''

  /** Returns a genuine bundle with another value in a member, signed if its content can be. */
  const signed = (member: string, value: string) => {
    const text = bundle.replace(new RegExp(`"${member}":"[^"]*"`), () => `"${member}":"${value}"`)
    try {
      const signature = toHex(signBytes({ seed }, identityBytes(utf8(text))))
      return text.replace(/"signature":"[^"]*"/, `"signature":"${signature}"`)
    } catch {
      return text
    }
  }
  const index = (spelt: string) => single.replace(/"index":\d+/, `"index":${spelt}`)
  const size = (spelt: string) => single.replace(/"size":\d+/, `"size":${spelt}`)
  const padded = (text: string, length: number) => text + ' '.repeat(length - text.length)

  const SOUND = [
    ...['2000-02-29T00:00:00Z', '0000-02-29T00:00:00Z', '2026-11-20T10:00:60Z'].map((time) =>
      signed('timestamp', time),
    ),
    ...['2026-11-20T10:00:00-00:00', '2026-11-20T10:00:00.000000000+23:59'].map((time) =>
      signed('timestamp', time),
    ),
    signed('host', '\\u0000\\ud83d\\ude00'),
    signed('host', `${'é'.repeat(127)}x`),
    bundle.replace('create', 'cr\\u0065ate'),
    index('0'),
    padded(bundle, 2 ** 21),
    padded(batches[2]?.message ?? '', 2 ** 21 + 1),
  ]

  const MALFORMED = [
    ...['1900-02-29T00:00:00Z', '2026-11-31T00:00:00Z', '2026-00-20T00:00:00Z'],
    ...['2026-11-20T24:00:00Z', '2026-11-20T10:00:61Z', '2026-11-20T10:00:00+24:00', '2026-11-20T10:00:00.Z'],
    ...['\u0662026-11-20T10:00:00Z', '2026-11-20T10:00:00Z\\n', '2026-11-20T10:00:00.1234567890Z'],
  ].map((time) => signed('timestamp', time))
  MALFORMED.push(
    signed('host', 'é'.repeat(128)),
    ...['-0', '0.0', '0e0', '00', '2', '65535', '18446744073709551616'].map(index),
    ...['-0', '0', '65537', '2.0', '18446744073709551616'].map(size),
    ...['\ufeff', '\f', '[', '{"a":'.repeat(100_000)].map((before) => before + bundle),
    ...['', '[]', 'null', '0', '"x"', 'NaN', '{', '['.repeat(100_000)],
    padded(bundle, 2 ** 21 + 1),
  )

  it('accept valid messages', async () => {
    const cases = SOUND.map((text) => asJson(text))
    expect(await assertAgreement({ cases, keyring })).toEqual({ verified: cases.length })
  })

  it('refuse malformed messages', async () => {
    const cases = MALFORMED.map((text) => asJson(text))
    expect(await assertAgreement({ cases, keyring })).toEqual({ MESSAGE_MALFORMED: cases.length })
  })

  it('refuse a second encoding of a valid signature', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const { signature } = bundles[0] ?? { signature: '' }
    const s = BigInt(`0x${reversed(signature.slice(64))}`) + order
    const other = signature.slice(0, 64) + reversed(s.toString(16).padStart(64, '0'))
    const neutral = `01${'0'.repeat(62)}${signature.slice(64)}`
    const cases = [other, neutral].map((one) => asJson(bundle.replace(signature, one)))
    expect(await assertAgreement({ cases, keyring })).toEqual({ SIGNATURE_INVALID: 2 })
  })

  it('refuse CBOR that is nested, has trailing bytes, or ends early', async () => {
    const whole = Buffer.from(cbor().encode(utf8(bundle))).toString('hex')
    const spelt = ['', `${whole}00`, `d9d9f7${whole}`, whole.slice(2), '9f', 'a1f400', 'a120f4', 'a2000000f4']
    spelt.push('81'.repeat(100_000), 'a100'.repeat(50_000), 'bb0000000100000000', 'a11bffffffffffffffff00')
    const cases = spelt.map((hex) => ({ message: Buffer.from(hex, 'hex'), isCbor: true, payload: undefined }))
    expect(await assertAgreement({ cases, keyring })).toEqual({ MESSAGE_MALFORMED: cases.length })
  })
})
