import { keyOf, source, verifyMessage } from 'alvarium-sdk'
import { hashing } from 'alvarium-sdk/sources'
import { describe, expect, it } from 'vitest'
import { concat, utf8 } from '../support/bytes.js'
import { deferred, quiet, soon } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'
import { bytesOf, streamOf } from './support.js'

const payload = bytesOf(700_000)
const inPieces = () =>
  streamOf([0, 1, 2, 3, 4, 5, 6].map((at) => payload.slice(at * 100_000, (at + 1) * 100_000)))

function collecting() {
  const parts: Uint8Array[] = []
  return { parts, to: new WritableStream<Uint8Array>({ write: (part) => void parts.push(part) }) }
}

describe('a stream that passes through hashing()', () => {
  it.each(['auto', 'wasm'] as const)(
    'is unchanged afterwards, and is annotated and verified (%s)',
    async (engine) => {
      const { sdk, stream } = await opened([source()])
      const { parts, to } = collecting()
      const passing = hashing({ engine })
      const call = sdk.transit(passing)
      await inPieces().pipeThrough(passing).pipeTo(to)
      expect(keyOf(concat(...parts))).toBe(keyOf(payload))
      const { message, bundle } = await call
      expect(bundle).toMatchObject({ action: 'transit', key: keyOf(payload) })
      expect(stream.messages).toEqual([message])
      const again = hashing()
      const verified = verifyMessage(message, { keyring, payload: again })
      await inPieces().pipeThrough(again).pipeTo(new WritableStream())
      expect((await verified).payloadChecked).toBe(true)
    },
  )

  it('can be annotated before, while and after it passes, any number of times', async () => {
    const passing = hashing({ hash: 'md5' })
    const before = keyOf(passing, 'md5')
    await inPieces().pipeThrough(passing).pipeTo(new WritableStream())
    expect([await before, await keyOf(passing, 'md5')]).toEqual(Array(2).fill(keyOf(payload, 'md5')))
  })

  it.each([699_999, 700_001])(
    'is refused with PAYLOAD_INVALID if it has 700,000 bytes and states a size of %i',
    async (size) => {
      const passing = Object.assign(hashing(), { size })
      const key = codeOf(() => keyOf(passing))
      await inPieces().pipeThrough(passing).pipeTo(new WritableStream())
      expect(await key).toBe('PAYLOAD_INVALID')
      const whole = Object.assign(hashing(), { size: 700_000 })
      await inPieces().pipeThrough(whole).pipeTo(new WritableStream())
      expect(await keyOf(whole)).toBe(keyOf(payload))
    },
  )

  it('is not annotated before the destination has read the last byte', async () => {
    const { sdk, stream } = await opened([source()])
    const passing = hashing()
    const call = sdk.transit(passing)
    const gate = deferred()
    const piped = streamOf([utf8('a'), utf8('b')])
      .pipeThrough(passing)
      .pipeTo(new WritableStream({ write: () => gate.promise }, { highWaterMark: 1 }))
    await quiet()
    expect(stream.messages).toEqual([])
    gate.resolve()
    await piped
    expect((await call).bundle.key).toBe(keyOf(utf8('ab')))
  })

  // claim: sources-19
  it('is not annotated if its source fails, its reader cancels, or a piece is not bytes', async () => {
    const own = new Error('gone')
    const { sdk, stream } = await opened([source()])
    const failing = hashing()
    const leaving = hashing()
    const wrong = hashing()
    const calls = [failing, leaving, wrong].map((passing) => sdk.create(passing))
    const settled = Promise.allSettled(calls)
    await Promise.allSettled([
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(own) })
        .pipeThrough(failing)
        .pipeTo(new WritableStream()),
      inPieces().pipeThrough(leaving).cancel(own),
      streamOf([utf8('a'), 'b'])
        .pipeThrough(wrong)
        .pipeTo(new WritableStream()),
    ])
    const reasons = (await settled).map((one) => one.status === 'rejected' && one.reason)
    expect(reasons.map((reason) => reason.code)).toEqual(Array(3).fill('PAYLOAD_INVALID'))
    expect(reasons.map((reason) => reason.cause)).toEqual([own, own, expect.any(TypeError)])
    expect(stream.messages).toEqual([])
  })

  it('may be cancelled by its reader in the middle of a long piece, after which other calls still work', async () => {
    const { sdk } = await opened([source()])
    const passing = hashing({ engine: 'wasm' })
    const key = keyOf(passing)
    const own = new Error('the client has gone')
    const turns = await countedTurns(9)
    try {
      const writing = passing.writable.getWriter().write(new Uint8Array(16_000_000))
      // Wait until its beginning is hashed.
      await new Promise<void>(soon)
      const settled = Promise.allSettled([key, writing])
      await passing.readable.cancel(own)
      const [asked, written] = await settled
      expect(asked).toMatchObject({ reason: { code: 'PAYLOAD_INVALID', cause: own } })
      expect(written).toMatchObject({ reason: own })
    } finally {
      turns.end()
    }
    expect((await sdk.create(payload)).bundle.key).toBe(keyOf(payload))
  })

  // claim: sources-20
  it('passes completely even if its call was aborted, or if no call uses it', async () => {
    const { sdk } = await opened([source()])
    const controller = new AbortController()
    const { parts, to } = collecting()
    const passing = hashing()
    const call = sdk.transit(passing, { signal: controller.signal })
    controller.abort(new Error('no longer wanted'))
    await expect(call).rejects.toThrow('no longer wanted')
    await inPieces().pipeThrough(passing).pipeTo(to)
    expect(keyOf(concat(...parts))).toBe(keyOf(payload))
    await inPieces().pipeThrough(hashing()).pipeTo(new WritableStream())
  })

  // claim: sources-5
  it.each([
    ['md5', 'sha256'],
    ['sha256', 'md5'],
  ] as const)('is refused with a hint if the SDK expects %s, and hashing() uses %s', async (hash, other) => {
    const { sdk } = await opened([source()], { hash })
    const passing = hashing({ hash: other })
    const call = sdk.create(passing).catch((error) => error)
    await inPieces().pipeThrough(passing).pipeTo(new WritableStream())
    expect(await call).toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: `payload: expected bytes hashed by ${hash}, got a stream that is hashed by ${other}: use hashing({ hash: '${hash}' })`,
    })
  })

  it('is refused with the hash none', () => {
    expect(() => hashing({ hash: 'none' as 'md5' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })
})
