import { platform } from '../support/platform.js'
import { startEmbedded } from './embedded.js'
import { startMosquitto } from './mosquitto.js'

export interface BrokerOptions {
  /** Only this user is let in; without it everybody is. */
  readonly username?: string
  readonly password?: string
}

/** A broker that a test can take down and bring back. */
export interface TestBroker {
  /** Over WebSocket. */
  readonly url: string
  /** Over plain TCP. */
  readonly tcpUrl: string
  /** Ends it as a crash would: no goodbye to anybody, nothing kept. */
  kill(): Promise<void>
  /** Brings it back on the same ports. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Every broker the behaviour is the same with: one that speaks MQTT 5, one that speaks only 3.1.1. */
export const brokers = [
  { name: 'Mosquitto', start: startMosquitto },
  { name: 'the embedded broker', start: startEmbedded },
]

/** Brokers that show a transport: in a browser one of them, as a WebSocket does not know which broker it leads to. */
export const brokersOfTransport = platform.name === 'node' ? brokers : brokers.slice(0, 1)
