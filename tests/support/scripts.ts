import { onTestFinished } from 'vitest'
import { packet, type ScriptedBroker, startScripted } from '../brokers/scripted.js'

export { until } from './until.js'

export type Answers = NonNullable<Parameters<typeof startScripted>[0]>

/** What a broker of MQTT 3.1.1 says to CONNECT. */
export const ACCEPTED = packet('connack', [0, 0])
export const REFUSED = packet('connack', [0, 5])

/** A broker that answers as it is told, until the test is over. */
export async function scripted(answers: Answers = {}, over?: 'mqtt' | 'ws'): Promise<ScriptedBroker> {
  const broker = await startScripted(answers, over)
  onTestFinished(broker.stop)
  return broker
}

/** How many connections it was asked for. */
export const connects = ({ heard }: ScriptedBroker) => heard.filter(({ name }) => name === 'connect').length
