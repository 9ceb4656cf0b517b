// @node-only: it uses node:events, node:http, node:net, node:stream, node:timers/promises, node:zlib

import { getEventListeners } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { keyOf } from 'alvarium-sdk'
import { verifyPack } from 'alvarium-sdk/packs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { bytesOf, pieces, streamOf } from './support.js'

const bytes = bytesOf(3_000_000)
const key = keyOf(bytes)
const refused = async (source: Readable) => keyOf(source).catch((error) => error)

function inMemory(size: number, total = bytes): Readable {
  let at = 0
  return new Readable({
    read() {
      this.push(at < total.length ? total.subarray(at, at + size) : null)
      at += size
    },
  })
}

describe('a Node stream', () => {
  it.each<[string, () => Readable]>([
    ['from memory, in short pieces', () => inMemory(1000)],
    ['from memory, in one long piece', () => inMemory(bytes.length)],
    ['from a generator', () => Readable.from(pieces(bytes, 50_000), { objectMode: false })],
    ['in object mode', () => Readable.from(pieces(bytes, 50_000))],
    ['of decompressed bytes', () => Readable.from([gzipSync(bytes)]).pipe(createGunzip())],
    ['that other code has paused', () => inMemory(50_000).pause()],
    ['with a listener that does not read it', () => inMemory(50_000).on('readable', () => {})],
  ])('is accepted as a source %s', async (_, make) => {
    for (const engine of ['host', 'wasm'] as const) {
      const stream = make()
      expect(await keyOf(stream, 'sha256', { engine })).toBe(key)
      expect(['data', 'end', 'close'].flatMap((event) => ours(stream, event))).toEqual([])
    }
  })

  it('that never ends lets timers run, and is destroyed when the call is aborted', async () => {
    const endless = new Readable({
      read() {
        this.push(bytes)
      },
    })
    const controller = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 20)
    await expect(keyOf(endless, 'sha256', { signal: controller.signal })).rejects.toBe(reason)
    await expect.poll(() => endless.destroyed).toBe(true)
  })

  it('that yields nothing is destroyed when the call is aborted, even if its destruction fails', async () => {
    const silent = new Readable({
      read() {},
      destroy: (_, done) => done(new Error('it does not close')),
    })
    const controller = new AbortController()
    const call = keyOf(silent, 'sha256', { signal: controller.signal })
    await setImmediate()
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => silent.errored?.message).toBe('it does not close')
  })

  it('of an HTTP request is accepted, and refused if the sender disconnects half-way', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-length', 10)
      response.write('hello')
      setTimeout(() => response.destroy(), 20)
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const body = await new Promise<IncomingMessage>((resolve) => get(`http://127.0.0.1:${port}`, resolve))
    expect(await refused(body)).toMatchObject({ code: 'PAYLOAD_INVALID', cause: { code: 'ECONNRESET' } })
  })
})

describe('a Node stream is refused as a source', () => {
  const own = new Error('disk on fire')

  it.each<[string, () => Readable, Error]>([
    ['has failed before', () => new Readable({ read() {} }).on('error', () => {}).destroy(own), own],
    ['was closed before', () => inMemory(10).destroy(), new Error('it was closed before its end')],
    ['fails half-way', () => Readable.from(failing(own)), own],
    ['is closed half-way', closing, new Error('it was closed before its end')],
  ])('when it %s', async (_, make, cause) => {
    expect(await refused(make())).toMatchObject({ code: 'PAYLOAD_INVALID', cause })
  })

  it('when its pieces are not bytes, and is destroyed', async () => {
    for (const stream of [inMemory(10).setEncoding('utf8'), Readable.from([bytes, { no: 'bytes' }])]) {
      expect(await refused(stream)).toBeInstanceOf(TypeError)
      await expect.poll(() => stream.destroyed).toBe(true)
    }
  })

  it.each([1, 9])('when it does not have the %i bytes that it states', async (size) => {
    const lying = Object.assign(Readable.from([utf8('hello')]), { size })
    expect((await refused(lying)).message).toMatch(`the ${size} bytes that the source states`)
  })

  it('when it was read earlier', async () => {
    const stream = inMemory(1000)
    await keyOf(stream)
    expect((await refused(stream)).message).toMatch('a source that was not read before')
  })
})

it('a Node stream that is not a pack is refused by verifyPack, and destroyed', async () => {
  const stream = inMemory(1000)
  await expect(verifyPack(stream)).rejects.toMatchObject({ code: 'PACK_UNREADABLE' })
  await expect.poll(() => stream.destroyed).toBe(true)
})

/** Returns the listeners of a stream that Node has not added. */
function ours(stream: Readable, event: string): unknown[] {
  return getEventListeners(stream, event).filter(({ name }) => name === event)
}

async function* failing(error: Error) {
  yield bytes.subarray(0, 1000)
  throw error
}

function closing(): Readable {
  const stream = new PassThrough()
  stream.write(bytes.subarray(0, 1000), () => stream.destroy())
  return stream
}

it('a web stream that other code has read is refused, even if Response was replaced, as Hono’s server does', async () => {
  class AcceptsAll {}
  vi.stubGlobal('Response', AcceptsAll)
  onTestFinished(() => void vi.unstubAllGlobals())
  const stream = streamOf([utf8('a')])
  await stream.pipeTo(new WritableStream())
  await expect(keyOf(stream)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
})
