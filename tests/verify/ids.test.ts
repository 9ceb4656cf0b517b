import {
  cbor,
  extractBundle,
  json,
  memory,
  openSdk,
  source,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { key, keyring, opened } from '../support/sdk.js'

const payloads = Array.from({ length: 5 }, (_, at) => utf8(`payload ${at}`))

/** Returns the bundles of a batch in this codec, and its message. */
async function batch(codec: ReturnType<typeof json>) {
  const { signingKey } = key
  await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), codec })
  const [first] = await sdk.createMany(payloads)
  const message = first?.message as Uint8Array
  return { message, bundles: await verifyBatch(message, { keyring, codec }) }
}

describe('the id of a bundle', () => {
  // claim: format-21, verifying-1
  it.each([json(), cbor()])('is the same in a batch and after extraction: %o', async (codec) => {
    const { message, bundles } = await batch(codec)
    for (const [at, { id }] of bundles.entries()) {
      const single = extractBundle(message, at, { codec })
      const payload = payloads[at]
      expect(await verifyMessage(single, { keyring, codec, payload })).toMatchObject({ id })
    }
  })

  it('is the same whether its message is verified alone, among other or altered messages, or in a pool', async () => {
    const { sdk, stream } = await opened([source()])
    await Promise.all(payloads.map((payload) => sdk.create(payload)))
    const { messages } = stream
    const alone = await Promise.all(messages.map((message) => verifyMessage(message, { keyring })))
    const bad = utf8(new TextDecoder().decode(messages[0]).replace('true', 'false'))
    await using workers = await pool({ workers: 1 })
    for (const options of [{}, { pool: workers }]) {
      for (const more of [[], [bad]]) {
        const outcomes = await verifyMessages([...messages, ...more], { keyring, ...options })
        const verified = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
        expect(verified).toEqual(alone)
      }
    }
  })

  it('is different for each bundle, even among bundles that share a signature', async () => {
    const { bundles } = await batch(json())
    const ids = bundles.map(({ id }) => id)
    expect(new Set(ids).size).toBe(payloads.length)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/)
  })
})
