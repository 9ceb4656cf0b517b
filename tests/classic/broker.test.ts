import { classic, mqtt, openSdk, source, subscribe, verifyClassic } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { DIALECTS, verifiedOf } from '../support/classic.js'
import { key, keyring } from '../support/sdk.js'

const topic = 'alvarium'
const { signingKey } = key

describe.each(DIALECTS)('an SDK that publishes classic messages of the %s dialect to a broker', (dialect) => {
  it('publishes messages that verifyClassic verifies at a consumer', async () => {
    const broker = await startEmbedded()
    const consumer = await witness(broker.url, topic)
    try {
      const sdk = await openSdk({
        signingKey,
        annotators: [source()],
        tag: '',
        stream: mqtt({ url: broker.url, topic }),
        codec: classic({ signingKey, dialect }),
      })
      const payloads = ['a', 'b', 'c'].map(utf8)
      await Promise.all(payloads.map((payload) => sdk.create(payload)))
      await sdk.close()
      const messages = await consumer.untilEnd()
      expect(messages).toHaveLength(3)
      for (const [at, message] of messages.entries()) {
        const verified = await verifyClassic(utf8(message), { keyring, payload: payloads[at] })
        expect(verified).toMatchObject({ action: 'create', dialect })
        expect(verifiedOf(verified)).toMatchObject([{ kind: 'src', signer: key.keyId, payloadChecked: true }])
      }
    } finally {
      await consumer.close()
      await broker.stop()
    }
  })
})

it('subscribe(), which reads only bundles, rejects classic messages, and passes them to the listener of rejected messages', async () => {
  const broker = await startEmbedded()
  const bundles = subscribe({ url: broker.url, topic, keyring, durable: false })
  try {
    await bundles.open()
    const rejected = new Promise<Uint8Array>((resolve) => {
      bundles.addEventListener('rejected', ({ message }) => resolve(message), { once: true })
    })
    const next = bundles[Symbol.asyncIterator]().next()
    const stream = mqtt({ url: broker.url, topic })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, codec: classic({ signingKey }) })
    const payload = utf8('hello')
    await sdk.create(payload)
    expect(verifiedOf(await verifyClassic(await rejected, { keyring, payload }))).toHaveLength(1)
    await sdk.close()
    await bundles.close()
    await next
  } finally {
    await bundles.close()
    await broker.stop()
  }
})
