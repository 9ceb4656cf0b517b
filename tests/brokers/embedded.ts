import { startBroker } from '../../examples/broker/broker.mjs'
import type { BrokerOptions, TestBroker } from './brokers.js'

/** The broker of examples/broker, in this process. */
export async function startEmbedded(options: BrokerOptions = {}): Promise<TestBroker> {
  let broker = await startBroker(options)
  const { url, tcpUrl, port, tcpPort } = broker
  const restart = async () => {
    broker = await startBroker({ ...options, port, tcpPort })
  }
  return { url, tcpUrl, kill: () => broker.close(), restart, stop: () => broker.close() }
}
