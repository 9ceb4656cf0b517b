import { startBroker } from '../../examples/broker/broker.mjs'

export interface SlowOptions {
  /** Messages that it acknowledges at a time, in the order in which they came. */
  readonly perTurn: number
  /** Milliseconds from one time to the next. */
  readonly turnMs: number
}

/** A broker that takes only so many messages in a given time. */
export interface SlowBroker {
  readonly url: string
  /** How many messages it has acknowledged so far. */
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
