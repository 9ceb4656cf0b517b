// Stream for NATS JetStream. `create` and the other calls resolve when JetStream has stored their message.

import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'

/**
 * @param {{ servers: string, subject: string }} options `subject` must belong to a JetStream stream
 * @returns {import('alvarium-sdk').StreamProvider}
 */
export function jetStream({ servers, subject }) {
  /** @type {import('@nats-io/transport-node').NatsConnection | undefined} */
  let connection
  return {
    async connect() {
      connection = await connect({ servers })
    },
    async publish(message) {
      if (!connection) throw new Error('nats: not connected')
      await jetstream(connection).publish(subject, message)
    },
    async close() {
      await connection?.drain()
    },
    destination: { system: 'nats', name: subject },
  }
}
