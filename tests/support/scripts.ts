import { onTestFinished } from 'vitest'
import { packet, type ScriptedBroker, startScripted } from '../brokers/scripted.js'

export { until } from './until.js'

export type Answers = NonNullable<Parameters<typeof startScripted>[0]>

/** Answers of an MQTT 3.1.1 broker to CONNECT. */
export const ACCEPTED = packet('connack', [0, 0])
export const REFUSED = packet('connack', [0, 5])

/** Starts a broker with scripted answers, until the test is over. */
export async function scripted(answers: Answers = {}, over?: 'mqtt' | 'ws'): Promise<ScriptedBroker> {
  const broker = await startScripted(answers, over)
  onTestFinished(broker.stop)
  return broker
}

export const connects = ({ heard }: ScriptedBroker) => heard.filter(({ name }) => name === 'connect').length
