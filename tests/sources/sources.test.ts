import { keyOf, type PayloadSource } from 'alvarium-sdk'
import { hashing } from 'alvarium-sdk/sources'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { bytesOf, pieces, streamOf } from './support.js'

const LENGTHS = [0, 1, 63, 64, 65, 65_536, 262_144, 262_145, 3_000_000]

describe('the payload key of a source', () => {
  const kinds: [string, (bytes: Uint8Array<ArrayBuffer>) => PayloadSource][] = [
    ['an async generator', (bytes) => pieces(bytes, 50_000)],
    ['a stream', (bytes) => streamOf([bytes.subarray(0, 7), bytes.subarray(7)])],
    ['a blob', (bytes) => new Blob([bytes])],
    ['a file', (bytes) => new File([bytes], 'a.bin')],
    ['one long piece', (bytes) => streamOf([bytes])],
  ]
  it.each(kinds)('of %s equals that of its bytes, with every hash and engine', async (_, sourceOf) => {
    for (const length of LENGTHS) {
      const bytes = bytesOf(length)
      for (const hash of ['sha256', 'md5'] as const) {
        for (const engine of ['auto', 'wasm', 'host'] as const) {
          expect(await keyOf(sourceOf(bytes), hash, { engine })).toBe(keyOf(bytes, hash))
        }
      }
    }
  })

  it('with only empty pieces is that of an empty payload', async () => {
    expect(await keyOf(streamOf(Array(100).fill(new Uint8Array(0))))).toBe(keyOf(new Uint8Array(0)))
  })

  // claim: sources-11
  it('is correct although all pieces share the same memory', async () => {
    const bytes = bytesOf(1_000_000)
    async function* reusing() {
      const memory = new Uint8Array(1000)
      for (let at = 0; at < bytes.length; at += 1000) {
        memory.set(bytes.subarray(at, at + 1000))
        yield memory
      }
      memory.fill(0)
    }
    expect(await keyOf(reusing())).toBe(keyOf(bytes))
    expect(await keyOf(reusing(), 'sha256', { engine: 'wasm' })).toBe(keyOf(bytes))
  })

  it('is computed any number of times for a Blob or a repeatable iterable, and leaves no stream locked', async () => {
    const stream = streamOf([utf8('hello')])
    await keyOf(stream)
    expect(stream.locked).toBe(false)
    const blob = new Blob(['hello'])
    const again = { [Symbol.asyncIterator]: () => pieces(utf8('hello'), 2) }
    for (const source of [blob, blob, again, again]) expect(await keyOf(source)).toBe(keyOf(utf8('hello')))
  })
})

describe('a source is refused', () => {
  const failing = async (source: PayloadSource) => keyOf(source).catch((error) => error)

  it('with hash none, before any piece of it is read', async () => {
    const stream = streamOf([utf8('hello')])
    await expect(keyOf(stream, 'none')).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
    expect(await keyOf(stream)).toBe(keyOf(utf8('hello')))
  })

  // claim: sources-27
  it('when it was read earlier, because a hash of the remaining bytes would look valid', async () => {
    const [ours, theirs, generator] = [streamOf([utf8('a')]), streamOf([utf8('a')]), pieces(utf8('a'), 1)]
    await keyOf(ours)
    await keyOf(generator)
    await theirs.pipeTo(new WritableStream())
    const locked = streamOf([utf8('a')])
    locked.getReader()
    for (const source of [ours, theirs, generator, locked]) {
      const error = await failing(source)
      expect(error).toMatchObject({ code: 'PAYLOAD_INVALID' })
      expect(error.message).toMatch(/^payload: expected a source that was not read before, got /)
    }
  })

  // claim: sources-26
  it('when it throws, with its own error as the cause', async () => {
    const own = new Error('disk on fire')
    const throwing: [string, PayloadSource][] = [
      [
        'at once',
        {
          [Symbol.asyncIterator]: () => {
            throw own
          },
        },
      ],
      [
        'in next',
        {
          [Symbol.asyncIterator]: () => ({
            next: () => {
              throw own
            },
          }),
        },
      ],
      [
        'half-way',
        (async function* () {
          yield utf8('a')
          throw own
        })(),
      ],
      [
        'as a reader of its own',
        {
          getReader: () => ({
            read: () => {
              throw own
            },
            cancel: () => {
              throw new Error('it cannot be cancelled')
            },
            releaseLock: () => {},
          }),
        } as unknown as ReadableStream<Uint8Array>,
      ],
      ['as a stream', new ReadableStream({ pull: (controller) => controller.error(own) })],
    ]
    for (const [when, source] of throwing) {
      const error = await failing(source)
      expect([when, error.code, error.cause]).toEqual([when, 'PAYLOAD_INVALID', own])
      expect(error.message).toBe('payload: expected a source that can be read to its end, got: disk on fire')
    }
  })

  // claim: sources-12
  it.each<[string, unknown]>([
    ['a string', 'text'],
    ['an array', [1, 2]],
    ['undefined', undefined],
    ['an ArrayBuffer', new ArrayBuffer(3)],
    ['a Uint16Array', new Uint16Array(2)],
  ])('when a piece is %s, and is cancelled', async (_, piece) => {
    const cancelled: unknown[] = []
    const error = await failing(streamOf([utf8('a'), piece, utf8('b')], cancelled))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(/^payload: each piece: expected a Uint8Array, got /)
    expect(cancelled).toEqual([error])
  })

  it('when the memory of a piece is detached before or during hashing', async () => {
    const gone = new Uint8Array(8)
    structuredClone(gone.buffer, { transfer: [gone.buffer] })
    expect(await failing(streamOf([gone]))).toBeInstanceOf(TypeError)
    async function* careless() {
      const long = new Uint8Array(32 * 1024 * 1024)
      // Only promises run before its beginning is hashed; then other work has its turn.
      setTimeout(() => structuredClone(long.buffer, { transfer: [long.buffer] }))
      yield long
    }
    expect(await failing(careless())).toMatchObject({ code: 'PAYLOAD_INVALID' })
  })

  // claim: sources-13
  it.each([1, 9])('when it does not have the %i bytes that it states', async (size) => {
    const lying: PayloadSource[] = [
      Object.assign(streamOf([utf8('hello')]), { size }),
      Object.assign(pieces(utf8('hello'), 2), { size }),
    ]
    for (const source of lying) {
      const error = await failing(source)
      expect(error.code).toBe('PAYLOAD_INVALID')
      expect(error.message).toMatch(`payload: expected the ${size} bytes that the source states, got `)
    }
    const honest = Object.assign(pieces(utf8('hello'), 2), { size: 5 })
    expect(await keyOf(honest)).toBe(keyOf(utf8('hello')))
  })

  // claim: sources-17
  it('when 1,024 other sources are being read, and is accepted after they have ended', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const waiting = Array.from({ length: 1024 }, () => keyOf(new ReadableStream(), 'md5', { signal }))
    const ended = Promise.allSettled(waiting)
    const stream = streamOf([utf8('hello')])
    await expect(keyOf(stream)).rejects.toMatchObject({ code: 'QUEUE_FULL' })
    expect(() => hashing()).toThrow(expect.objectContaining({ code: 'QUEUE_FULL' }))
    controller.abort()
    await ended
    expect(await keyOf(stream)).toBe(keyOf(utf8('hello')))
  })

  it('when it is a text, a promise or a Response', () => {
    for (const one of ['text', Promise.resolve(utf8('a')), new Response('a'), [utf8('a')], null]) {
      expect(() => keyOf(one as unknown as Uint8Array)).toThrow(TypeError)
    }
  })
})

describe('a source that never ends', () => {
  // claim: sources-6
  it.each<[string, () => Uint8Array]>([
    ['empty pieces', () => new Uint8Array(0)],
    ['pieces', () => new Uint8Array(70_000)],
  ])('of %s lets timers run, and ends when the signal aborts', async (_, piece) => {
    let isEnded = false
    async function* endless() {
      try {
        for (;;) yield piece()
      } finally {
        isEnded = true
      }
    }
    const controller = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 20)
    await expect(keyOf(endless(), 'sha256', { signal: controller.signal })).rejects.toBe(reason)
    await expect.poll(() => isEnded).toBe(true)
  })

  it('without any piece is cancelled when the signal aborts', async () => {
    const cancelled: unknown[] = []
    const controller = new AbortController()
    const reason = new Error('enough')
    // The pull happens when the source is read, not earlier.
    const pull = () => {
      controller.abort(reason)
      return new Promise<void>(() => {})
    }
    const cancel = (why: unknown) => void cancelled.push(why)
    const silent = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 })
    const call = keyOf(silent, 'sha256', { signal: controller.signal })
    await expect(call).rejects.toBe(reason)
    await expect.poll(() => cancelled).toEqual([reason])
  })

  it('is cancelled if the signal was already aborted', async () => {
    const cancelled: unknown[] = []
    const reason = new Error('enough')
    const aborted = { signal: AbortSignal.abort(reason) }
    await expect(keyOf(streamOf([utf8('a')], cancelled), 'sha256', aborted)).rejects.toBe(reason)
    await expect(keyOf(new Blob(['a']), 'sha256', aborted)).rejects.toBe(reason)
    expect(cancelled).toEqual([reason])
  })
})

describe('onProgress of a source', () => {
  it('is called at the end with the size, and reading continues if onProgress throws', async () => {
    const told: unknown[] = []
    const onProgress = (progress: unknown) => {
      told.push(progress)
      throw new Error('no counter')
    }
    await keyOf(new Blob([bytesOf(1000)]), 'md5', { onProgress })
    await keyOf(pieces(bytesOf(1000), 100), 'sha256', { onProgress })
    expect(told).toEqual([
      { bytes: 1000, size: 1000 },
      { bytes: 1000, size: undefined },
    ])
  })

  // claim: sources-18
  it('is called at most ten times a second, with the number of hashed bytes', async () => {
    const clock = vi.spyOn(performance, 'now')
    const told: number[] = []
    async function* slow() {
      // Pieces of 30 ms: every fourth ends a tenth of a second.
      for (let piece = 0; piece < 20; piece++) {
        clock.mockReturnValue(30 * piece)
        yield bytesOf(1000)
      }
    }
    try {
      clock.mockReturnValue(0)
      await keyOf(slow(), 'sha256', { onProgress: ({ bytes }) => told.push(bytes) })
    } finally {
      clock.mockRestore()
    }
    expect(told).toEqual([5000, 9000, 13_000, 17_000, 20_000])
  })
})
