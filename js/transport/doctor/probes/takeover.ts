import type { IDisconnectPacket } from 'mqtt'
import { AlvariumError } from '../../../foundation/base/errors.js'
import { withResolvers } from '../../../foundation/base/time/promises.js'
import type { BrokerFacts } from '../report.js'
import type { CheckSession } from '../visit.js'

const ENDED_MS = 3_000
/** Reason code "Session taken over" (MQTT 5, 3.14.2.1). */
const TAKEN_OVER = 0x8e

/** Tests the broker's reaction to a second client with the `clientId` of a connected client. */
export async function probeTakeover(visit: CheckSession): Promise<BrokerFacts['takeover']> {
  const told = withResolvers<IDisconnectPacket['reasonCode']>()
  const onDisconnect = ({ reasonCode }: IDisconnectPacket) => told.resolve(reasonCode)
  const first = await visit.connect('twice', { onDisconnect })
  const second = await visit.connect('twice').catch(refusal)
  if (!second) {
    await first.end()
    return 'refused'
  }
  const isOver = await first.sees(Promise.race([first.lost, told.promise]), ENDED_MS)
  await Promise.all([first.end(), second.end()])
  if (!isOver) return 'both'
  return (await Promise.race([told.promise, undefined])) === TAKEN_OVER ? 'told' : 'silent'
}

function refusal(error: unknown): undefined {
  if (error instanceof AlvariumError && error.code === 'STREAM_UNREACHABLE') return undefined
  throw error
}
