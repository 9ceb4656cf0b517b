import { startBroker } from '../../examples/broker/broker.mjs'
import type { BrokerOptions, TestBroker } from './brokers.js'
import { freePort } from './ports.js'

/** Starts the broker of examples/broker in this process. */
export async function startEmbedded(options: BrokerOptions = {}): Promise<TestBroker> {
  // Fixed ports, so that a restart finds them again.
  const ports = { port: await freePort(), tcpPort: await freePort() }
  let broker = await startBroker({ ...options, ...ports })
  const { url, tcpUrl } = broker
  const restart = async () => {
    broker = await startBroker({ ...options, ...ports })
  }
  return { url, tcpUrl, kill: () => broker.close(), restart, stop: () => broker.close() }
}
