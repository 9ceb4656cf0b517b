// @browser: WebSocket is the browser's own, incoming

import { mqtt, openSdk, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { countAbortListeners } from '../support/abort-listeners.js'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const oops = new Error('oops')
const throws = () => {
  throw oops
}
const rejects = async () => throws()
const loggerOf = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })

async function where() {
  const broker = await startEmbedded()
  onTestFinished(broker.stop)
  return { url: broker.url, topic: 't' }
}

it('a subscription that is closed does not listen to its signal any more', async () => {
  const { signal } = new AbortController()
  const listening = countAbortListeners()
  const bundles = subscribe({ url: 'ws://127.0.0.1:1', topic: 't', durable: false, keyring, signal })
  await vi.waitUntil(() => listening() > 0)
  await bundles.close()
  expect(listening()).toBe(0)
})

describe.each([
  ['throws', throws],
  ['rejects', rejects],
])('a listener that %s', (_, listener) => {
  it('has its error logged by a subscription, and does not affect other code', async () => {
    const [place, logger] = [await where(), loggerOf()]
    const bundles = closing(subscribe({ ...place, keyring, logger, durable: false }))
    bundles.addEventListener('online', listener)
    bundles.addEventListener('rejected', listener)
    await bundles.open()
    const stream = closing(mqtt(place))
    const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators: [], stream }))
    await stream.publish(utf8('hello'))
    const { bundle } = await sdk.create(utf8('a'))
    for await (const received of bundles) {
      expect(received.key).toBe(bundle.key)
      break
    }
    const told = logger.error.mock.calls.map(([fields, text]) => ({ ...fields, text }))
    expect(told).toEqual(
      ['online', 'rejected'].map((event) => ({ err: oops, event, text: 'a listener threw' })),
    )
  })

  it('has its error logged by a stream and by an SDK, and does not affect other code', async () => {
    const [place, logger] = [await where(), loggerOf()]
    const stream = mqtt(place)
    stream.addEventListener('online', { handleEvent: listener })
    const annotators = [{ kind: 'broken', isSatisfied: throws }]
    const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators, stream, logger }))
    sdk.addEventListener('annotatorerror', listener)
    await sdk.create(utf8('a'))
    const events = logger.error.mock.calls.flatMap(([{ event, err }]) => (err === oops ? [event] : []))
    expect(events).toEqual(['online', 'annotatorerror'])
  })
})
