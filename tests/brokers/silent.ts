import { startBroker } from '../../examples/broker/broker.mjs'

/** A broker that takes messages and never acknowledges one, until it is told to. */
export interface SilentBroker {
  readonly url: string
  /** Acknowledges what has come, and from now on everything. */
  speak(): Promise<void>
  /** Resolves when a message has come. */
  heard(): Promise<void>
  stop(): Promise<void>
}

export async function startSilent(): Promise<SilentBroker> {
  const broker = await startBroker()
  const waiting: (() => void)[] = []
  let silent = true
  let tell = () => {}
  broker.aedes.authorizePublish = (_client, _packet, done) => {
    if (!silent) return done(null)
    waiting.push(() => done(null))
    tell()
  }
  const speak = async () => {
    silent = false
    for (const done of waiting.splice(0)) done()
  }
  const heard = () =>
    new Promise<void>((resolve) => {
      tell = resolve
      if (waiting.length > 0) resolve()
    })
  return { url: broker.url, speak, heard, stop: broker.close }
}
