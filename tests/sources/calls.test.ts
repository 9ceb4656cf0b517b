import {
  type AnnotatorContext,
  type AnyAnnotator,
  generateKey,
  keyOf,
  memory,
  openSdk,
  pki,
  source,
  verifyClassic,
  verifyMessage,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { hashing } from 'alvarium-sdk/sources'
import { beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { caseOf, keyringOf } from '../support/classic.js'
import { deferred, quiet } from '../support/deferred.js'
import { key, keyring, opened } from '../support/sdk.js'
import { bytesOf, pieces, streamOf } from './support.js'

const payload = bytesOf(500_000)
const inPieces = () => pieces(payload, 65_536)

function asking(kind: string, more: object = {}) {
  const asked: AnnotatorContext[] = []
  const isSatisfied = (context: AnnotatorContext) => asked.push(context) > 0
  return { asked, annotator: { kind, isSatisfied, ...more } as AnyAnnotator }
}

describe('a call with a source', () => {
  // claim: sources-7
  it('has the same result as a call with the bytes, for every action', async () => {
    const { sdk, verified } = await opened([source()])
    for (const action of ['create', 'transit', 'publish'] as const) {
      const { bundle } = await sdk[action](inPieces())
      expect(bundle).toMatchObject({ action, key: keyOf(payload), hash: 'sha256' })
      expect((await verified(payload)).payloadChecked).toBe(true)
    }
    const old = utf8('old')
    for (const [before, after] of [
      [pieces(old, 1), inPieces()],
      [old, inPieces()],
      [pieces(old, 2), payload],
    ] as const) {
      const { bundle } = await sdk.mutate(before, after)
      expect(bundle).toMatchObject({ key: keyOf(payload), previousKey: keyOf(old) })
    }
  })

  it.each<[string, object]>([
    ['in batches', { batch: { maxBundles: 2 } }],
    ['with md5', { hash: 'md5' }],
    ['hashed in the core', { engine: 'wasm' }],
    ['under P-256', { algorithm: 'P-256' }],
  ])('makes a bundle that verifies %s', async (_, { algorithm, ...options }: { algorithm?: 'P-256' }) => {
    const { signingKey } = algorithm ? await generateKey({ algorithm }) : key
    const { sdk } = await opened([source()], { ...options, signingKey })
    const { hash = 'sha256' } = options as { hash?: 'md5' }
    const calls = [sdk.create(inPieces()), sdk.create(new Blob([payload]))]
    for (const { bundle } of await Promise.all(calls)) expect(bundle.key).toBe(keyOf(payload, hash))
  })

  it('works in a pool, whose workers sign', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk, verified } = await opened([source()], { pool: workers })
    await sdk.mutate(inPieces(), pieces(utf8('new'), 1), { transfer: true })
    expect(await verified(utf8('new'))).toMatchObject({ action: 'mutate', previousKey: keyOf(payload) })
  })

  it('reports its progress as a sum over both payloads of a mutate', async () => {
    const { sdk } = await opened([source()])
    const told: unknown[] = []
    const { bundle } = await sdk.mutate(new Blob([payload]), new Blob(['new']), {
      tag: 'v2',
      onProgress: (progress) => told.push(progress),
    })
    expect(bundle.annotations[0]?.tag).toBe('v2')
    expect(told.at(-1)).toEqual({ bytes: 500_003, size: 500_003 })
    await expect(sdk.create(inPieces(), { onProgress: 1 as never })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
  })

  // claim: sources-14
  it('delays no other call, and occupies no place in the queue, while the source is read', async () => {
    const gate = deferred()
    async function* slow() {
      yield utf8('a')
      await gate.promise
    }
    const { sdk, stream } = await opened([source()])
    const long = sdk.create(slow())
    await sdk.create(utf8('b'))
    await sdk.ready()
    expect(stream.messages).toHaveLength(1)
    expect(sdk.stats().asking).toBe(1)
    gate.resolve()
    expect((await long).bundle.key).toBe(keyOf(utf8('a')))
    expect(stream.messages).toHaveLength(2)
  })

  // claim: sources-15
  it('rejects with the reason if it is aborted half-way, and publishes nothing', async () => {
    const cancelled: unknown[] = []
    const controller = new AbortController()
    const reason = new Error('no longer wanted')
    const { sdk, stream } = await opened([source()])
    function* endless() {
      for (let piece = 0; ; piece++) {
        if (piece === 100) controller.abort(reason)
        yield new Uint8Array(1000)
      }
    }
    const call = sdk.create(streamOf(endless(), cancelled), { signal: controller.signal })
    await expect(call).rejects.toBe(reason)
    await expect.poll(() => cancelled).toEqual([reason])
    await quiet()
    expect(stream.messages).toEqual([])
  })

  it('reads nothing if it was aborted earlier, and cancels the source', async () => {
    const cancelled: unknown[] = []
    const reason = new Error('no longer wanted')
    const { sdk, stream } = await opened([source()])
    const silent = new ReadableStream<Uint8Array>({ cancel: (why) => void cancelled.push(why) })
    await expect(sdk.create(silent, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect.poll(() => cancelled).toEqual([reason])
    expect(stream.messages).toEqual([])
  })

  it('stops reading one source of a mutate if the other one fails', async () => {
    const cancelled: unknown[] = []
    const { sdk } = await opened([source()])
    const silent = new ReadableStream<Uint8Array>({ cancel: (reason) => void cancelled.push(reason) })
    const error = await sdk.mutate(silent, streamOf(['no bytes'])).catch((error) => error)
    expect(error).toBeInstanceOf(TypeError)
    await expect.poll(() => cancelled).toEqual([error])
  })

  it('may be made by a generator that is itself the source of a call', async () => {
    const { sdk, stream } = await opened([source()])
    async function* nested() {
      yield utf8('a')
      await sdk.create(utf8('b'))
      await sdk.create(pieces(utf8('c'), 1))
    }
    await sdk.create(nested())
    expect(stream.messages).toHaveLength(3)
  })
})

// claim: sources-2
it('a function that accepts only bytes throws a TypeError for a source', async () => {
  const { sdk } = await opened([source()])
  const blob = new Blob(['a']) as unknown as Uint8Array
  await expect(sdk.createMany([blob])).rejects.toThrow(TypeError)
  const { message } = caseOf('go', 'create-hello-md5')
  const classic = verifyClassic(utf8(message), { keyring: keyringOf('go'), payload: blob })
  await expect(classic).rejects.toThrow(TypeError)
})

describe('sdk.close()', () => {
  // claim: sources-4
  it('waits for sources that are being read', async () => {
    const gate = deferred()
    async function* slow() {
      yield utf8('a')
      await gate.promise
    }
    const { sdk, stream } = await opened([source()])
    const call = sdk.create(slow())
    const closed = sdk.close()
    await expect(sdk.create(inPieces())).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    gate.resolve()
    await closed
    await call
    expect(stream.messages).toHaveLength(1)
  })

  // claim: sources-16
  it('cancels sources that take longer than closeTimeoutMs', async () => {
    const cancelled: unknown[] = []
    const { sdk, stream } = await opened([source()], { closeTimeoutMs: 20 })
    const endless = new ReadableStream<Uint8Array>({ cancel: (reason) => void cancelled.push(reason) })
    const calls = [sdk.create(endless), sdk.create(hashing(), { signal: new AbortController().signal })]
    const settled = Promise.allSettled(calls)
    await sdk.close()
    const codes = (await settled).map((one) => one.status === 'rejected' && one.reason.code)
    expect(codes).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED'])
    expect(cancelled).toMatchObject([{ code: 'STREAM_CLOSED' }])
    expect(stream.messages).toEqual([])
  })
})

describe('annotators of a source', () => {
  // claim: sources-21
  it('are called after its last byte, with payload key and size in place of the payload', async () => {
    const { asked, annotator } = asking('mine')
    const gate = deferred()
    async function* slow() {
      yield payload
      await gate.promise
    }
    const { sdk } = await opened([annotator])
    const call = sdk.mutate(pieces(utf8('old'), 1), slow(), { mine: 7 } as object)
    await quiet()
    expect(asked).toEqual([])
    gate.resolve()
    expect((await call).bundle.annotations).toMatchObject([{ isSatisfied: true }])
    expect(asked).toMatchObject([
      {
        action: 'mutate',
        payload: undefined,
        key: keyOf(payload),
        size: 500_000,
        previousKey: keyOf(utf8('old')),
        input: 7,
      },
    ])
  })

  // claim: sources-23
  it('are called when the call begins if they need no payload', async () => {
    const early = asking('early', { needs: 'nothing' })
    const late = asking('late', { needs: 'key' })
    const gate = deferred()
    async function* slow() {
      yield utf8('a')
      await gate.promise
    }
    const { sdk } = await opened([late.annotator, early.annotator])
    const call = sdk.create(slow())
    await quiet()
    expect([early.asked.length, late.asked.length]).toEqual([1, 0])
    expect(early.asked[0]?.key).toBe(undefined)
    gate.resolve()
    const { bundle } = await call
    expect(bundle.annotations).toMatchObject([
      { kind: 'late', isSatisfied: true },
      { kind: 'early', isSatisfied: true },
    ])
  })

  // claim: sources-3
  it("get their whole time limit after the source's last byte, however long reading the source took", async () => {
    const { asked, annotator } = asking('late')
    async function* slow() {
      yield payload
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    const { sdk } = await opened([annotator], { annotatorTimeoutMs: 1 })
    expect((await sdk.create(slow())).bundle.annotations).toMatchObject([{ isSatisfied: true }])
    expect(asked.length).toBe(1)
  })

  it("get the bytes of a mutate's other payload, but must not transfer them", async () => {
    const { asked, annotator } = asking('mine')
    const { sdk } = await opened([annotator])
    await sdk.mutate(utf8('old'), inPieces())
    expect(asked).toMatchObject([{ payload: undefined, previousPayload: utf8('old') }])
    await sdk.mutate(inPieces(), utf8('new'))
    expect(asked[1]).toMatchObject({ payload: utf8('new'), previousKey: keyOf(payload) })
    const careless = {
      kind: 'careless',
      isSatisfied: ({ previousPayload }: AnnotatorContext) => {
        const { buffer } = previousPayload as Uint8Array<ArrayBuffer>
        return structuredClone(buffer, { transfer: [buffer] }) !== undefined
      },
    }
    const other = await opened([careless])
    await expect(other.sdk.mutate(utf8('old'), inPieces())).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
  })

  // claim: sources-22
  it('that need the payload as a Uint8Array make the call reject before the source is read', async () => {
    const { sdk, stream } = await opened([pki({ verifyingKey: key.verifyingKey })])
    const given = streamOf([payload])
    await expect(sdk.create(given)).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: 'payload: expected a Uint8Array for the annotator pki, got a source',
    })
    expect(stream.messages).toEqual([])
    expect(await keyOf(given)).toBe(keyOf(payload))
    const only = asking('mine', { needs: 'payload', actions: ['publish'] })
    const other = await opened([only.annotator])
    await other.sdk.create(inPieces())
    await expect(other.sdk.publish(inPieces())).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
    expect(only.asked).toEqual([])
  })

  it("are not satisfied if they use the payload's bytes without stating that they need them", async () => {
    const careless = {
      kind: 'careless',
      isSatisfied: ({ payload }: { payload: Uint8Array }) => payload.length > 0,
    }
    const { sdk } = await opened([careless as unknown as AnyAnnotator])
    const errors: string[] = []
    sdk.addEventListener('annotatorerror', ({ error }) => errors.push(error.code))
    expect((await sdk.create(inPieces())).bundle.annotations[0]?.isSatisfied).toBe(false)
    expect(errors).toEqual(['ANNOTATOR_FAILED'])
  })

  it('are refused if their member `needs` has an unknown value', async () => {
    const { annotator } = asking('mine', { needs: 'bytes' })
    await expect(
      openSdk({ signingKey: key.signingKey, annotators: [annotator], stream: memory() }),
    ).rejects.toThrow('an annotator whose needs, if any, are payload, key, nothing')
  })

  // claim: sources-24
  it('cannot be used with hash none: the source is refused before it is read', async () => {
    const { sdk } = await opened([source()], { hash: 'none' })
    const given = streamOf([utf8('a')])
    await expect(sdk.create(given)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
    expect(await keyOf(given)).toBe(keyOf(utf8('a')))
  })
})

describe('verifyMessage with a source as its payload', () => {
  let message: Uint8Array
  beforeAll(async () => {
    const { sdk } = await opened([source()])
    message = (await sdk.create(payload)).message
  })

  it.each(['on this thread', 'in a pool'])('accepts the right payload and no other, %s', async (where) => {
    await using workers = where === 'on this thread' ? undefined : await pool({ workers: 1 })
    const options = { keyring, pool: workers }
    expect((await verifyMessage(message, { ...options, payload: inPieces() })).payloadChecked).toBe(true)
    const other = { ...options, payload: pieces(payload.subarray(1), 1000) }
    await expect(verifyMessage(message, other)).rejects.toMatchObject({ code: 'PAYLOAD_MISMATCH' })
  })

  // claim: sources-10
  it('reads no byte of the source if the signature is invalid', async () => {
    const altered = message.slice()
    altered[altered.indexOf(0x32)] = 0x33
    const given = streamOf([payload])
    await expect(verifyMessage(altered, { keyring, payload: given })).rejects.toThrow()
    expect(await keyOf(given)).toBe(keyOf(payload))
  })

  it('rejects if the source cannot be read, if it is aborted, or with hash none', async () => {
    const failing = streamOf(['no bytes'])
    await expect(verifyMessage(message, { keyring, payload: failing })).rejects.toBeInstanceOf(TypeError)
    const reason = new Error('enough')
    const aborted = { keyring, payload: inPieces(), signal: AbortSignal.abort(reason) }
    await expect(verifyMessage(message, aborted)).rejects.toBe(reason)
    const { sdk, stream } = await opened([source()], { hash: 'none' })
    await sdk.create(utf8('text'))
    const [unhashed] = stream.messages as [Uint8Array]
    await expect(verifyMessage(unhashed, { keyring, payload: new Blob(['text']) })).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    })
  })
})

describe('a source that is aborted while the SDK waits for its next piece', () => {
  it('is not read further when that piece arrives', async () => {
    let [asked, come] = [0, (_: IteratorResult<Uint8Array>) => {}]
    const value = Uint8Array.of(1)
    const next = () => {
      asked++
      if (asked !== 2) return Promise.resolve({ value, done: asked > 9 })
      return new Promise<IteratorResult<Uint8Array>>((resolve) => {
        come = resolve
      })
    }
    const stop = new AbortController()
    const key = keyOf({ [Symbol.asyncIterator]: () => ({ next }) }, 'sha256', { signal: stop.signal })
    await expect.poll(() => asked).toBe(2)
    stop.abort(new Error('enough'))
    await expect(key).rejects.toThrow('enough')
    come({ value })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(asked).toBe(2)
  })
})
