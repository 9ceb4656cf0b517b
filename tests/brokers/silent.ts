import { startBroker } from '../../examples/broker/broker.mjs'

/** A broker that accepts messages, and acknowledges none until the test asks it to. */
export interface SilentBroker {
  readonly url: string
  /** Acknowledges all messages so far, and from now on each. */
  speak(): Promise<void>
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
