import { startMosquitto as start } from '../../examples/broker/mosquitto.mjs'
import type { BrokerOptions, TestBroker } from './brokers.js'

export interface MosquittoOptions extends BrokerOptions {
  /** With its own limit of 1,000 messages for a subscriber that is away. */
  readonly isDefault?: boolean
  /** More lines for mosquitto.conf. */
  readonly config?: readonly string[]
}

/** The Mosquitto of the examples, which runs in a process of its own. */
export async function startMosquitto(options: MosquittoOptions = {}): Promise<TestBroker> {
  const { url, tcpUrl, kill, start: restart, stop } = await start(options)
  return { url, tcpUrl, kill, restart, stop }
}
