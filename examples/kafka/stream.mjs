// Stream for Kafka. `create` and the other calls resolve when all in-sync replicas have their message.

import { Kafka, logLevel } from 'kafkajs'

/**
 * @param {{ brokers: string[], topic: string }} options
 * @returns {import('alvarium-sdk').StreamProvider}
 */
export function kafka({ brokers, topic }) {
  const client = new Kafka({ clientId: 'alvarium', brokers, logLevel: logLevel.NOTHING })
  const producer = client.producer({ idempotent: true })
  return {
    connect: () => producer.connect(),
    async publish(message) {
      await producer.send({ topic, acks: -1, messages: [{ value: Buffer.from(message) }] })
    },
    close: () => producer.disconnect(),
    destination: { system: 'kafka', name: topic },
  }
}
