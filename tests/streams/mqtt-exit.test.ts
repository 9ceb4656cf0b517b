// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { brokers } from '../brokers/brokers.js'
import { freePort } from '../brokers/ports.js'

/** Module that makes every timer of a second or more take an hour. */
const SLOW_TIMERS = `data:text/javascript,${encodeURIComponent(`
  const { setTimeout } = globalThis
  globalThis.setTimeout = (act, ms, ...more) => setTimeout(act, ms >= 1_000 ? 3_600_000 : ms, ...more)`)}`

/** Runs a program that must exit without help: a leftover timer or socket keeps it alive beyond the time limit. */
async function run(program: string): Promise<string> {
  const args = ['--import', SLOW_TIMERS, '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  return stdout.trim()
}

describe('a process that uses the SDK', () => {
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

  it.each(brokers)(
    'ends by itself after a subscription is closed and its loop has ended, with $name',
    async ({ start }) => {
      const broker = await start()
      try {
        const program = `
        import { subscribe } from 'alvarium-sdk'
        const where = { url: '${broker.url}', topic: 't' }
        const bundles = subscribe({ ...where, keyring: [], durable: false })
        await bundles.open()
        await bundles.close()
        for await (const _ of bundles);
        console.log('left')`
        expect(await run(program)).toBe('left')
      } finally {
        await broker.stop()
      }
    },
  )

  it('ends by itself, without close(), when its calls have resolved', async () => {
    const program = `
      import { generateKey, openSdk, signBytes } from 'alvarium-sdk'
      const key = generateKey()
      const signingKey = {
        verifyingKey: key.verifyingKey,
        sign: async (identity) => signBytes(key.signingKey, identity),
      }
      const sdk = await openSdk({
        signingKey,
        annotators: [{ kind: 'late', isSatisfied: async () => true }],
        stream: { publish() {} },
        batch: { maxBundles: 2, maxDelayMs: 60_000 },
      })
      const receipts = await Promise.all([1, 2].map((byte) => sdk.create(Uint8Array.of(byte))))
      console.log(receipts.map(({ bundle }) => bundle.annotations[0].isSatisfied).join())`
    expect(await run(program)).toBe('true,true')
  })

  it('loads mqtt.js only when it connects', async () => {
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
