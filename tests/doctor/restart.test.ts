// @node-only: it restarts brokers

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CheckProgress, checkBroker } from 'alvarium-command/doctor'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type MosquittoOptions, startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { promised } from './losing.js'

async function start(options: MosquittoOptions) {
  const broker = await startMosquitto(options)
  onTestFinished(broker.stop)
  return broker
}

/** Checks a broker, and restarts it on request. */
async function checkRestart(options: MosquittoOptions) {
  const broker = await start(options)
  const onProgress = async ({ step }: CheckProgress) => {
    if (!step.startsWith('restart the broker now')) return
    await broker.terminate()
    await broker.start()
  }
  const report = await checkBroker({
    url: broker.tcpUrl,
    promises: ['broker-killed'],
    restart: true,
    onProgress,
  })
  return { ...report, ...promised(report, 'broker-killed') }
}

const LOGGING = [
  'log_type information',
  'autosave_on_changes true',
  'autosave_interval 100',
  'log_dest topic',
]

describe('checkBroker with the option restart', () => {
  // claim: delivery-56
  it('reports that persistence does not work if the broker forgot the subscriber in the restart', async () => {
    expect(await checkRestart({})).toMatchObject({
      verdict: 'no',
      holds: 'no',
      because: 'it forgot the subscriber when it was restarted',
      facts: { restart: { published: 10, received: 0, isSessionKept: false } },
      settings: [{ file: 'mosquitto.conf', lines: expect.arrayContaining(['persistence true']) }],
    })
  })

  it('reports that it cannot tell whether messages survive a crash, even if the messages have survived the restart', async () => {
    expect(await checkRestart({ isKept: true })).toMatchObject({
      holds: 'not-told',
      because: expect.stringContaining('it kept a subscriber and its messages through this restart'),
      facts: { restart: { published: 10, received: 10, isSessionKept: true } },
    })
  })

  it('reports persistence as unknown if nobody restarts the broker', async () => {
    const { tcpUrl } = await start({ isKept: true })
    const report = await checkBroker({
      url: tcpUrl,
      promises: ['broker-killed'],
      restart: true,
      messages: 1,
      timeoutMs: 3_000,
    })
    expect(report).toMatchObject({ verdict: 'unknown', promises: [{ holds: 'unknown' }] })
  })
})

describe('checkBroker, with a Mosquitto whose log is readable to clients,', () => {
  // claim: delivery-57
  it('reports, with a line of the log, that the broker cannot write into its persistence folder', async () => {
    const config = ['persistence true', 'persistence_location /there/is/none/', ...LOGGING]
    const { tcpUrl } = await start({ config })
    const report = await checkBroker({ url: tcpUrl, promises: ['broker-killed'] })
    expect(report.verdict).toBe('no')
    expect(promised(report, 'broker-killed')).toMatchObject({
      holds: 'no',
      because: expect.stringMatching(
        /^it cannot save its messages: its log says "Error saving in-memory database.*there/,
      ),
    })
  })

  it('reports no fault if the broker can write into its persistence folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-saving-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const config = ['persistence true', `persistence_location ${folder}/`, ...LOGGING]
    const { tcpUrl } = await start({ config })
    const report = await checkBroker({ url: tcpUrl, promises: ['broker-killed'] })
    expect(promised(report, 'broker-killed').holds).toBe('not-told')
  })
})
