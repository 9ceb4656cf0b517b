import { AlvariumError, memory, openSdk, signBytes, source } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { failure } from '../support/failure.js'
import { key } from '../support/sdk.js'

const payload = utf8('hello')
const received = async (answer: unknown) => {
  const sdk = await openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    stream: { publish: () => answer },
  })
  return sdk.create(payload)
}

/** Returns a receipt that rejects on access. Earlier, Node would report an unhandled rejection. */
const givenUp = (reason: unknown) => ({
  get delivered() {
    return Promise.reject(reason)
  },
})

describe('the promise `delivered` of a receipt', () => {
  it.each([undefined, null, 0, 'delivered', true, {}, { id: 7 }, { delivered: undefined }])(
    'resolves when the stream accepts the message with the answer %j',
    async (answer) => {
      expect(await (await received(answer)).delivered).toBeUndefined()
    },
  )

  it('resolves only when the stream reports the delivery, if that is later than the acceptance', async () => {
    const arrival = deferred<void>()
    const { delivered } = await received({ delivered: arrival.promise })
    expect(await Promise.race([delivered.then(() => 'arrived'), quiet().then(() => 'not yet')])).toBe(
      'not yet',
    )
    arrival.resolve()
    expect(await delivered).toBeUndefined()
  })

  it('rejects with the AlvariumError of a stream that gives up the message, and wraps any other error in an AlvariumError', async () => {
    const own = new AlvariumError('STREAM_TIMEOUT', 'given up')
    await expect((await received(givenUp(own))).delivered).rejects.toBe(own)
    for (const reason of [new Error('given up'), 'given up', undefined]) {
      const receipt = await received(givenUp(reason))
      const error = await failure(() => receipt.delivered)
      expect(error).toBeInstanceOf(AlvariumError)
      expect(error).toMatchObject({ code: 'STREAM_FAILED', cause: reason })
    }
  })

  it("rejects if the property `delivered` of the stream's answer throws", async () => {
    const reason = new Error('no')
    const receipt = await received({
      get delivered() {
        throw reason
      },
    })
    expect(await failure(() => receipt.delivered)).toMatchObject({ code: 'STREAM_FAILED', cause: reason })
  })
})

it.each([
  ['one by one', {}],
  ['in batches', { batch: { maxDelayMs: 1 } }],
  [
    'by an external signer',
    {
      signingKey: {
        verifyingKey: key.verifyingKey,
        sign: (bytes: Uint8Array) => signBytes(key.signingKey, bytes),
      },
    },
  ],
])(
  'the signing time of calls in sdk.stats() is at most their duration if they are signed %s',
  async (_, options) => {
    const since = performance.now()
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: memory(), ...options })
    await Promise.all([sdk.create(payload), sdk.create(payload)])
    await sdk.close()
    const { maxMs } = sdk.stats().seal
    expect(maxMs).toBeLessThanOrEqual(performance.now() - since)
  },
)
