// @alone

import {
  type Annotator,
  type AnnotatorContext,
  type AnnotatorErrorEvent,
  type Logger,
  type PayloadAnnotator,
  type PayloadContext,
  source,
  tls,
} from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { opened, yes } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

const payload = utf8('hello')
const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 0, value))

describe('an annotator of the application', () => {
  it.each([
    ['at once', () => true, true],
    ['at once', () => false, false],
    ['with a promise', () => later(true), true],
    ['with a promise', () => later(false), false],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    ['with a thenable', () => ({ then: (resolve: (answer: boolean) => void) => resolve(true) }), true],
  ])('answers %s, and the bundle has the answer %o', async (_, isSatisfied, expected) => {
    const annotator = { kind: 'mine', isSatisfied } as Annotator<'mine'>
    const { sdk, verified } = await opened([annotator])
    await sdk.create(payload)
    expect((await verified()).annotations).toMatchObject([{ kind: 'mine', isSatisfied: expected }])
  })

  it('may be an instance of a class with private fields', async () => {
    class Threshold implements PayloadAnnotator<'threshold'> {
      readonly kind = 'threshold'
      readonly needs = 'payload'
      readonly #least = 5
      isSatisfied({ payload }: PayloadContext): boolean {
        return payload.length >= this.#least
      }
    }
    const { sdk } = await opened([new Threshold()])
    expect((await sdk.create(payload)).bundle.annotations).toMatchObject([{ isSatisfied: true }])
    expect((await sdk.create(utf8('hi'))).bundle.annotations).toMatchObject([{ isSatisfied: false }])
  })

  it('is called only for the actions that it names', async () => {
    const { sdk } = await opened([
      { ...yes('a'), actions: ['create'] },
      { ...yes('b'), actions: [] },
      yes('c'),
    ])
    const kinds = (bundle: { annotations: readonly { kind: string }[] }) =>
      bundle.annotations.map(({ kind }) => kind)
    expect(kinds((await sdk.create(payload)).bundle)).toEqual(['a', 'c'])
    expect(kinds((await sdk.publish(payload)).bundle)).toEqual(['c'])
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'with the kind %s gets no input from a call that has none',
    async (kind) => {
      const seen: boolean[] = []
      const annotator = { kind, isSatisfied: (context: object) => seen.push('input' in context) > 0 }
      const { sdk } = await opened([annotator])
      await sdk.create(payload)
      await sdk.create(payload, {})
      expect(seen).toEqual([false, false])
    },
  )
})

describe('when an annotator fails', () => {
  const boom = new Error('boom')
  const failures: [string, () => unknown, unknown, string][] = [
    [
      'throws',
      () => {
        throw boom
      },
      boom,
      'boom',
    ],
    [
      'throws a text',
      () => {
        throw 'boom'
      },
      'boom',
      'boom',
    ],
    [
      'throws undefined',
      () => {
        throw undefined
      },
      undefined,
      'undefined',
    ],
    [
      'throws a value that cannot be converted to text',
      () => {
        throw Object.create(null)
      },
      expect.anything(),
      'error',
    ],
    ['rejects', () => Promise.reject(boom), boom, 'boom'],
    ['rejects later', () => later(0).then(() => Promise.reject(boom)), boom, 'boom'],
    [
      'rejects with a value that cannot be converted to text',
      () => Promise.reject(Object.create(null)),
      expect.anything(),
      'error',
    ],
    ['answers 1', () => 1, undefined, 'a number'],
    ['answers "true"', () => 'true', undefined, 'a string'],
    ['answers nothing', () => undefined, undefined, 'undefined'],
    ['answers null', () => null, undefined, 'null'],
    ['answers a Boolean object', () => Object(true), undefined, 'a Boolean'],
    ['answers a function', () => () => true, undefined, 'a function'],
    ['resolves with 1', () => Promise.resolve(1), undefined, 'a number'],
    ['resolves with nothing', () => later(undefined), undefined, 'undefined'],
    ['never settles', () => new Promise(() => {}), undefined, 'no answer within 20 ms'],
  ]

  // claim: calls-2, annotators-8, troubleshooting-4
  it.each(failures)(
    'because it %s, its answer is false, and each listener and logger gets the error',
    async (_, isSatisfied, cause, text) => {
      const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() } satisfies Logger
      const broken = { kind: 'broken', isSatisfied } as Annotator<'broken'>
      const { sdk, verified } = await opened([source(), broken, yes('after')], {
        logger,
        annotatorTimeoutMs: 20,
      })
      const events: AnnotatorErrorEvent[] = []
      sdk.addEventListener('annotatorerror', (event) => events.push(event))
      await sdk.create(payload)
      expect((await verified(payload)).annotations.map(({ isSatisfied }) => isSatisfied)).toEqual([
        true,
        false,
        true,
      ])
      expect(events).toHaveLength(1)
      const [event] = events
      expect(event).toMatchObject({
        type: 'annotatorerror',
        kind: 'broken',
        error: { code: 'ANNOTATOR_FAILED' },
      })
      expect(event?.error.cause).toEqual(cause)
      expect(event?.error.message).toMatch(/^annotator broken: expected true or false, got /)
      expect(event?.error.message).toContain(text)
      const { code, message } = event?.error ?? {}
      const err = expect.objectContaining({ code, message })
      expect(logger.error.mock.calls).toEqual([[{ err, kind: 'broken' }, message]])
    },
  )

  it('because it exceeds the timeout, its abort signal is aborted', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const late = (kind: string) => ({
      kind,
      isSatisfied: ({ signal }: AnnotatorContext) => {
        signals.push(signal)
        return new Promise<boolean>(() => {})
      },
    })
    let context: AnnotatorContext | undefined
    const later = {
      kind: 'later',
      isSatisfied: (asked: AnnotatorContext) => {
        context = asked
        return new Promise<boolean>(() => {})
      },
    }
    const annotators = [late('plain'), late('with-input'), later]
    const { sdk } = await opened(annotators, { annotatorTimeoutMs: 20 })
    const call = sdk.create(payload, { 'with-input': 1 } as object)
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false])
    await call
    expect([...signals, context?.signal].map((signal) => signal?.aborted)).toEqual([true, true, true])
  })

  it.each([
    ['for annotatorTimeoutMs', { annotatorTimeoutMs: 70 }, 70],
    ['for 5,000 ms by default', {}, 5000],
  ])('because it never settles, the call waits for the annotator %s', async (_, options, timeoutMs) => {
    const silent = { kind: 'silent', isSatisfied: () => new Promise<boolean>(() => {}) }
    const { sdk, stream } = await opened([silent], options)
    await stopTimers()
    try {
      const call = sdk.create(payload)
      await vi.advanceTimersByTimeAsync(timeoutMs - 1)
      expect(stream.messages).toHaveLength(0)
      await vi.advanceTimersByTimeAsync(1)
      expect(stream.messages).toHaveLength(1)
      expect((await call).bundle.annotations).toMatchObject([{ isSatisfied: false }])
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('a listener that was removed from the SDK is not called', async () => {
    const listener = vi.fn()
    const { sdk } = await opened([{ kind: 'broken', isSatisfied: () => 1 as unknown as boolean }])
    sdk.addEventListener('annotatorerror', listener)
    await sdk.create(payload)
    sdk.removeEventListener('annotatorerror', listener)
    await sdk.create(payload)
    expect(listener).toHaveBeenCalledTimes(1)
  })
})

describe('when there are 32 annotators', () => {
  // claim: readme-3
  it('the bundle has all answers in the order of the annotators, whatever their kind and delay', async () => {
    const kinds = Array.from({ length: 32 }, (_, at) => `check-${at}`)
    const pattern = fc.array(fc.record({ answer: fc.boolean(), isLate: fc.boolean() }), {
      minLength: 32,
      maxLength: 32,
    })
    let current: readonly { answer: boolean; isLate: boolean }[] = []
    const annotators = kinds.map((kind, at) => ({
      kind,
      isSatisfied: () => {
        const { answer, isLate } = current[at] ?? { answer: false, isLate: false }
        return isLate ? later(answer) : answer
      },
    }))
    const { sdk, verified } = await opened(annotators)
    const check = async (answers: typeof current) => {
      current = answers
      await sdk.create(payload)
      const expected = answers.map(({ answer }, at) => ({ kind: kinds[at], isSatisfied: answer }))
      expect((await verified()).annotations).toMatchObject(expected)
    }
    await fc.assert(fc.asyncProperty(pattern, check))
    for (let bit = 0; bit < 32; bit++)
      await check(kinds.map((_, at) => ({ answer: at === bit, isLate: false })))
  })
})

describe('the context of a call', () => {
  const ranged = {
    kind: 'in-range',
    isSatisfied: ({ input }: AnnotatorContext<{ most: number }>) => (input?.most ?? 0) > 3,
  } satisfies Annotator<'in-range', { most: number }>

  // claim: annotators-4
  it("gives an annotator only the input that is named after the annotator's kind", async () => {
    const seen: unknown[] = []
    const other = { kind: 'other', isSatisfied: (context: object) => seen.push('input' in context) > 0 }
    const { sdk } = await opened([ranged, other])
    const { bundle } = await sdk.create(payload, { 'in-range': { most: 7 } })
    expect(bundle.annotations.map(({ isSatisfied }) => isSatisfied)).toEqual([true, true])
    expect((await sdk.create(payload)).bundle.annotations[0]?.isSatisfied).toBe(false)
    expect(seen).toEqual([false, false])
  })

  it("has a TypeScript type with the input types of the SDK's annotators", async () => {
    const { sdk } = await opened([ranged, tls(), source()])
    type Context = NonNullable<Parameters<typeof sdk.create>[1]>
    expectTypeOf<Context['in-range']>().toEqualTypeOf<{ most: number } | undefined>()
    expectTypeOf<Context['signal']>().toEqualTypeOf<AbortSignal | undefined>()
    const wrong = () => [
      // @ts-expect-error: most is a number
      sdk.create(payload, { 'in-range': { most: '7' } }),
      // @ts-expect-error: no annotator of this kind
      sdk.transit(payload, { tpm: 1 }),
      // @ts-expect-error: a socket has more than this
      sdk.publish(payload, { tls: { authorized: true } }),
      // @ts-expect-error: a payload is bytes
      sdk.create('hello'),
    ]
    expect(wrong).toBeTypeOf('function')
  })
})
