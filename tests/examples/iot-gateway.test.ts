// @slow: it runs programs and pages as a user does

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { generateKey, keyOf, toHex, verifyMessages } from 'alvarium-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { freePort } from '../brokers/ports.js'
import { blocksOf } from '../guide/blocks.js'
import { utf8 } from '../support/bytes.js'
import { projectFolder } from '../support/project.js'

const script = fileURLToPath(new URL('../../examples/iot-gateway/gateway.mjs', import.meta.url))
const { signingKey, verifyingKey } = generateKey()
/** The number of readings that the gateway puts into one message. */
const BATCH = 60
const readings = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `{"celsius":${from + at}}`)

/** Makes a gateway's folder, and a function that starts it there. */
async function gateway() {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-gateway-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'private.key'), toHex(signingKey))
  const start = (broker: string, delayMs = 0, file = script): ChildProcess => {
    const env = { ...process.env, BROKER: broker, DELAY_MS: `${delayMs}` }
    const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  return { start, store: join(folder, 'outbox') }
}

/** Returns a broker, and the payload keys of the verified messages on its topic. */
async function subscribed() {
  const broker = await startBroker()
  onTestFinished(() => broker.close())
  const messages: Uint8Array[] = []
  broker.aedes.on('publish', ({ topic, payload }) => {
    if (topic === 'readings') messages.push(Buffer.from(payload))
  })
  const keys = async () => {
    const outcomes = await verifyMessages(messages, { keyring: [verifyingKey] })
    return outcomes.flatMap((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value.map(({ key }) => key)
    })
  }
  return { url: broker.url, keys }
}

const feed = (child: ChildProcess, lines: string[]) => child.stdin?.write(`${lines.join('\n')}\n`)
const keysOf = (lines: string[]) => lines.map((line) => keyOf(utf8(line)))
const nowhere = async () => `ws://127.0.0.1:${await freePort()}`

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return sizes.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}

// claim: gateway-1
it('the gateway keeps its annotated readings when it is killed, and sends them after a restart', async () => {
  const { start, store } = await gateway()
  const { url, keys } = await subscribed()
  const [before, after] = [readings(0, BATCH), readings(BATCH, 5)]
  const first = start(await nowhere(), 3_600_000)
  feed(first, before)
  await expect.poll(() => sizeOf(store)).toBeGreaterThan(200 * BATCH)
  first.kill('SIGKILL')
  await once(first, 'exit')

  const second = start(url)
  feed(second, after)
  await expect.poll(keys).toEqual(keysOf([...before, ...after]))
  second.stdin?.end()
  expect(await once(second, 'exit')).toEqual([0, null])
})

// claim: gateway-2
it('the gateway stores an incomplete batch on SIGTERM, and reports the number of readings in the batch', async () => {
  const { start, store } = await gateway()
  const { url, keys } = await subscribed()
  const lines = readings(0, BATCH + 3)
  const child = start(await nowhere(), 3_600_000)
  feed(child, lines) // in one piece: once a batch is stored, the gateway has read all lines
  await expect.poll(() => sizeOf(store)).toBeGreaterThan(200 * BATCH)
  const said = once(child.stdout as NodeJS.ReadableStream, 'data')
  child.kill('SIGTERM')
  expect(String(await said)).toBe(`stored ${lines.length} readings\n`)
  expect(await once(child, 'exit')).toEqual([0, null])
  start(url)
  await expect.poll(keys).toEqual(keysOf(lines))
})

it('the gateway ends on SIGTERM although its outbox is full, and reports readings that it did not annotate', async () => {
  const { start, store } = await gateway()
  const folder = await projectFolder('gateway')
  onTestFinished(() => rm(folder, { recursive: true }))
  const small = join(folder, 'gateway.mjs')
  await writeFile(
    small,
    readFileSync(script, 'utf8').replace('64 * 1024 * 1024', '20_000, closeTimeoutMs: 1'),
  )
  const child = start(await nowhere(), 0, small)
  const said = text(child.stderr as NodeJS.ReadableStream)
  const pressing = setInterval(() => feed(child, readings(0, 2_000)), 10)
  onTestFinished(() => clearInterval(pressing))
  child.stdin?.on('error', () => clearInterval(pressing)) // the gateway has stopped reading
  await expect.poll(() => sizeOf(store)).toBeGreaterThan(10_000)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(await said).toContain('not annotated: QUEUE_FULL')
})

it('the guide shows gateway.mjs as this test runs it', () => {
  const [block] = blocksOf('examples/guide/gateway.md').filter(({ mark }) => mark === 'gateway')
  expect(block?.code).toBe(readFileSync(script, 'utf8'))
})
