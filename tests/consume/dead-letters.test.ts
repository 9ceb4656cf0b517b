// @node-only: a file keeps the dead letters
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AlvariumError,
  cbor,
  generateKey,
  keyIdOf,
  memory,
  mqtt,
  openDeadLetter,
  openSdk,
  type StreamProvider,
  type SubscriptionOptions,
  source,
  subscribe,
} from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { closing, next } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

/** Returns an open subscription, and a client that publishes to it. */
async function listening(options: Partial<SubscriptionOptions>) {
  const broker = await startMosquitto()
  onTestFinished(broker.stop)
  const where = { url: broker.url, topic: 't' }
  const again = (more: Partial<SubscriptionOptions> = {}) =>
    closing(subscribe({ ...where, keyring, closeTimeoutMs: 100, ...options, ...more, clientId: 'one' }))
  const bundles = again()
  await bundles.open()
  const raw = closing(mqtt(where))
  await raw.connect()
  const sdk = closing(
    await openSdk({
      signingKey: key.signingKey,
      annotators: [source()],
      stream: { publish: (message) => raw.publish(message) },
      codec: options.codec,
    }),
  )
  return { broker, where, again, bundles, raw, sdk }
}

const folder = () => mkdtemp(join(tmpdir(), 'letters-'))

const linesOf = async (path: string) =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => openDeadLetter(utf8(line)))

/** Messages that no subscription can use, and that a file of lines could not store unchanged. */
const STRAY = [
  '{\n  "celsius": 21\n}\n',
  'a\r\nb',
  '\n',
  '',
  '\0\ud7ff\u{1F600}',
  '"',
  '{"messageType":"alvarium.Bundle/9"}',
]

describe('a file of dead letters', () => {
  // claim: verifying-31
  it('contains on a separate line each message that does not verify, and the loop continues', async () => {
    const path = join(await folder(), 'dead.ndjson')
    const { bundles, raw, sdk } = await listening({ deadLetter: file({ path }) })
    for (const text of STRAY) await raw.publish(utf8(text))
    const { bundle } = await sdk.create(utf8('21.4'))
    const [one] = await next(bundles[Symbol.asyncIterator](), 1)
    expect(one?.key).toBe(bundle.key)
    const letters = await linesOf(path)
    expect(letters.map(({ message }) => new TextDecoder().decode(message))).toEqual(STRAY)
    expect(new Set(letters.map(({ code }) => code))).toEqual(new Set(['MESSAGE_MALFORMED']))
  })

  it('keeps messages of a codec that the subscription does not have, with their media type', async () => {
    const path = join(await folder(), 'dead.ndjson')
    const { bundles, raw, sdk } = await listening({ deadLetter: file({ path }), codec: cbor() })
    const stray = Uint8Array.of(0xa1, 0x0a, 0xff, 0x0a)
    await raw.publish(stray)
    await sdk.create(utf8('21.4'))
    await next(bundles[Symbol.asyncIterator](), 1)
    expect(await linesOf(path)).toMatchObject([{ message: stray, contentType: 'application/cbor', size: 4 }])
  })
})

const KINDS: Record<string, (letters: Uint8Array[]) => Promise<StreamProvider>> = {
  'an application stream': async (letters) => ({ publish: (bytes) => void letters.push(bytes) }),
  'an outbox': async (letters) =>
    outbox({ stream: { publish: (bytes: Uint8Array) => void letters.push(bytes) }, store: await folder() }),
  'a stream to an MQTT topic': async (letters) => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const own = closing(mqtt({ url: broker.url, topic: 'dead' }))
    return {
      connect: () => own.connect(),
      publish: async (bytes) => {
        await own.publish(bytes)
        letters.push(bytes)
      },
    }
  },
}

it.each(Object.entries(KINDS))(
  '%s for dead letters receives everything that is known about each message',
  async (_, streamOf) => {
    const letters: Uint8Array[] = []
    const { bundles, where, sdk } = await listening({ deadLetter: await streamOf(letters) })
    const stranger = generateKey()
    const other = closing(
      await openSdk({ signingKey: stranger.signingKey, annotators: [source()], stream: mqtt(where) }),
    )
    const since = Date.now()
    const { message } = await other.create(utf8('21.4'))
    await sdk.create(utf8('21.5'))
    await next(bundles[Symbol.asyncIterator](), 1)
    await vi.waitFor(() => expect(letters).toHaveLength(1))
    const letter = openDeadLetter(letters[0] as Uint8Array)
    const signer = keyIdOf(stranger.verifyingKey)
    expect(letter).toMatchObject({
      message,
      size: message.length,
      code: 'SIGNER_UNKNOWN',
      topic: 't',
      signer,
    })
    expect(letter.reason).toBe(`signer: expected one in the keyring of 1 key, got ${signer}`)
    expect(letter.receivedAt).toBeGreaterThanOrEqual(since)
    expect(letter.receivedAt).toBeLessThanOrEqual(Date.now())
  },
)

describe('a stream that permanently rejects a dead letter', () => {
  const refused = new AlvariumError('STREAM_REFUSED', 'mqtt: expected a packet of at most 500 bytes')
  const suspect = new AlvariumError('STREAM_SUSPECT', 'mqtt: expected an answer, got three lost connections')

  // claim: verifying-32
  it.each([refused, suspect])(
    'gets a shorter dead letter (without the message), and the loop continues: $code',
    async (reason) => {
      const published: Uint8Array[] = []
      const publish = async (bytes: Uint8Array) => {
        if (bytes.length > 500) throw reason
        published.push(bytes)
      }
      const { bundles, raw, sdk } = await listening({ deadLetter: { publish } })
      await raw.publish(utf8('x'.repeat(400)))
      const { bundle } = await sdk.create(utf8('21.4'))
      const [one] = await next(bundles[Symbol.asyncIterator](), 1)
      expect(one?.key).toBe(bundle.key)
      const letters = published.map(openDeadLetter)
      expect(letters).toMatchObject([
        { message: undefined, size: 400, code: 'MESSAGE_MALFORMED', topic: 't' },
      ])
    },
  )

  it('gets a shorter dead letter (without the message) if it is a broker with a lower packet limit', async () => {
    const small = await startMosquitto({ config: ['max_packet_size 1000'] })
    onTestFinished(small.stop)
    const there = { url: small.url, topic: 'dead' }
    const watching = closing(subscribe({ ...there, clientId: 'watching', keyring }))
    await watching.open()
    const { bundles, raw, sdk } = await listening({ deadLetter: mqtt(there) })
    await raw.publish(utf8('x'.repeat(900)))
    const { bundle } = await sdk.create(utf8('21.4'))
    const [one] = await next(bundles[Symbol.asyncIterator](), 1)
    expect(one?.key).toBe(bundle.key)
    const ended = watching[Symbol.asyncIterator]().next()
    await vi.waitFor(() => expect(watching.skipped).toBe(1))
    await watching.close()
    await ended
  })

  it('ends the loop if it also rejects the shorter dead letter, and the broker redelivers the message', async () => {
    const { bundles, again, raw } = await listening({
      deadLetter: { publish: () => Promise.reject(refused) },
    })
    await raw.publish(utf8('hello'))
    expect(await failure(() => bundles[Symbol.asyncIterator]().next())).toMatchObject({
      code: 'STREAM_REFUSED',
    })
    const deadLetter = memory()
    const later = again({ deadLetter })
    const ended = later[Symbol.asyncIterator]().next()
    await vi.waitFor(() => expect(deadLetter.messages).toHaveLength(1))
    await later.close()
    await ended
  })
})

// claim: verifying-33
it('a full disk for dead letters ends the loop with the error of the disk, and the broker redelivers the message', async () => {
  const full = new AlvariumError('STORE_FAILED', 'file: expected the message to be written, got: ENOSPC')
  const { bundles, again, raw } = await listening({ deadLetter: { publish: () => Promise.reject(full) } })
  await raw.publish(utf8('{\n}'))
  expect(await failure(() => bundles[Symbol.asyncIterator]().next())).toBe(full)
  const deadLetter = memory()
  const later = again({ deadLetter })
  const ended = later[Symbol.asyncIterator]().next()
  await vi.waitFor(() => expect(deadLetter.messages).toHaveLength(1))
  await later.close()
  await ended
})

// claim: verifying-34
it('a subscription that receives its own dead letters skips them', async () => {
  const letters: Uint8Array[] = []
  const { bundles, raw, sdk } = await listening({
    deadLetter: {
      publish: async (bytes) => {
        letters.push(bytes)
        await raw.publish(bytes)
      },
    },
  })
  await raw.publish(utf8('hello'))
  const loop = bundles[Symbol.asyncIterator]()
  const first = loop.next()
  await vi.waitFor(() => expect(letters).toHaveLength(1))
  await sdk.create(utf8('21.4'))
  await first
  expect([letters.length, bundles.skipped]).toEqual([1, 1])
})

describe('openDeadLetter', () => {
  const letterOf = async () => {
    const deadLetter = memory()
    const { bundles, raw, sdk } = await listening({ deadLetter })
    await raw.publish(utf8('hello'))
    await sdk.create(utf8('21.4'))
    await next(bundles[Symbol.asyncIterator](), 1)
    return new TextDecoder().decode(deadLetter.messages[0])
  }

  it('accepts a dead letter only as the bytes that the SDK writes', async () => {
    const letter = await letterOf()
    const wrong = [
      '',
      'hello',
      letter.slice(1),
      letter.slice(0, -1),
      `${letter}\n\n`,
      ` ${letter}`,
      letter.replace('DeadLetter/1', 'DeadLetter/2'),
      letter.replace('"size":5', '"size":6'),
      letter.replace('"size":5', '"size":5.5'),
      letter.replace(/"message":"[^"]*"/, '"message":"aGVsbG9="'),
      letter.replace(/"message":"[^"]*"/, '"message":"aGVs bG8="'),
      letter.replace(/"receivedAt":"[^"]*"/, '"receivedAt":"yesterday"'),
      letter.replace(/"receivedAt":"[^"]*"/, '"receivedAt":"2026-11-20T10:00:00Z"'),
      letter.replace(/"reason":"[^"]*"/, `"reason":"${'x'.repeat(1001)}"`),
      letter.replace('"topic":"t"', '"topic":"t","topic":"u"'),
      letter.replace('"topic":"t"', '"topic":"t","more":1'),
      letter.replace('"topic":"t"', '"topic":7'),
      letter.replace('"topic":"t"', '"topic":"t","signer":"edge-7"'),
    ]
    for (const text of wrong) {
      expect(text).not.toBe(letter)
      expect(await failure(() => openDeadLetter(utf8(text)))).toMatchObject({ code: 'MESSAGE_MALFORMED' })
    }
    expect(openDeadLetter(utf8(letter)).size).toBe(5)
    // The letter ends with the line end of its file.
    expect(openDeadLetter(utf8(`${letter}\n`)).size).toBe(5)
  })

  it('refuses a dead letter of more than 24 MiB before it is read', async () => {
    const { code, message } = await failure(() => openDeadLetter(new Uint8Array(24 * 1024 * 1024 + 1)))
    expect([code, message]).toEqual([
      'MESSAGE_MALFORMED',
      'dead letter: expected at most 25165824 bytes, got 25165825',
    ])
    expect(() => openDeadLetter('hello' as never)).toThrow(TypeError)
  })
})
