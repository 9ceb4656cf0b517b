// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { mqtt } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Broker, startBroker } from '../../examples/broker/broker.mjs'
import { selfSigned } from '../brokers/certificate.js'

const message = new TextEncoder().encode('over TLS')

describe.each(['url', 'tcpUrl'] as const)(
  'mqtt over TLS with the embedded broker (address: %s)',
  (address) => {
    const tls = selfSigned()
    let broker: Broker
    beforeAll(async () => {
      broker = await startBroker({ tls })
    })
    afterAll(() => broker.close())

    it('delivers to a broker whose certificate authority is in tls.ca', async () => {
      const stream = mqtt({ url: broker[address], topic: 't', tls: { ca: tls.cert } })
      await stream.connect()
      await stream.publish(message)
      await stream.close()
    })

    it('accepts the certificate authority as bytes', async () => {
      const stream = mqtt({
        url: broker[address],
        topic: 't',
        tls: { ca: new TextEncoder().encode(tls.cert) },
      })
      await stream.connect()
      await stream.close()
    })

    it('refuses a broker whose certificate is invalid', async () => {
      const stream = mqtt({ url: broker[address], topic: 't' })
      const error = await stream.connect().catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'STREAM_UNREACHABLE' })
      expect(error.message).toMatch(/self-signed certificate/)
      await stream.close()
    })

    it('accepts an invalid certificate with rejectUnauthorized: false', async () => {
      const stream = mqtt({ url: broker[address], topic: 't', tls: { rejectUnauthorized: false } })
      await stream.connect()
      await stream.publish(message)
      await stream.close()
    })
  },
)
