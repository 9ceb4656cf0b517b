// @slow
// @node-only: it uses files, Buffers, processes or a stopped clock

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, subscribe } from 'alvarium-sdk'
import { issueLease } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type RabbitNode, startRabbit } from '../../examples/cluster/rabbitmq.mjs'
import { ensure } from '../../js/build/debian.mjs'
import { textOf } from '../support/bytes.js'
import { closing, next, sender } from '../support/receiving.js'
import { key } from '../support/sdk.js'
import { messageFrom, trustOf } from '../support/trust.js'

/** Time limit of the setup: the installation takes a minute or two, the start ten seconds. */
const START_MS = 600_000
/** More messages than RabbitMQ sends before an acknowledgement. */
const MANY = 100

let node: RabbitNode
let stop = async () => {}
beforeAll(async () => {
  ensure(['rabbitmq-server'], ['rabbitmq-server'], 'Leases are tried at a real RabbitMQ')
  const rabbit = await startRabbit(await mkdtemp(join(tmpdir(), 'alvarium-leases-rabbit-')))
  stop = rabbit.stop
  node = rabbit.nodes[0] as RabbitNode
}, START_MS)
afterAll(() => stop(), START_MS)

// claim: trust-45
it('RabbitMQ accepts acknowledgements out of order: no message that waits for its lease is lost', {
  timeout: 120_000,
}, async () => {
  // The stopped clock keeps messages from waiting too long, on any machine.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const [url, topic, late] = [node.tcpUrl, 'line-4', generateKey()]
  const open = async () => {
    const trust = await trustOf()
    const bundles = closing(subscribe({ url, topic, clientId: 'archive', keyring: trust, leases: true }))
    await bundles.open()
    return { bundles, loop: bundles[Symbol.asyncIterator]() }
  }
  const [raw, signers] = [await sender(url, topic), await sender(url, `${topic}/signers`)]
  const lease = await issueLease(key.signingKey, { subject: late.signingKey, name: 'late' })
  const first = await open()
  const own = { signingKey: late.signingKey }
  const early = [await messageFrom(own), await messageFrom(own)]
  const others = await Promise.all(Array.from({ length: MANY }, () => messageFrom()))
  await Promise.all([...early, ...others].map((message) => raw.publish(message)))
  const passed = await next(first.loop, MANY)
  expect(passed.map(({ message }) => textOf(message))).toEqual(others.map(textOf))
  await passed.at(-1)?.ack()
  const kept = async () => (await node.control('list_queues', '--silent', 'messages')).trim()
  await expect.poll(kept, { timeout: 60_000, interval: 500 }).toBe('2')
  await first.bundles.close()

  const second = await open()
  await signers.publish(lease)
  const came = await next(second.loop, 2)
  expect(came.map(({ message }) => textOf(message))).toEqual(early.map(textOf))
  await came.at(-1)?.ack()
  await expect.poll(kept, { timeout: 60_000, interval: 500 }).toBe('0')
})
