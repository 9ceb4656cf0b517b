/** Transport through an MQTT broker, with the SDK's `mqtt()` and `subscribe()`. */
import type { Connection, Place } from '../protocol.ts'
import { type Keyring, mqtt, subscribe } from '../worker/sdk.ts'
import { troubleOf } from '../worker/trouble.ts'
import {
  type Heard,
  LONGEST_WAIT_MS,
  MOST_WAITING,
  MOST_WAITING_BYTES,
  type OpenReceiver,
  type OpenSender,
} from './transport.ts'

const RETRY_MS = 1000
const LONGEST_RETRY_MS = 8000

export const openSender: OpenSender = (place, onConnection) => {
  const stream = mqtt({
    ...place,
    maxInFlight: 256,
    maxQueuedMessages: MOST_WAITING,
    maxQueuedBytes: MOST_WAITING_BYTES,
    publishTimeoutMs: LONGEST_WAIT_MS,
  })
  stream.addEventListener('online', () => onConnection({ state: 'online' }))
  stream.addEventListener('offline', (event) => onConnection(offline((event as CustomEvent).detail)))
  keepTrying(onConnection, () => stream.connect())
  return stream
}

export const openReceiver: OpenReceiver = (place, keyring, heard) => {
  keepTrying(heard.connection, () => listen(place, keyring, heard))
}

/** Subscribes. Resolves when the subscription is active. */
async function listen(place: Place, keyring: Keyring, heard: Heard): Promise<void> {
  const bundles = subscribe({ ...place, keyring, durable: false })
  bundles.addEventListener('online', () => heard.connection({ state: 'online' }))
  bundles.addEventListener('offline', ({ detail }) => heard.connection(offline(detail)))
  bundles.addEventListener('rejected', ({ error, message }) => heard.rejected(error, message))
  await bundles.open()
  const receiving = async () => {
    for await (const bundle of bundles) heard.verified(bundle, bundle.message)
  }
  receiving().catch((error) => heard.connection(offline(error)))
}

/** Retries the first connection. After it, the SDK reconnects by itself. */
async function keepTrying(
  onConnection: (connection: Connection) => void,
  connect: () => Promise<void>,
): Promise<void> {
  for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
    onConnection({ state: 'connecting' })
    try {
      return await connect()
    } catch (error) {
      onConnection(offline(error))
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

function offline(error: unknown): Connection {
  return { state: 'offline', reason: troubleOf(error) }
}
