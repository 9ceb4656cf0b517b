import { startBroker } from '../../examples/broker/broker.mjs'

export interface SlowOptions {
  /** The number of messages that it acknowledges per turn, in the order of their arrival. */
  readonly perTurn: number
  readonly turnMs: number
}

export interface SlowBroker {
  readonly url: string
  acknowledged(): Promise<number>
  stop(): Promise<void>
}

export async function startSlow({ perTurn, turnMs }: SlowOptions): Promise<SlowBroker> {
  const broker = await startBroker()
  const waiting: (() => void)[] = []
  let acknowledged = 0
  broker.aedes.authorizePublish = (_client, _packet, done) => void waiting.push(() => done(null))
  const timer = setInterval(() => {
    for (const done of waiting.splice(0, perTurn)) {
      acknowledged++
      done()
    }
  }, turnMs)
  const stop = () => {
    clearInterval(timer)
    return broker.close()
  }
  return { url: broker.url, acknowledged: async () => acknowledged, stop }
}
