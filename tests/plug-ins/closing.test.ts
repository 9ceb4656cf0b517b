// @own-process: it counts unhandled rejections of the process
import { json, openSdk, type SdkOptions, type StreamProvider, source, tee } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { key } from '../support/sdk.js'
import { faulty, outcomeOf, unhandledRejections } from './faults.js'

const payload = utf8('a')
const SHORT_MS = 100
const openWith = (options: Partial<SdkOptions>) =>
  openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    stream: { publish: () => {} },
    closeTimeoutMs: SHORT_MS,
    ...options,
  })
const forEver = faulty('hangs')

/** Yields payloads without end. */
function* endless() {
  for (;;) yield payload
}

// claim: own-code-2
describe('sdk.close()', () => {
  const NEVER: [string, () => Partial<SdkOptions>, string][] = [
    ['a stream that never answers', () => ({ stream: { publish: forEver } }), 'ok'],
    [
      'a stream that never answers and has drainsOnClose',
      () => ({ stream: { publish: forEver, close: () => {}, drainsOnClose: true } }),
      'ok',
    ],
    [
      'a stream that neither answers nor closes',
      () => ({ stream: { publish: forEver, close: forEver } }),
      'STREAM_TIMEOUT',
    ],
    [
      'one of several streams that never answers',
      () => ({ stream: tee({ publish: () => {} }, { publish: forEver }) }),
      'ok',
    ],
    [
      'an annotator that never answers',
      () => ({ annotators: [{ kind: 'own', isSatisfied: forEver }] }),
      'ok',
    ],
    ['a signer that never answers', () => ({ signingKey: { ...key, sign: forEver } }), 'ok'],
    ['a codec that never answers', () => ({ codec: { ...json(), encode: forEver } }), 'ok'],
  ]

  it.each(NEVER)('ends calls that would otherwise wait forever because of %s', async (_, options, closed) => {
    const unhandled = unhandledRejections()
    for (const batch of [undefined, { maxDelayMs: 1 }]) {
      const sdk = await openWith({ annotatorTimeoutMs: 1000, signerTimeoutMs: 1000, batch, ...options() })
      const calls = [() => sdk.create(payload), () => sdk.mutate(payload, payload)].map(outcomeOf)
      const many = outcomeOf(() => sdk.createMany([payload, payload]))
      expect(await outcomeOf(() => sdk.close())).toBe(closed)
      for (const said of await Promise.all([...calls, many]))
        expect(said).toMatch(/^STREAM_CLOSED|SIGNER_FAILED$/)
    }
    await quiet()
    expect(unhandled).toEqual([])
  })

  const LOGGED: [string, Partial<SdkOptions>, Partial<StreamProvider>, string][] = [
    ['the stream of the bundles never answers', { stream: { publish: forEver } }, {}, 'ok'],
    [
      'the stream of the bundles never closes',
      { stream: { publish: () => {}, close: forEver } },
      {},
      'STREAM_TIMEOUT',
    ],
    ['the stream of the checkpoints never answers', {}, { publish: forEver }, 'STREAM_TIMEOUT'],
    ['the stream of the checkpoints never closes', {}, { close: forEver }, 'STREAM_TIMEOUT'],
    ['the signer never answers', { signingKey: { ...key, sign: forEver } }, {}, 'STREAM_TIMEOUT'],
  ]

  it.each(LOGGED)('settles for an SDK with checkpoints, although %s', async (_, options, of, closed) => {
    const own = checkpoints({ stream: { publish: () => {}, ...of } })
    const sdk = await openWith({ signerTimeoutMs: 1000, ...options, checkpoints: own })
    const call = outcomeOf(() => sdk.create(payload))
    expect(await outcomeOf(() => sdk.close())).toBe(closed)
    expect(await call).toMatch(/^(ok|STREAM_CLOSED|SIGNER_FAILED)$/)
  })

  it('ends a createMany over endless payloads', async () => {
    const sdk = await openWith({})
    const many = outcomeOf(() => sdk.createMany(endless()))
    expect(await outcomeOf(() => sdk.close())).toBe('ok')
    expect(await many).toBe('STREAM_CLOSED')
  })

  it.each([
    ['with a signal', { signal: new AbortController().signal }],
    ['without a signal', {}],
  ])('ends a createMany that waits for room in the stream, %s', async (_, context) => {
    const ended = vi.fn()
    const sdk = await openWith({ stream: { publish: () => {}, hasRoom: () => new Promise<void>(() => {}) } })
    outcomeOf(() => sdk.createMany([payload], context)).then(ended)
    expect(await outcomeOf(() => sdk.close())).toBe('ok')
    await quiet()
    expect(ended.mock.calls).toEqual([['STREAM_CLOSED']])
  })

  it('prevents other SDKs from using the stream while the stream is still closing', async () => {
    const { promise, resolve } = deferred()
    const stream = { publish: () => {}, close: () => promise }
    const sdk = await openWith({ stream })
    expect(await outcomeOf(() => sdk.close())).toBe('STREAM_TIMEOUT')
    expect(await outcomeOf(() => openWith({ stream }))).toBe('CONFIG_INVALID')
    resolve()
    await quiet()
    await (await openWith({ stream })).close()
  })

  it('rejects a call whose annotator answers only after the key was wiped, and publishes nothing', async () => {
    const published = vi.fn()
    const { promise, resolve } = deferred<boolean>()
    const own = { kind: 'own', isSatisfied: () => promise }
    const sdk = await openWith({ annotators: [own], stream: { publish: published } })
    const call = outcomeOf(() => sdk.create(payload))
    await sdk.close()
    resolve(true)
    expect(await call).toBe('STREAM_CLOSED')
    expect(published).not.toHaveBeenCalled()
  })
})
