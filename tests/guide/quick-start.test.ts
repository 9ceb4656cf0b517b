import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { answers, freePort } from '../../examples/broker/ports.mjs'
import { blocksOf } from './blocks.js'

it('Mosquitto starts with the mosquitto.conf of the quick start, alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-quick-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [tcp, web] = [await freePort(), await freePort()]
  const [block] = blocksOf('examples/guide/quick-start.md').filter(({ mark }) => mark === 'mosquitto')
  const config = (block?.code ?? '').replace('listener 1883', `listener ${tcp}`).replace('9001', `${web}`)
  // Started by root it would change to a user that cannot write here.
  await writeFile(join(folder, 'mosquitto.conf'), `${config}user root\n`)
  const broker = spawn('mosquitto', ['-c', 'mosquitto.conf'], { cwd: folder, stdio: 'ignore' })
  let isOver = false
  const ended = once(broker, 'exit').then(() => {
    isOver = true
  })
  onTestFinished(async () => {
    broker.kill('SIGTERM')
    await ended
  })
  await expect.poll(async () => isOver || ((await answers(tcp)) && (await answers(web)))).toBe(true)
  expect(isOver).toBe(false)
})
