// @firefox: memory that is given away, and values of another realm
import {
  type AnyAnnotator,
  type Engine,
  type HashName,
  identityBytes,
  Keyring,
  keyIdOf,
  keyOf,
  memory,
  openSdk,
  signBytes,
  source,
  verifyBytes,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { type WorkerPool as Pool, pool } from 'alvarium-sdk/pool'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { GONE, resizable, resize, transferAway } from '../support/gone.js'
import { platform } from '../support/platform.js'
import { foreign, foreignError } from '../support/realm.js'
import { key, keyring, opened } from '../support/sdk.js'

const payload = utf8('hello')
const { signingKey, verifyingKey } = key
/** An SDK that stays open: other calls must not close it. */
const bystander = await opened([source()])
let workers: Pool

beforeAll(async () => {
  workers = await pool({ workers: 1 })
})
afterEach(async () => {
  const { bundle } = await bystander.sdk.create(payload)
  expect(bundle.key).toBe(keyOf(payload))
})
afterAll(() => workers.close())

describe.each(GONE)('unreadable bytes (%s)', (_, gone) => {
  const TEXT = /: expected a Uint8Array, got a Uint8Array whose buffer was transferred or has shrunk$/

  it.each<[string, (bytes: Uint8Array) => unknown]>([
    ['create', (bytes) => bystander.sdk.create(bytes)],
    ['mutate, as the previous payload', (bytes) => bystander.sdk.mutate(bytes, payload)],
    ['mutate, as the new payload', (bytes) => bystander.sdk.mutate(payload, bytes)],
    ['createMany', (bytes) => bystander.sdk.createMany([payload, bytes])],
    ['keyOf', (bytes) => keyOf(bytes)],
    ['signBytes', (bytes) => signBytes(signingKey, bytes)],
    ['signBytes, as the key', (bytes) => signBytes(bytes, payload)],
    ['verifyBytes', (bytes) => verifyBytes(verifyingKey, bytes, new Uint8Array(64))],
    ['verifyBytes, as the signature', (bytes) => verifyBytes(verifyingKey, payload, bytes)],
    ['keyIdOf', (bytes) => keyIdOf(bytes)],
    ['a Keyring', (bytes) => new Keyring([bytes])],
    ['openSdk', (bytes) => openSdk({ signingKey: bytes, annotators: [], stream: memory() })],
    ['verifyMessage', (bytes) => verifyMessage(bytes, { keyring })],
    ['verifyMessage, as the payload', (bytes) => verifyMessage(payload, { keyring, payload: bytes })],
    ['verifyMessage with a pool', (bytes) => verifyMessage(bytes, { keyring, pool: workers })],
    ['verifyMessages', (bytes) => verifyMessages([bytes], { keyring })],
    ['verifyClassic', (bytes) => verifyClassic(bytes, { keyring })],
    ['identityBytes', (bytes) => identityBytes(bytes)],
  ])('cause a TypeError in %s', async (_, act) => {
    expect((await typeError(() => act(gone()))).message).toMatch(TEXT)
  })

  it('cause a TypeError in verifyMessages that names the position of the message', async () => {
    const { message } = await bystander.sdk.create(payload)
    const error = await typeError(() => verifyMessages([message, gone()], { keyring }))
    expect(error.message).toMatch(/^messages\[1\]: /)
  })

  it('cause a TypeError in verifyMessage even if a codec detaches the payload during decoding', async () => {
    const { message } = await bystander.sdk.create(payload)
    for (const chosen of [undefined, workers]) {
      const taken = payload.slice()
      const decode = (bytes: Uint8Array) => {
        transferAway(taken)
        return bytes
      }
      const codec = { contentType: 'x', encode: decode, decode }
      await typeError(() => verifyMessage(message, { keyring, payload: taken, codec, pool: chosen }))
    }
  })
})

it('a call that a pool refuses does not affect the calls made at the same time', async () => {
  const { message } = await bystander.sdk.create(payload)
  const taken = payload.slice()
  const decode = (bytes: Uint8Array) => {
    transferAway(taken)
    return bytes
  }
  const codec = { contentType: 'x', encode: decode, decode }
  // Too long to be copied into the group.
  const long = new Uint8Array(70_000)
  const refused = verifyMessage(long, { keyring, payload: taken, codec, pool: workers })
  const beside = verifyMessage(message, { keyring, payload, pool: workers })
  await typeError(() => refused)
  expect((await beside).payloadChecked).toBe(true)
})

/** Actions of an annotator on the payload that it receives. */
const DEEDS: [string, (payload: Uint8Array) => void][] = [
  ['transfers', transferAway],
  ['shrinks', (payload) => resize(payload, 7)],
  ['grows', (payload) => resize(payload, payload.length + 1)],
]
const SETTINGS: { hash: HashName; engine: Engine; size: number }[] = [
  { hash: 'sha256', engine: 'auto', size: 100 },
  { hash: 'sha256', engine: 'auto', size: 5_000 },
  { hash: 'sha256', engine: 'wasm', size: 300_000 },
  { hash: 'sha256', engine: 'host', size: 100 },
  { hash: 'md5', engine: 'auto', size: 100 },
  { hash: 'none', engine: 'auto', size: 100 },
]

describe.each(DEEDS)('when an annotator %s the buffer of the payload', (_, deed) => {
  const atOnce: AnyAnnotator = {
    kind: 'careless',
    needs: 'payload',
    isSatisfied: ({ payload }) => {
      deed(payload)
      return true
    },
  }
  const later: AnyAnnotator = {
    kind: 'careless',
    needs: 'payload',
    isSatisfied: async ({ payload }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      deed(payload)
      return true
    },
  }
  const given = (size: number) => resizable(new Uint8Array(size).fill(0x61))

  it.each(SETTINGS)('synchronously, the call rejects: $hash $engine $size', async ({ size, ...settings }) => {
    // Pools do not accept keys of a page's WebCrypto.
    const isAlone = settings.engine === 'host' && platform.name !== 'node'
    for (const chosen of isAlone ? [undefined] : [undefined, workers]) {
      const { sdk, stream } = await opened([atOnce], { ...settings, pool: chosen })
      const { code, message } = await failure(() => sdk.create(given(size)))
      expect(code).toBe('PAYLOAD_INVALID')
      expect(message).toMatch(
        new RegExp(`^payload: expected to keep its ${size} bytes .+ transferred or resized$`),
      )
      expect(await codeOf(() => sdk.mutate(payload.slice(), given(size)))).toBe('PAYLOAD_INVALID')
      expect(stream.messages).toEqual([])
      await sdk.close()
    }
  })

  it.each(SETTINGS)(
    'asynchronously, the bundle is about the original bytes: $hash $engine $size',
    async ({ size, ...settings }) => {
      const { sdk } = await opened([later], settings)
      const { bundle } = await sdk.create(given(size))
      expect(bundle.key).toBe(keyOf(new Uint8Array(size).fill(0x61), settings.hash))
      await sdk.close()
    },
  )

  it('asynchronously, a call with the option transfer rejects', async () => {
    for (const chosen of [undefined, workers]) {
      const { sdk } = await opened([later], { engine: 'wasm', pool: chosen })
      expect(await codeOf(() => sdk.create(given(100), { transfer: true } as object))).toBe('PAYLOAD_INVALID')
      await sdk.close()
    }
  })

  // claim: threats-34
  it('concurrent calls still return the bundles of their own payloads', async () => {
    const { sdk } = await opened([{ ...atOnce, actions: ['transit'] }, source()])
    const texts = ['a', 'b', 'c', 'd'].map(utf8)
    const calls = texts.map((text) => [sdk.create(text), codeOf(() => sdk.transit(given(9)))] as const)
    for (const [at, [good, code]] of calls.entries()) {
      expect(await code).toBe('PAYLOAD_INVALID')
      expect((await good).bundle.key).toBe(keyOf(texts[at] as Uint8Array))
    }
    await sdk.close()
  })
})

it('keyOf with a hash that is not a text throws a TypeError, and other calls continue', async () => {
  const wrong = { length: 2 ** 31 } as unknown as HashName
  expect((await typeError(() => keyOf(payload, wrong))).message).toContain(
    'hash: expected the name of a hash',
  )
})

describe('bytes from another realm are accepted', () => {
  const text = foreign(payload)

  it('as payloads, messages and keys', async () => {
    expect(text).not.toBeInstanceOf(Uint8Array)
    for (const chosen of [undefined, workers]) {
      const options = { signingKey: foreign(signingKey), pool: chosen }
      const { sdk } = await opened([source()], options)
      const { message } = await sdk.create(text, { transfer: chosen !== undefined })
      const verifying = { keyring: [foreign(verifyingKey)], payload: foreign(payload), pool: chosen }
      expect((await verifyMessage(foreign(message), verifying)).payloadChecked).toBe(true)
      const [outcome] = await verifyMessages([foreign(message)], { keyring, pool: chosen })
      expect(outcome?.status).toBe('fulfilled')
      await sdk.close()
    }
  })

  it('as the output of codecs and signers', async () => {
    const codec = { contentType: 'x', encode: foreign, decode: foreign }
    const sign = (bytes: Uint8Array) => foreign(signBytes({ seed: foreign(signingKey.slice(0, 32)) }, bytes))
    const { sdk } = await opened([source()], { signingKey: { verifyingKey, sign }, codec })
    const { message } = await sdk.create(foreign(payload))
    const [outcome] = await verifyMessages([message], { keyring, codec })
    expect(outcome?.status).toBe('fulfilled')
    expect(() => new Keyring(foreign(verifyingKey) as never)).toThrow(TypeError)
    await sdk.close()
  })
})

it('an error from another realm is reported with its own message', async () => {
  const publish = () => Promise.reject(foreignError('no way'))
  const sdk = await openSdk({ signingKey, annotators: [], stream: { publish } })
  await expect(sdk.create(payload)).rejects.toThrow(/, got: no way$/)
  await sdk.close()
})
