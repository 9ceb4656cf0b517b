import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { brokers } from '../brokers/brokers.js'
import { freePort } from '../brokers/ports.js'

/** Runs a program that has to end by itself: a timer or a socket that is left would keep it alive. */
async function run(program: string): Promise<string> {
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000 })
  return stdout.trim()
}

describe('a process', () => {
  it.each(brokers)('ends by itself after close(), with $name', async ({ start }) => {
    const broker = await start()
    try {
      const program = (url: string) => `
        import { mqtt } from 'alvarium-sdk'
        const stream = mqtt({ url: '${url}', topic: 't' })
        await stream.connect()
        await stream.publish(new Uint8Array(10))
        await stream.close()
        console.log('closed')`
      expect(await run(program(broker.url))).toBe('closed')
      expect(await run(program(broker.tcpUrl))).toBe('closed')
    } finally {
      await broker.stop()
    }
  })

  it.each(['ws', 'mqtt'])('ends by itself when there is no broker, over %s', async (scheme) => {
    const url = `${scheme}://127.0.0.1:${await freePort()}`
    const program = `
      import { mqtt } from 'alvarium-sdk'
      await mqtt({ url: '${url}', topic: 't' }).connect().catch((error) => console.log(error.code))`
    expect(await run(program)).toBe('STREAM_UNREACHABLE')
  })

  it('loads mqtt.js when it connects, not before', async () => {
    const program = `
      import { createRequire } from 'node:module'
      import { mqtt } from 'alvarium-sdk'
      const { cache } = createRequire(process.cwd() + '/x.js')
      const loaded = () => Object.keys(cache).some((file) => /node_modules.(mqtt|ws)\\W/.test(file))
      const stream = mqtt({ url: 'ws://127.0.0.1:1', topic: 't' })
      const before = loaded()
      await stream.connect().catch(() => {})
      console.log(before, loaded())`
    expect(await run(program)).toBe('false true')
  })
})
