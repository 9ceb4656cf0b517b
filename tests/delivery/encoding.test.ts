// @alone

import { type Codec, json, openSdk, type SdkOptions, type StreamProvider, source } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { type Deferred, deferred, quiet } from '../support/deferred.js'
import { codeOf } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

type Answer = Deferred<Uint8Array>

/** Opens an SDK whose payloads are readable in its messages, with a codec that answers on request. */
async function opened(options: Partial<SdkOptions> = {}, stream: Partial<StreamProvider> = {}) {
  const answers: Answer[] = []
  const published: string[] = []
  const encode = (message: Uint8Array) => {
    const { key } = JSON.parse(textOf(message)).content
    if (key === 'at once') return utf8(key)
    const answer = deferred<Uint8Array>()
    answers.push(answer)
    return answer.promise
  }
  const publish = (message: Uint8Array) => void published.push(textOf(message))
  const sdk = await openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    hash: 'none',
    stream: { publish, ...stream },
    codec: { ...json(), encode } satisfies Codec,
    ...options,
  })
  const answer = async (at: number, text: string) => {
    answers[at]?.resolve(utf8(text))
    await quiet()
  }
  return { sdk, answers, published, answer }
}

describe('messages of an asynchronous codec', () => {
  // claim: streams-10
  it('are published in the order of their calls, whatever the order in which the codec finishes', async () => {
    const { sdk, answer, published } = await opened()
    const calls = ['a', 'b', 'c'].map((text) => sdk.create(utf8(text)))
    await quiet()
    await answer(2, 'c')
    await answer(1, 'b')
    expect(published).toEqual([])
    await answer(0, 'a')
    expect(published).toEqual(['a', 'b', 'c'])
    expect((await Promise.all(calls)).map(({ message }) => textOf(message))).toEqual(['a', 'b', 'c'])
  })

  it('are published without waiting for the stream to accept earlier messages', async () => {
    const handed: string[] = []
    const publish = (message: Uint8Array) => {
      handed.push(textOf(message))
      return new Promise(() => {})
    }
    const { sdk, answer } = await opened({ closeTimeoutMs: 50 }, { publish })
    const calls = ['a', 'b'].map((text) => codeOf(() => sdk.create(utf8(text))))
    await quiet()
    await answer(1, 'b')
    await answer(0, 'a')
    expect(handed).toEqual(['a', 'b'])
    await sdk.close()
    expect(await Promise.all(calls)).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED'])
  })

  it('are not overtaken by a message that encode() returns synchronously', async () => {
    const { sdk, answer, published } = await opened()
    const [first, second] = [sdk.create(utf8('a')), sdk.create(utf8('at once'))]
    await quiet()
    expect(published).toEqual([])
    await answer(0, 'a')
    expect(published).toEqual(['a', 'at once'])
    await Promise.all([first, second])
    await sdk.create(utf8('at once'))
    expect(published).toEqual(['a', 'at once', 'at once'])
  })

  it('stay in order when the encoding of an earlier message fails', async () => {
    const { sdk, answers, answer, published } = await opened()
    const calls = ['a', 'b', 'c', 'd'].map((text) => sdk.create(utf8(text)))
    await quiet()
    const failed = codeOf(() => calls[1])
    answers[1]?.reject(new Error('no'))
    await answer(2, 'c')
    await answer(3, 'd')
    expect(published).toEqual([])
    expect(await failed).toBe('CODEC_FAILED')
    const first = codeOf(() => calls[0])
    answers[0]?.reject(new Error('no'))
    expect(await first).toBe('CODEC_FAILED')
    await Promise.all(calls.slice(2))
    expect(published).toEqual(['c', 'd'])
  })

  it('are not published if their calls are aborted first, while later messages are published', async () => {
    const { sdk, answer, published } = await opened()
    const { signal, abort } = aborting()
    const reason = sdk.create(utf8('a'), { signal }).catch((reason) => reason)
    const next = sdk.create(utf8('b'))
    await quiet()
    await answer(1, 'b')
    expect(published).toEqual([])
    abort()
    expect(await reason).toEqual(new Error('enough'))
    await next
    await answer(0, 'a')
    expect(published).toEqual(['b'])
  })

  it('delay close(), which closes the codec and the stream after publishing them', async () => {
    const order: string[] = []
    const close = () => order.push('closed')
    const publish = () => order.push('published')
    const { sdk, answer } = await opened({}, { publish, close, drainsOnClose: true })
    const call = sdk.create(utf8('a'))
    const closing = sdk.close()
    await quiet()
    expect(order).toEqual([])
    await answer(0, 'a')
    await Promise.all([call, closing])
    expect(order).toEqual(['published', 'closed'])
  })

  it('are not published if the codec finishes after closeTimeoutMs, because close() has then rejected their calls', async () => {
    const { sdk, answer, published } = await opened({ closeTimeoutMs: 50 })
    const calls = ['a', 'b'].map((text) => codeOf(() => sdk.create(utf8(text))))
    await quiet()
    await answer(1, 'b')
    await sdk.close()
    expect(await Promise.all(calls)).toEqual(['STREAM_CLOSED', 'STREAM_CLOSED'])
    await answer(0, 'a')
    expect(published).toEqual([])
  })

  it('are counted in the capacity that ready() requests from the stream until they are published', async () => {
    const rooms: number[] = []
    const hasRoom = ({ messages }: { messages: number }) => rooms.push(messages) > 0
    const { sdk, answer } = await opened({}, { hasRoom: hasRoom as never })
    const calls = ['a', 'b'].map((text) => sdk.create(utf8(text)))
    await quiet()
    await sdk.ready()
    await answer(0, 'a')
    await answer(1, 'b')
    await Promise.all(calls)
    await sdk.ready()
    expect([rooms[0], rooms.at(-1)]).toEqual([3, 2])
  })

  // claim: config-2
  it('make their calls reject after codecTimeoutMs, by default 10,000 ms, and leave no timer active', async () => {
    await stopTimers()
    try {
      const { sdk } = await opened()
      const settled = vi.fn()
      const call = codeOf(() => sdk.create(utf8('a'))).finally(settled)
      await vi.advanceTimersByTimeAsync(9_999)
      expect(settled).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(await call).toBe('CODEC_FAILED')
      expect(vi.getTimerCount()).toBe(0)
      await sdk.close()
    } finally {
      vi.useRealTimers()
    }
  })
})

function aborting() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) }
}
