// @slow: it kills brokers and starts them again
// @node-only: it sets up brokers and looks into them

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBroker } from 'alvarium-command/doctor'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { promised } from './losing.js'

async function started(config: readonly string[]) {
  const broker = await startMosquitto({ config })
  onTestFinished(broker.stop)
  return broker
}

describe('checkBroker, with a Mosquitto that has limits,', { timeout: 120_000 }, () => {
  it.each<[config: string, protocolVersion: 4 | 5, name: Parameters<typeof promised>[1], because: RegExp]>([
    [
      'message_size_limit 70000',
      5,
      'large-message',
      /131,072 bytes did not arrive.*one of 65,536 bytes arrived/,
    ],
    [
      'message_size_limit 70000',
      4,
      'large-message',
      /131,072 bytes did not arrive.*one of 65,536 bytes arrived/,
    ],
    [
      'max_packet_size 50000',
      5,
      'large-message',
      /packets of at most 50000 bytes.*one of 49,744 bytes arrived/,
    ],
    ['max_packet_size 50000', 4, 'large-message', /ended the connection.*one of 32,768 bytes arrived/],
    ['retain_available false', 5, 'retained', /a later subscriber did not receive it/],
    ['retain_available false', 4, 'retained', /a later subscriber did not receive it/],
    ['max_queued_bytes 300000', 5, 'subscriber-killed', /kept \d{3}$/],
  ])('detects the limit "%s" over MQTT %i', async (line, protocolVersion, name, because) => {
    const broker = await started([line])
    const report = await checkBroker({ url: broker.tcpUrl, protocolVersion, promises: [name] })
    expect(report.verdict).toBe('no')
    expect(promised(report, name)).toMatchObject({ holds: 'no', because: expect.stringMatching(because) })
  })

  it.each([5, 4] as const)('detects the limit max_qos over MQTT %i', async (protocolVersion) => {
    const broker = await started(['max_qos 1'])
    const url = broker.tcpUrl
    const atLeastOnce = await checkBroker({ url, protocolVersion, promises: ['accepted'] })
    const once = await checkBroker({ url, protocolVersion, promises: ['accepted'], qos: 2 })
    expect([atLeastOnce.verdict, atLeastOnce.facts.publishQos]).toEqual(['yes', 1])
    expect(promised(once, 'accepted')).toMatchObject({
      holds: 'no',
      because: 'it accepts messages with QoS 1 at most, but qos is 2',
      settings: [{ file: 'mosquitto.conf', lines: ['max_qos 2'] }],
    })
  })

  it('reports the limits that the broker announces', async () => {
    const broker = await started(['max_keepalive 30', 'max_inflight_messages 5'])
    const { facts } = await checkBroker({ url: broker.tcpUrl, promises: ['accepted'], keepAliveSeconds: 60 })
    expect(facts.announced).toMatchObject({ serverKeepAliveSeconds: 30, receiveMaximum: 5 })
  })

  it('reports "unknown", with the reason, if the broker forbids the topics of the check', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-doctor-acl-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'acl')
    await writeFile(file, 'topic readwrite readings/#\n')
    const broker = await started([`acl_file ${file}`])
    for (const protocolVersion of [4, 5] as const) {
      const report = await checkBroker({ url: broker.tcpUrl, protocolVersion })
      expect(report.verdict).toBe('unknown')
      expect(promised(report, 'subscriber-killed')).toMatchObject({
        holds: 'unknown',
        because: expect.stringMatching(/alvarium-doctor\/#|[Nn]ot authorized/),
      })
    }
  })
})
