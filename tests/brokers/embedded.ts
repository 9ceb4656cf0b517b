import { startBroker } from '../../examples/broker/broker.mjs'
import type { BrokerOptions, TestBroker } from './brokers.js'
import { freePort } from './ports.js'

/** The broker of examples/broker, in this process. */
export async function startEmbedded(options: BrokerOptions = {}): Promise<TestBroker> {
  // Ports of its own, to which it can come back.
  const ports = { port: await freePort(), tcpPort: await freePort() }
  let broker = await startBroker({ ...options, ...ports })
  const { url, tcpUrl } = broker
  const restart = async () => {
    broker = await startBroker({ ...options, ...ports })
  }
  return { url, tcpUrl, kill: () => broker.close(), restart, stop: () => broker.close() }
}
