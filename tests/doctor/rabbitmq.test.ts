// @slow: it kills brokers and starts them again
// @node-only: it sets up brokers and looks into them

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBroker } from 'alvarium-command/doctor'
import { subscribe } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RabbitNode, startRabbit } from '../../examples/cluster/rabbitmq.mjs'
import { ensure } from '../../js/build/debian.mjs'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { keyring } from '../support/sdk.js'
import { keptWhileAway, promised, publisher, verdicts } from './losing.js'

/** Installing RabbitMQ takes a minute or two, starting it ten seconds. */
const START_MS = 600_000

describe('checkBroker, with RabbitMQ and quorum queues,', { timeout: 120_000 }, () => {
  let node: RabbitNode
  let stop = async () => {}
  beforeAll(async () => {
    ensure(['rabbitmq-server'], ['rabbitmq-server'], 'The doctor is tried at a real RabbitMQ')
    const rabbit = await startRabbit(await mkdtemp(join(tmpdir(), 'alvarium-doctor-rabbit-')))
    stop = rabbit.stop
    node = rabbit.nodes[0] as RabbitNode
  }, START_MS)
  afterAll(() => stop(), START_MS)

  it('reports correctly over TCP that the broker keeps all messages', async () => {
    const report = await checkBroker({ url: node.tcpUrl })
    expect(report.facts).toMatchObject({
      protocolVersion: 4,
      software: { name: 'RabbitMQ' },
      subscribeQos: 1,
    })
    expect(verdicts(report)).toEqual({
      accepted: 'yes',
      'subscriber-killed': 'yes',
      order: 'yes',
      'broker-killed': 'not-told',
      retained: 'yes',
      group: 'no',
      'large-message': 'yes',
    })
    expect(promised(report, 'broker-killed').settings).toEqual([
      { file: 'rabbitmq.conf', lines: expect.arrayContaining(['mqtt.durable_queue_type = quorum']) },
    ])
    const where = { publishTo: node.url, subscribeTo: node.tcpUrl }
    expect(await keptWhileAway(where, { calls: 3_000, expected: 3_000 })).toBe(3_000)
  })

  it('reports that the broker keeps no messages for a subscriber over WebSocket, and why', async () => {
    const report = await checkBroker({ url: node.url, promises: ['subscriber-killed'], messages: 50 })
    expect(report).toMatchObject({ verdict: 'no', facts: { backlog: { acknowledged: 50, kept: 0 } } })
    const [settings] = promised(report, 'subscriber-killed').settings
    expect(settings?.lines.join('\n')).toContain('deliver nothing to subscribers over WebSocket')
  })

  it('rightly reports "group: no": a shared subscription receives no messages, unlike an ordinary one', async () => {
    const url = node.tcpUrl
    const where = { url, topic: 'shared', keyring, durable: false } as const
    const [member, alone] = [subscribe({ ...where, group: 'g' }), subscribe(where)]
    await Promise.all([closing(member).open(), closing(alone).open()])
    await (await publisher(url, 'shared')).create(utf8('21.4'))
    for await (const bundle of alone) {
      bundle.ack()
      break
    }
    await member.close()
    expect(await member[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
  })

  it('leaves none of its own queues on the broker', async () => {
    await checkBroker({ url: node.tcpUrl, messages: 5 })
    const queues = await node.control('--quiet', 'list_queues', 'name')
    expect(queues).not.toContain('alvarium-doctor')
  })
})
