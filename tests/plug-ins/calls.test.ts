// @own-process: it counts unhandled rejections of the process
import {
  type Codec,
  classic,
  json,
  openSdk,
  type SdkOptions,
  type StreamProvider,
  source,
} from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { quiet } from '../support/deferred.js'
import { newPlace } from '../support/places.js'
import { key } from '../support/sdk.js'
import { always, each, type Fault, faulty, loggerWith, outcomeOf, unhandledRejections } from './faults.js'

type Opened = Awaited<ReturnType<typeof openSdk>>
const [payload, other] = [utf8('a'), utf8('b')]
const { verifyingKey } = key

/** Time limit: long for a turn of the event loop, short for a call that hangs. */
const SHORT_MS = 100
const options = {
  signingKey: key.signingKey,
  annotators: [source()],
  stream: { publish: () => {} },
  annotatorTimeoutMs: SHORT_MS,
  signerTimeoutMs: SHORT_MS,
  codecTimeoutMs: SHORT_MS,
  streamTimeoutMs: SHORT_MS,
  closeTimeoutMs: 10 * SHORT_MS,
} satisfies SdkOptions
const broken = { kind: 'broken', isSatisfied: faulty('throws') }

const PLUG_INS: Readonly<Record<string, (fault: Fault) => Partial<SdkOptions>>> = {
  logger: (fault) => ({ logger: loggerWith(fault), annotators: [broken, broken] }),
  annotator: (fault) => ({ annotators: [source(), { kind: 'own', isSatisfied: faulty(fault) }] }),
  signer: (fault) => ({ signingKey: { verifyingKey, sign: faulty(fault) } }),
  'codec.encode': (fault) => ({ codec: { ...json(), encode: faulty(fault) } satisfies Codec }),
  'signer of classic': (fault) => ({ codec: classic({ signingKey: { verifyingKey, sign: faulty(fault) } }) }),
  'codec.close': (fault) => ({ codec: { ...json(), close: faulty(fault) } }),
  'stream.publish': (fault) => ({ stream: { publish: faulty(fault) } }),
  'stream.close': (fault) => ({ stream: { publish: () => {}, close: faulty(fault) } }),
  'stream.stats': (fault) => ({ stream: { publish: () => {}, stats: faulty(fault) } }),
  delivered: (fault) => ({ stream: { publish: () => ({ delivered: outcome(fault) }) } }),
}

/** Returns a promise that is settled before a caller awaits it. */
const outcome = (fault: Fault): unknown => {
  try {
    return faulty(fault)()
  } catch (error) {
    return Promise.reject(error)
  }
}

const FLOWS: Readonly<Record<string, [Partial<SdkOptions>, (sdk: Opened) => Promise<unknown>]>> = {
  create: [{}, (sdk) => sdk.create(payload)],
  mutate: [{}, (sdk) => sdk.mutate(payload, other)],
  createMany: [{}, (sdk) => sdk.createMany([payload, other])],
  'calls in a batch': [
    { batch: { maxDelayMs: 1 } },
    (sdk) => Promise.all([sdk.create(payload), sdk.transit(other)]),
  ],
}

const AND_CLOSES = always(['ok', 'ok'])
const FAILS_TO_CLOSE = (code: string) => ({
  throws: ['ok', code],
  rejects: ['ok', code],
  hangs: ['ok', 'STREAM_TIMEOUT'],
  'returns a symbol': ['ok', 'ok'],
})

/** Outcomes of a call, and of `close()` after it. */
const EXPECTED = [
  ...each('logger', AND_CLOSES),
  ...each('annotator', AND_CLOSES),
  ...each('signer', always(['SIGNER_FAILED', 'ok'])),
  ...each('codec.encode', always(['CODEC_FAILED', 'ok'])),
  ...each('codec.close', FAILS_TO_CLOSE('CODEC_FAILED')),
  ...each('stream.publish', {
    throws: ['STREAM_FAILED', 'ok'],
    rejects: ['STREAM_FAILED', 'ok'],
    hangs: ['STREAM_TIMEOUT', 'ok'],
    'returns a symbol': ['ok', 'ok'],
  }),
  ...each('stream.close', FAILS_TO_CLOSE('STREAM_FAILED')),
  ...each('stream.stats', AND_CLOSES),
  ...each('delivered', AND_CLOSES),
]

describe.each(Object.entries(FLOWS))('the outcomes of %s and of a later close()', (_, [more, call]) => {
  // claim: calls-1, threats-69, own-code-1
  it.each(EXPECTED)('with a plug-in %s that %s, are %j', async (plugIn, fault, expected) => {
    const unhandled = unhandledRejections()
    const sdk = await openSdk({ ...options, ...more, ...PLUG_INS[plugIn]?.(fault) })
    sdk.addEventListener('annotatorerror', faulty(fault))
    const said = await outcomeOf(() => call(sdk))
    expect(await outcomeOf(() => call(sdk))).toBe(said)
    if (plugIn === 'stream.stats') expect(sdk.stats().stream).toBeUndefined()
    expect([said, await outcomeOf(() => sdk.close())]).toEqual(expected)
    await quiet()
    expect(unhandled).toEqual([])
  })
})

/**
 * Limits without a short stream timeout, because a store on a disk answers late. The outbox, not the call, waits for
 * the stream.
 */
const STORED = { streamTimeoutMs: undefined, closeTimeoutMs: 60_000 }

/** Outcomes of a call, its message and `close()` with an outbox: stored at once, kept when the stream fails. */
// claim: own-code-4
describe('a call, its message and close() with an outbox', () => {
  it.each([
    ...each('publish', always(['ok', 'kept', 'ok'])).filter(([, fault]) => fault !== 'returns a symbol'),
    ...each('close', {
      throws: ['ok', 'delivered', 'STREAM_FAILED'],
      rejects: ['ok', 'delivered', 'STREAM_FAILED'],
      // The outbox waits up to its limit, and closes its store.
      hangs: ['ok', 'delivered', 'ok'],
      'returns a symbol': ['ok', 'delivered', 'ok'],
    }),
  ])('with a stream whose %s() %s, have the outcomes %j', async (method, fault, expected) => {
    const unhandled = unhandledRejections()
    const published: unknown[] = []
    const stream: StreamProvider = { publish: (message) => published.push(message), [method]: faulty(fault) }
    const box = outbox({ stream, store: newPlace(), closeTimeoutMs: SHORT_MS })
    const sdk = await openSdk({ ...options, ...STORED, stream: box, logger: loggerWith(fault) })
    const stored = await outcomeOf(() => sdk.create(payload))
    if (method === 'close') await expect.poll(() => box.stored.messages).toBe(0)
    const kept = box.stored.messages === 1 ? 'kept' : 'delivered'
    expect([stored, kept, await outcomeOf(() => sdk.close())]).toEqual(expected)
    await quiet()
    expect(unhandled).toEqual([])
  })

  it('settle when the stream accepts the message, even if the logger throws at each failed attempt', async () => {
    let failures = 3
    const stream = {
      publish: () => {
        if (failures-- > 0) throw new Error('away')
      },
    }
    const box = outbox({ stream, store: newPlace() })
    await using sdk = await openSdk({ ...options, ...STORED, stream: box, logger: loggerWith('throws') })
    await (await sdk.create(payload)).delivered
  })
})
