// @slow: it kills brokers and starts them again
// @node-only: it sets up brokers and looks into them

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrokerReport, checkBroker } from 'alvarium-command/doctor'
import { subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type MosquittoOptions, startMosquitto } from '../brokers/mosquitto.js'
import { blocksOf } from '../guide/blocks.js'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { keptWhileAway, leave, promised, publisher, verdicts } from './losing.js'

const CALLS = 3_000

async function started(options: MosquittoOptions) {
  const broker = await startMosquitto(options)
  onTestFinished(broker.stop)
  return broker
}

/** Returns a report's lines of mosquitto.conf for these promises. */
async function fixed(report: BrokerReport, ...names: Parameters<typeof promised>[1][]) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const lines = names.flatMap((name) => promised(report, name).settings.flatMap((one) => one.lines))
  return lines.map((line) => line.replace('/var/lib/mosquitto/', `${folder}/`))
}

describe('checkBroker, with a default Mosquitto,', { timeout: 120_000 }, () => {
  // claim: delivery-49
  it('reports correctly how many messages the broker queues for an absent subscriber', async () => {
    const broker = await started({ isDefault: true })
    const report = await checkBroker({ url: broker.tcpUrl })
    expect(report).toMatchObject({ verdict: 'no', failures: [] })
    expect(report.facts).toMatchObject({
      protocolVersion: 5,
      isEncrypted: false,
      software: { name: 'Mosquitto', version: expect.stringMatching(/^\d+\.\d+/) },
      announced: { receiveMaximum: 20, maximumQos: 2 },
      publishQos: 2,
      subscribeQos: 2,
      takeover: 'silent',
      backlog: {
        published: 1_500,
        acknowledged: 1_500,
        kept: 1_000,
        isSessionKept: true,
        isRedelivered: true,
      },
    })
    expect(verdicts(report)).toEqual({
      accepted: 'yes',
      'subscriber-killed': 'no',
      order: 'yes',
      'broker-killed': 'not-told',
      retained: 'yes',
      group: 'yes',
      'large-message': 'yes',
    })
    const expected = report.facts.backlog?.kept as number
    expect(await keptWhileAway({ publishTo: broker.tcpUrl }, { calls: CALLS, expected })).toBe(1_000)
  })

  it('prints the lines for mosquitto.conf with which the broker keeps all messages', async () => {
    const before = await started({ isDefault: true })
    const report = await checkBroker({ url: before.tcpUrl, promises: ['subscriber-killed'], messages: 1_100 })
    const config = await fixed(report, 'subscriber-killed')
    const broker = await started({ isDefault: true, config })
    const after = await checkBroker({ url: broker.tcpUrl, messages: CALLS })
    expect(after).toMatchObject({ verdict: 'yes', facts: { backlog: { kept: CALLS } } })
    expect(await keptWhileAway({ publishTo: broker.tcpUrl }, { calls: CALLS, expected: CALLS })).toBe(CALLS)
  })

  it('finds nothing to change in the mosquitto.conf of the quick start', async () => {
    const [conf] = blocksOf('examples/guide/quick-start.md').filter(({ language }) => language === 'ini')
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-quick-start-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const lines = (conf?.code ?? '').trimEnd().split('\n')
    // The test has its own listeners and access rules.
    const isOfTest = (line: string) => /^(listener|protocol|allow_anonymous) /.test(line)
    const rest = lines.filter((line) => !isOfTest(line)).map((line) => line.replace('./', `${folder}/`))
    expect(lines.length - rest.length).toBe(4)
    const broker = await started({ isDefault: true, config: rest })
    expect(await checkBroker({ url: broker.url })).toMatchObject({ verdict: 'yes', failures: [] })
    expect(await keptThroughKill(broker)).toBeGreaterThanOrEqual(100)
  })

  it('detects a limit of 1,600 queued messages only if the option `messages` is above the limit', async () => {
    const broker = await started({ config: ['max_queued_messages 1600'] })
    const promises = ['subscriber-killed'] as const
    const usual = await checkBroker({ url: broker.tcpUrl, promises })
    const more = await checkBroker({ url: broker.tcpUrl, promises, messages: 2_000 })
    expect([usual.verdict, more.verdict, more.facts.backlog?.kept]).toEqual(['yes', 'no', 1_600])
    expect(promised(usual, 'subscriber-killed').because).toContain('it may have a limit above that')
  })

  it('prints the lines for mosquitto.conf with which nearly all messages survive kill -9', async () => {
    const report = await checkBroker({ url: (await started({ isDefault: true })).tcpUrl, messages: 1 })
    const all = await fixed(report, 'broker-killed')
    const withoutSaving = all.filter((line) => !line.startsWith('autosave'))
    expect(await keptThroughKill(await started({ config: withoutSaving }))).toBe(0)
    expect(await keptThroughKill(await started({ config: all }))).toBeGreaterThanOrEqual(195)
  })
})

/** Returns how many of 200 messages for a disconnected subscriber arrive after a kill of the broker. */
async function keptThroughKill(broker: Awaited<ReturnType<typeof started>>): Promise<number> {
  const where = await leave(broker.tcpUrl, 'killed')
  const sdk = await publisher(broker.tcpUrl, 'killed')
  for (let call = 0; call < 200; call++) await sdk.create(utf8(`${call}`))
  await broker.kill()
  await broker.restart()
  const bundles = closing(subscribe(where))
  await bundles.open()
  const last = (await sdk.create(utf8('the last one'))).bundle.key
  let came = 0
  for await (const { key } of bundles) {
    if (key === last) break
    came += 1
  }
  return came
}
