import { openSdk, type StreamProvider, subscribe, tee } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { codeOf, failure } from '../support/failure.js'
import { newPlace } from '../support/places.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const open = async (stream: StreamProvider) =>
  closing(await openSdk({ signingKey: key.signingKey, annotators: [], stream }))
const closable = () => ({ publish: () => {}, close: vi.fn() })
const boxed = (stream: StreamProvider) => outbox({ stream, store: newPlace() })

const AROUND: [string, (stream: StreamProvider) => StreamProvider][] = [
  ['itself', (stream) => stream],
  ['inside of a tee', (stream) => tee({ publish: () => {} }, stream)],
  ['inside of an outbox', boxed],
  ['inside of an outbox in a tee', (stream) => tee(boxed(stream))],
]

describe('a stream with close()', () => {
  const pairs = AROUND.flatMap(([first, one]) =>
    AROUND.map(([second, other]) => ({ first, one, second, other })),
  )

  // claim: own-code-7
  it.each(pairs)(
    'that one SDK uses ($first) cannot be used by another ($second)',
    async ({ one, second, other }) => {
      const stream = closable()
      const owner = await open(one(stream))
      const got = second === 'itself' ? 'a stream' : 'a tee or an outbox with a stream'
      expect(await failure(() => open(other(stream)))).toMatchObject({
        code: 'CONFIG_INVALID',
        message: `stream: expected a stream that no other SDK uses, got ${got} that is in use: give each SDK its own`,
      })
      expect(stream.close).not.toHaveBeenCalled()
      await owner.close()
      await (await open(other(stream))).close()
      expect(stream.close).toHaveBeenCalledTimes(2)
    },
  )

  it('cannot be in two places of a tee', async () => {
    const stream = closable()
    expect(await codeOf(() => open(tee(stream, boxed(stream))))).toBe('CONFIG_INVALID')
  })

  it('can be used again after openSdk has rejected', async () => {
    const [stream, taken] = [closable(), closable()]
    await open(taken)
    expect(await codeOf(() => open(tee(stream, taken)))).toBe('CONFIG_INVALID')
    await expect(openSdk({ signingKey: 'x', annotators: [], stream })).rejects.toThrow('signingKey')
    await open(stream)
  })

  it('cannot be the checkpoint stream of two SDKs that are open at the same time', async () => {
    const stream = closable()
    const opened = () =>
      openSdk({
        signingKey: key.signingKey,
        annotators: [],
        stream: { publish: () => {} },
        checkpoints: checkpoints({ stream }),
      })
    const sdk = await opened()
    expect(await codeOf(opened)).toBe('CONFIG_INVALID')
    await sdk.close()
    await (await opened()).close()
    expect(stream.close).toHaveBeenCalledTimes(2)
  })

  it('can be used again if it could not be connected', async () => {
    const connect = vi.fn<() => void>().mockImplementationOnce(() => {
      throw new Error('not yet')
    })
    const stream = { ...closable(), connect }
    expect(await codeOf(() => open(stream))).toBe('STREAM_UNREACHABLE')
    await open(stream)
  })

  it('cannot be shared by several SDKs, but a stream without close() can', async () => {
    const stream = { publish: () => {} }
    await open(stream)
    await open(tee(stream))
  })
})

describe('a stream for dead letters', () => {
  // claim: own-code-8
  it('cannot be used by others while a subscription with it is open, and is closed only by that subscription', async () => {
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const deadLetter = closable()
    const one = () =>
      closing(
        subscribe({ url: broker.url, topic: 't', durable: false, keyring, deadLetter, closeTimeoutMs: 10 }),
      )
    const [first, second] = [one(), one()]
    await first.open()
    expect(await codeOf(() => second.open())).toBe('CONFIG_INVALID')
    expect(await codeOf(() => open(deadLetter))).toBe('CONFIG_INVALID')
    await second.close()
    expect(deadLetter.close).not.toHaveBeenCalled()
    await first.close()
    expect(deadLetter.close).toHaveBeenCalledOnce()
    await open(deadLetter)
  })
})
