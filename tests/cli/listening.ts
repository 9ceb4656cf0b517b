import { mqtt } from 'alvarium-sdk'
import { afterAll, beforeAll } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { alvarium, type How, type Ran } from './command.js'

type Broker = Awaited<ReturnType<typeof startBroker>>

export function brokerForAll(): () => Broker {
  let broker: Broker
  beforeAll(async () => {
    broker = await startBroker()
  })
  afterAll(() => broker.close())
  return () => broker
}

/** Runs a command, publishes when it listens, and returns its output. */
export async function whileListening(
  { aedes }: Broker,
  args: readonly string[],
  publish: () => Promise<unknown>,
  how: How = {},
): Promise<Ran> {
  const subscribed = new Promise((resolve) => aedes.once('subscribe', resolve))
  const running = alvarium(args, how)
  await subscribed
  await publish()
  return running
}

/** Publishes messages unchanged, one after another. */
export async function publishTo(
  { url }: Broker,
  topic: string,
  messages: readonly Uint8Array[],
): Promise<void> {
  const stream = mqtt({ url, topic })
  await stream.connect()
  for (const message of messages) await stream.publish(message)
  await stream.close()
}
