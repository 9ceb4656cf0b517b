// @slow
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mqtt, openSdk, source, subscribe, toHex } from 'alvarium-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const KILLS = 5
const CALLS = 3_000

// claim: verifying-9
it('a subscriber that is killed many times loses nothing, and with dedup processes nothing twice', async () => {
  const broker = await startMosquitto()
  onTestFinished(broker.stop)
  const directory = await mkdtemp(join(tmpdir(), 'alvarium-killed-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'processed')
  const processed = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [])
  const start = () => {
    const options = { url: broker.url, verifyingKey: toHex(key.verifyingKey), file }
    const program = fileURLToPath(new URL('subscriber.mjs', import.meta.url))
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: 'inherit' })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  // The broker needs the session before the first call.
  const where = { url: broker.url, topic: 'killed', clientId: 'survivor', keyring }
  const introduced = subscribe(where)
  await introduced.open()
  await introduced.close()

  const stream = mqtt({ url: broker.url, topic: 'killed' })
  const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream }))
  const published = Promise.all(Array.from({ length: CALLS }, (_, at) => sdk.create(utf8(`${at}`))))
  let child: ChildProcess = start()
  for (let kill = 1; kill <= KILLS; kill++) {
    while (processed().length < (kill * CALLS) / (KILLS + 1)) await sleep(5)
    child.kill('SIGKILL')
    await once(child, 'exit')
    child = start()
  }
  const ids = new Set((await published).map(({ bundle }) => bundle.annotations[0]?.id))
  while (processed().length < CALLS) await sleep(10)
  // Repeated messages arrive before the newly published one.
  await sdk.create(utf8('the last one'))
  while (processed().length < CALLS + 1) await sleep(10)
  expect(ids.size).toBe(CALLS)
  expect(new Set(processed()).size).toBe(CALLS + 1)
  expect(processed().length).toBe(CALLS + 1)
})
