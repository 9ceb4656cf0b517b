import { platform } from '../support/platform.js'
import { startEmbedded } from './embedded.js'
import { startMosquitto } from './mosquitto.js'

export interface BrokerOptions {
  /** The only user that may connect; if missing, any client may. */
  readonly username?: string
  readonly password?: string
}

/** A broker that a test can take down and bring back. */
export interface TestBroker {
  /** The WebSocket URL. */
  readonly url: string
  readonly tcpUrl: string
  /** Ends the broker as a crash would: no DISCONNECT to any client, no state saved. */
  kill(): Promise<void>
  /** Restarts it on the same ports. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** The brokers for tests of equal behaviour: one with MQTT 5, one with 3.1.1 only. */
export const brokers = [
  { name: 'Mosquitto', start: startMosquitto },
  { name: 'the embedded broker', start: startEmbedded },
]

/** Brokers per transport. A browser needs only one, because a WebSocket does not show which broker is behind it. */
export const brokersOfTransport = platform.name === 'node' ? brokers : brokers.slice(0, 1)
