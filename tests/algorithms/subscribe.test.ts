// @node-only: above the connection, all is the same in every engine

import { generateKey, type KeyPair, mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { utf8 } from '../support/bytes.js'

describe('a subscription to publishers with keys of every algorithm', () => {
  let broker: TestBroker
  let pairs: KeyPair[]
  beforeAll(async () => {
    broker = await startMosquitto()
    const others = (['P-256', 'secp256k1', 'SM2'] as const).map((algorithm) => generateKey({ algorithm }))
    pairs = [generateKey(), ...(await Promise.all(others))]
  })
  afterAll(() => broker.stop())

  /** Publishes one message by each key to a topic, and alters the second one in transit. */
  async function publish(topic: string) {
    const { url } = broker
    const raw = mqtt({ url, topic })
    await raw.connect()
    for (const { signingKey } of pairs) {
      const sdk = await openSdk({ signingKey, annotators: [source()], stream: mqtt({ url, topic }) })
      const { message } = await sdk.create(utf8('reading'))
      await sdk.close()
      const text = new TextDecoder().decode(message)
      await raw.publish(utf8(text.replace('"isSatisfied":true', '"isSatisfied":false')))
    }
    await raw.close()
  }

  async function received(topic: string, keyring: Uint8Array[], { prefetch = 1, bundles = 0, rejected = 0 }) {
    const loop = subscribe({ url: broker.url, topic, keyring, prefetch, durable: false })
    const signers: string[] = []
    const codes: string[] = []
    const isDone = () => signers.length >= bundles && codes.length >= rejected
    loop.addEventListener('rejected', ({ error }) => {
      codes.push(error.code)
      if (isDone()) void loop.close()
    })
    await loop.open()
    await publish(topic)
    for await (const { signer } of loop) {
      signers.push(signer)
      if (isDone()) break
    }
    await loop.close()
    return { signers, codes }
  }

  it.each([1, 8])(
    'with prefetch %i, delivers messages that verify, and rejects altered messages',
    async (prefetch) => {
      const keyring = pairs.map(({ verifyingKey }) => verifyingKey)
      const all = { prefetch, bundles: 4, rejected: 4 }
      const { signers, codes } = await received(`all-${prefetch}`, keyring, all)
      expect(signers).toEqual(pairs.map(({ keyId }) => keyId))
      expect(codes).toEqual(pairs.map(() => 'SIGNATURE_INVALID'))
    },
  )

  it('rejects messages of unknown signers, whatever the algorithm of their keys', async () => {
    const keyring = pairs.slice(1, 2).map(({ verifyingKey }) => verifyingKey)
    const { signers, codes } = await received('one', keyring, { bundles: 1, rejected: 7 })
    expect(signers).toEqual([pairs[1]?.keyId])
    expect(codes.toSorted()).toEqual(['SIGNATURE_INVALID', ...Array(6).fill('SIGNER_UNKNOWN')])
  })
})
