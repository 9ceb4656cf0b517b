import { extractBundle, generateKey, Keyring, memory, openSdk, source, verifyMessages } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { key, keyring, opened } from '../support/sdk.js'

const payloads = (count: number) => Array.from({ length: count }, (_, at) => utf8(`payload ${at}`))

async function messagesOf(count: number): Promise<Uint8Array[]> {
  const { sdk, stream } = await opened([source()])
  await Promise.all(payloads(count).map((payload) => sdk.create(payload)))
  return stream.messages
}

const altered = (message: Uint8Array) => utf8(new TextDecoder().decode(message).replace('true', 'false'))

/** Returns the codes of rejected messages, and the number of bundles of the others. */
async function outcomes(messages: Uint8Array[], trusted = keyring) {
  const all = await verifyMessages(messages, { keyring: trusted })
  return all.map((one) => (one.status === 'fulfilled' ? one.value.length : one.reason.code))
}

describe('verifyMessages', () => {
  it.each([0, 1, 2, 63, 64, 65, 200])('returns the bundles of %i valid messages, in order', async (count) => {
    const all = await verifyMessages(await messagesOf(count), { keyring })
    expect(all).toHaveLength(count)
    for (const one of all) expect(one).toMatchObject({ status: 'fulfilled', value: [{ action: 'create' }] })
    const ids = all.flatMap((one) =>
      (one.status === 'fulfilled' ? one.value : []).map((b) => b.annotations[0]?.id),
    )
    expect(ids).toEqual([...ids].sort())
  })

  // claim: threats-9, verifying-2
  it('names each invalid message among valid ones, at any position', async () => {
    const messages = await messagesOf(70)
    for (const bad of [0, 35, 63, 64, 69]) messages[bad] = altered(messages[bad] as Uint8Array)
    const expected = Array.from({ length: 70 }, (_, at) =>
      [0, 35, 63, 64, 69].includes(at) ? 'SIGNATURE_INVALID' : 1,
    )
    expect(await outcomes(messages)).toEqual(expected)
  })

  it('rejects each kind of failure with its own code, and with a text that names the fault', async () => {
    const [good] = (await messagesOf(1)) as [Uint8Array]
    const stranger = generateKey()
    const stream = memory()
    const sdk = await openSdk({ signingKey: stranger.signingKey, annotators: [], stream })
    const { message: unknown } = await sdk.create(utf8('a'))
    const messages = [
      utf8('"\\\n'),
      good,
      unknown,
      altered(good),
      new Uint8Array(0),
      new Uint8Array(17 * 2 ** 20),
    ]
    const codes = [
      'MESSAGE_MALFORMED',
      1,
      'SIGNER_UNKNOWN',
      'SIGNATURE_INVALID',
      'MESSAGE_MALFORMED',
      'MESSAGE_MALFORMED',
    ]
    expect(await outcomes(messages)).toEqual(codes)
    const [first] = await verifyMessages(messages, { keyring })
    expect(first).toMatchObject({ reason: { message: expect.stringContaining("expected '{'") } })
    const last = (await verifyMessages(messages, { keyring })).at(-1)
    expect(last).toMatchObject({ reason: { message: expect.stringContaining('at most 16777216 bytes') } })
  })

  it('accepts batches and extracted bundles among the messages', async () => {
    const { sdk } = await opened([source()])
    const [first] = await sdk.createMany(payloads(9))
    const batch = first?.message as Uint8Array
    const singles = [3, 8].map((index) => extractBundle(batch, index))
    expect(await outcomes([batch, ...singles, ...(await messagesOf(2)), altered(batch)])).toEqual([
      9,
      1,
      1,
      1,
      1,
      'SIGNATURE_INVALID',
    ])
  })

  it('trusts no signer with an empty keyring', async () => {
    expect(await outcomes(await messagesOf(3), new Keyring())).toEqual(Array(3).fill('SIGNER_UNKNOWN'))
  })

  it('names the argument that is not a message or not a keyring', async () => {
    await expect(verifyMessages(['a' as never], { keyring })).rejects.toThrow(
      'messages[0]: expected a Uint8Array',
    )
    await expect(verifyMessages([], { keyring: key.keyId as never })).rejects.toThrow(
      'keyring: expected a Keyring',
    )
  })
})
