// @firefox: an AbortSignal of its own
import { memory, openSdk, type Sdk, type StreamProvider, signBytes, source } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { countAbortListeners } from '../support/abort-listeners.js'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { key, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'

const payload = utf8('hello')
const reason = new Error('no longer wanted')
const signingKey = key.signingKey
const signer = {
  verifyingKey: key.verifyingKey,
  sign: async (identity: Uint8Array) => signBytes(key.signingKey, identity),
}

/** Lets due promises run, and no timer. */
async function microtasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

describe('when the signal of a call aborts', () => {
  it('before the call begins, the call rejects with the reason, calls no annotator and publishes nothing', async () => {
    const isSatisfied = vi.fn(() => true)
    const { sdk, stream } = await opened([{ kind: 'asked', isSatisfied }])
    const context = { signal: AbortSignal.abort(reason) }
    await expect(sdk.create(payload, context)).rejects.toBe(reason)
    await expect(sdk.mutate(payload, payload, context)).rejects.toBe(reason)
    await expect(sdk.transit(payload, context)).rejects.toBe(reason)
    await expect(sdk.publish(payload, context)).rejects.toBe(reason)
    expect(isSatisfied).not.toHaveBeenCalled()
    expect(stream.messages).toEqual([])
  })

  // claim: delivery-9
  it.each<[string, (sdk: Sdk, context: { signal: AbortSignal }) => Promise<unknown>]>([
    ['bytes', (sdk, context) => sdk.create(payload, context)],
    ['a mutate', (sdk, context) => sdk.mutate(payload, payload, context)],
    ['a source', (sdk, context) => sdk.publish(new Blob([payload]), context)],
    ['two sources', (sdk, context) => sdk.mutate(new Blob([payload]), new Blob([payload]), context)],
    ['many inputs', (sdk, context) => sdk.mutate([payload, payload], payload, context)],
    ['many inputs of a source', (sdk, context) => sdk.mutate([payload], new Blob([payload]), context)],
  ])(
    'while annotators run on %s, the call rejects with the reason and publishes nothing',
    async (_, begin) => {
      const [asked, answer] = [deferred(), deferred<boolean>()]
      const isSatisfied = () => {
        asked.resolve()
        return answer.promise
      }
      const { sdk, stream } = await opened([{ kind: 'slow', isSatisfied }])
      const controller = new AbortController()
      const rejected = vi.fn()
      begin(sdk, { signal: controller.signal }).catch(rejected)
      await asked.promise
      controller.abort(reason)
      await quiet()
      expect(rejected.mock.calls).toEqual([[reason]])
      answer.resolve(true)
      await quiet()
      expect(stream.messages).toEqual([])
      await sdk.close()
    },
  )

  it.each<[string, (sdk: Sdk, context: { signal: AbortSignal }) => Promise<unknown>]>([
    ['bytes', (sdk, context) => sdk.create(payload, context)],
    ['sources', (sdk, context) => sdk.create(new Blob([payload]), context)],
    ['many inputs', (sdk, context) => sdk.mutate([payload, payload], payload, context)],
  ])(
    'when the annotators have answered, a call with %s rejects with the reason and publishes nothing',
    async (_, begin) => {
      const controller = new AbortController()
      const { sdk: other } = await opened([source()])
      const isSatisfied = async () => {
        // This begins a turn of the event loop, which is over when the clock is read again.
        void other.create(payload)
        void microtasks().then(() => controller.abort(reason))
        return true
      }
      const { sdk, stream } = await opened([{ kind: 'own', isSatisfied }])
      const turns = await countedTurns(10)
      try {
        await expect(begin(sdk, { signal: controller.signal })).rejects.toBe(reason)
      } finally {
        turns.end()
      }
      await sdk.close()
      expect(stream.messages).toEqual([])
    },
  )

  it('while the signer signs, the call rejects with the reason and publishes nothing', async () => {
    const signature = deferred<Uint8Array>()
    const stream = memory()
    const signer = { verifyingKey: key.verifyingKey, sign: () => signature.promise }
    const sdk = await openSdk({ signingKey: signer, annotators: [source()], stream })
    const controller = new AbortController()
    const call = sdk.create(payload, { signal: controller.signal })
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    // No call awaits that signature any more.
    await sdk.close()
    signature.reject(new Error('too late to matter'))
    await quiet()
    expect(stream.messages).toEqual([])
  })

  it.each([
    ['a key', signingKey],
    ['a signer', signer],
  ])(
    'while the stream publishes a message signed by %s, the call rejects with the reason, and close() does not wait',
    async (_, signingKey) => {
      const signals: (AbortSignal | undefined)[] = []
      const stream = {
        publish: (_, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      } satisfies StreamProvider
      const sdk = await openSdk({ signingKey, annotators: [source()], stream })
      const controller = new AbortController()
      const call = sdk.create(payload, { signal: controller.signal })
      await quiet()
      controller.abort(reason)
      await expect(call).rejects.toBe(reason)
      expect(signals).toEqual([controller.signal])
      await sdk.close()
    },
  )

  it('other calls continue', async () => {
    const answers = [deferred<boolean>(), deferred<boolean>()]
    let asked = 0
    const { sdk, stream } = await opened([
      { kind: 'slow', isSatisfied: () => answers[asked++]?.promise ?? false },
    ])
    const controller = new AbortController()
    const calls = [sdk.create(payload, { signal: controller.signal }), sdk.create(payload)]
    controller.abort(reason)
    for (const { resolve } of answers) resolve(true)
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(stream.messages).toHaveLength(1)
  })

  it('annotators that answer after close() cause no error', async () => {
    const answer = deferred<boolean>()
    const { sdk } = await opened([{ kind: 'slow', isSatisfied: () => answer.promise }])
    const { sdk: another } = await opened([source()])
    const controller = new AbortController()
    const calls = sdk.createMany([payload, payload], { signal: controller.signal })
    controller.abort(reason)
    await expect(calls).rejects.toBe(reason)
    await sdk.close()
    answer.resolve(true)
    await quiet()
    await another.create(payload)
  })

  it('close() still sends the bundles that are already in a batch', async () => {
    const answer = deferred<boolean>()
    const answers = [Promise.resolve(true), answer.promise]
    const { sdk, stream } = await opened([{ kind: 'slow', isSatisfied: () => answers.shift() ?? false }])
    const controller = new AbortController()
    const calls = sdk.createMany([payload, payload], { signal: controller.signal })
    await microtasks()
    controller.abort(reason)
    await expect(calls).rejects.toBe(reason)
    await sdk.close()
    answer.resolve(true)
    expect(stream.messages).toHaveLength(1)
  })

  it('createMany() publishes no bundle whose annotator had not answered', async () => {
    const answer = deferred<boolean>()
    const { sdk, stream } = await opened([{ kind: 'slow', isSatisfied: () => answer.promise }])
    const controller = new AbortController()
    const calls = sdk.createMany([payload, payload], { signal: controller.signal })
    controller.abort(reason)
    await expect(calls).rejects.toBe(reason)
    answer.resolve(true)
    await quiet()
    await sdk.close()
    expect(stream.messages).toEqual([])
  })

  it('after the call has resolved, no error occurs and no other message is published', async () => {
    const { sdk, stream } = await opened([source()])
    const controller = new AbortController()
    await sdk.create(payload, { signal: controller.signal })
    controller.abort(reason)
    await quiet()
    expect(stream.messages).toHaveLength(1)
  })

  it('because one of its annotators aborts it, the call rejects with the reason and publishes nothing', async () => {
    const controller = new AbortController()
    const isSatisfied = async () => {
      controller.abort(reason)
      return new Promise<boolean>(() => {})
    }
    const { sdk, stream } = await opened([{ kind: 'against it', isSatisfied }])
    await expect(sdk.create(payload, { signal: controller.signal })).rejects.toBe(reason)
    expect(stream.messages).toEqual([])
    await sdk.close()
  })
})

describe('with a signal that many calls share,', () => {
  it('the calls add a single listener, which is removed when they have settled', async () => {
    const listeners = countAbortListeners()
    const answer = deferred<boolean>()
    const { sdk } = await opened([{ kind: 'slow', isSatisfied: () => answer.promise }])
    const { signal } = new AbortController()
    const calls = Array.from({ length: 50 }, () => sdk.create(payload, { signal }))
    expect(listeners()).toBe(1)
    answer.resolve(true)
    await Promise.all(calls)
    expect(listeners()).toBe(0)
    await sdk.create(payload, { signal })
    expect(listeners()).toBe(0)
  })

  it('each call rejects with the reason of the signal when the signal aborts', async () => {
    const { sdk } = await opened([{ kind: 'never', isSatisfied: () => new Promise<boolean>(() => {}) }])
    const controller = new AbortController()
    const calls = Array.from({ length: 50 }, () => sdk.create(payload, { signal: controller.signal }))
    controller.abort(reason)
    const outcomes = await Promise.allSettled(calls)
    expect(new Set(outcomes.map((one) => one.status === 'rejected' && one.reason))).toEqual(new Set([reason]))
  })
})

describe('when the signal given to openSdk aborts', () => {
  const stream = { connect: () => new Promise(() => {}), publish: () => {} } satisfies StreamProvider

  it('before openSdk begins, openSdk rejects with the reason', async () => {
    const options = { signingKey, annotators: [], stream, signal: AbortSignal.abort(reason) }
    await expect(openSdk(options)).rejects.toBe(reason)
  })

  it('while the stream connects, openSdk rejects with the reason, and the signal that connect() received aborts', async () => {
    const controller = new AbortController()
    const connect = vi.fn((_context: { signal?: AbortSignal }) => new Promise(() => {}))
    const opening = openSdk({
      signingKey,
      annotators: [],
      stream: { ...stream, connect },
      signal: controller.signal,
    })
    await quiet()
    controller.abort(reason)
    await expect(opening).rejects.toBe(reason)
    expect(connect.mock.calls[0]?.[0].signal).toBe(controller.signal)
  })

  it('after openSdk has resolved, calls still work', async () => {
    const controller = new AbortController()
    const sdk = await openSdk({ signingKey, annotators: [], stream: memory(), signal: controller.signal })
    controller.abort(reason)
    expect((await sdk.create(payload)).bundle.action).toBe('create')
  })
})
