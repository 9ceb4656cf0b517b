import { startMosquitto as start } from '../../examples/broker/mosquitto.mjs'
import type { BrokerOptions, TestBroker } from './brokers.js'

export interface MosquittoOptions extends BrokerOptions {
  /** True for Mosquitto's own limit of 1,000 messages for a disconnected subscriber. */
  readonly isDefault?: boolean
  /** More lines for mosquitto.conf. */
  readonly config?: readonly string[]
}

/** Starts the Mosquitto of the examples, in its own process. */
export async function startMosquitto(options: MosquittoOptions = {}): Promise<TestBroker> {
  const { url, tcpUrl, kill, start: restart, stop } = await start(options)
  return { url, tcpUrl, kill, restart, stop }
}
