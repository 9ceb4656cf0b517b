// @own-process: it counts unhandled rejections of the process
import { mqtt, openSdk, source, subscribe, tee } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { newPlace } from '../support/places.js'
import { closing, sender } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'
import { outcomeOf, unhandledRejections } from './faults.js'

const payload = utf8('a')
/** Returns a stream that answers on request, with a `delivered` promise that is rejected. */
function unkept() {
  const answer = deferred<{ delivered: Promise<void> }>()
  const said = () => answer.resolve({ delivered: Promise.reject(new Error('not delivered')) })
  return { publish: () => answer.promise, said }
}
const openWith = (stream: Parameters<typeof openSdk>[0]['stream'], limits = {}) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream, ...limits })

describe("a receipt's rejected promise `delivered` that nobody reads", () => {
  it('causes no unhandled rejection after the call has timed out', async () => {
    const [stream, unhandled] = [unkept(), unhandledRejections()]
    const sdk = closing(await openWith(stream, { streamTimeoutMs: 1 }))
    expect(await outcomeOf(() => sdk.create(payload))).toBe('STREAM_TIMEOUT')
    stream.said()
    await quiet()
    expect(unhandled).toEqual([])
  })

  it('causes no unhandled rejection after close()', async () => {
    const [stream, unhandled] = [unkept(), unhandledRejections()]
    const sdk = await openWith(stream, { closeTimeoutMs: 1 })
    const call = outcomeOf(() => sdk.create(payload))
    await sdk.close()
    expect(await call).toBe('STREAM_CLOSED')
    stream.said()
    await quiet()
    expect(unhandled).toEqual([])
  })

  it('causes no unhandled rejection behind an outbox', async () => {
    const [stream, unhandled] = [unkept(), unhandledRejections()]
    const sdk = closing(await openWith(outbox({ stream, store: newPlace() })))
    const { delivered } = await sdk.create(payload)
    stream.said()
    await delivered
    await quiet()
    expect(unhandled).toEqual([])
  })

  it('causes no unhandled rejection for a dead letter', async () => {
    const [stream, unhandled] = [unkept(), unhandledRejections()]
    const publish = vi.spyOn(stream, 'publish')
    const broker = await startEmbedded()
    onTestFinished(broker.stop)
    const where = { url: broker.url, topic: 't' }
    const bundles = closing(subscribe({ ...where, keyring, clientId: 'one', deadLetter: stream }))
    const next = bundles[Symbol.asyncIterator]().next()
    await bundles.open()
    await (await sender(where.url, 't')).publish(payload)
    await vi.waitFor(() => expect(publish).toHaveBeenCalled())
    stream.said()
    // The bundle arrives after the dead letter.
    const sdk = closing(await openWith(mqtt(where)))
    await sdk.create(payload)
    await next
    expect(unhandled).toEqual([])
  })

  it('causes no unhandled rejection behind a tee with a slower second stream', async () => {
    const [stream, slow, unhandled] = [unkept(), deferred(), unhandledRejections()]
    const sdk = closing(await openWith(tee(stream, { publish: () => slow.promise })))
    const call = outcomeOf(() => sdk.create(payload))
    stream.said()
    await quiet()
    slow.reject(new Error('no room'))
    expect(await call).toBe('STREAM_FAILED')
    expect(unhandled).toEqual([])
  })
})

it('an onProgress that rejects causes no unhandled rejection', async () => {
  const unhandled = unhandledRejections()
  const sdk = closing(await openWith({ publish: () => {} }))
  const onProgress = async () => {
    throw new Error('no counter')
  }
  await sdk.mutate(new Blob(['a']), new Blob(['b']), { onProgress })
  await quiet()
  expect(unhandled).toEqual([])
})
