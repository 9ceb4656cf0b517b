import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBroker } from 'alvarium-command/doctor'
import { expect, it, onTestFinished } from 'vitest'
import { answers, freePort } from '../../examples/broker/ports.mjs'
import { blocksOf } from './blocks.js'

const [conf, commands] = blocksOf('examples/guide/quick-start.md').filter(({ mark }) => mark === 'mosquitto')

/** Runs the commands of the page with other ports, in a folder that only this user can open. */
async function quickStart() {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-quick-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [tcp, web] = [await freePort(), await freePort()]
  const config = (conf?.code ?? '').replace('listener 1883', `listener ${tcp}`).replace('9001', `${web}`)
  await writeFile(join(folder, 'mosquitto.conf'), config)
  const script = (commands?.code ?? '').replace('mosquitto -c', 'exec mosquitto -c')
  let broker: ChildProcess | undefined
  const stop = async () => {
    if (broker?.kill('SIGTERM')) await once(broker, 'exit')
  }
  const start = async () => {
    const started = spawn('sh', ['-c', script], { cwd: folder, stdio: 'ignore' })
    broker = started
    const isOver = () => started.exitCode !== null
    await expect.poll(async () => isOver() || ((await answers(tcp)) && (await answers(web)))).toBe(true)
    expect(isOver()).toBe(false)
  }
  onTestFinished(stop)
  await start()
  return { url: `ws://127.0.0.1:${web}`, stop, start }
}

it("Mosquitto with the quick start's settings keeps a subscriber and its messages over a restart", async () => {
  const { url, stop, start } = await quickStart()
  const onProgress = async ({ step }: { step: string }) => {
    if (!step.startsWith('restart the broker now')) return
    await stop()
    await start()
  }
  const report = await checkBroker({ url, promises: ['broker-killed'], restart: true, onProgress })
  expect(report.facts).toMatchObject({
    saveFailure: undefined,
    restart: { received: 10, isSessionKept: true },
  })
})
