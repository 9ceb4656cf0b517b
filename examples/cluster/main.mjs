// Runs a cluster on one machine: three RabbitMQ nodes, publishers, and a group of verifiers. Kills one node
// under load and restarts it. Prints the numbers of published and verified messages, and the mean CPU time
// of a call in a publisher, in the two nodes that stayed up, and in a verifier.
//
//   node examples/cluster/main.mjs [calls of each publisher, 10000 by default]

import { fork } from 'node:child_process'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { generateKey, toHex } from 'alvarium-sdk'
import { ensure } from '../../js/build/debian.mjs'
import { cpuSecondsOf } from '../shared/cpu.mjs'
import { numberGiven } from '../shared/program.mjs'
import { startRabbit } from './rabbitmq.mjs'

const [PUBLISHERS, VERIFIERS] = [4, 2]
/** Number of verified bundles after which a verifier reports its progress. */
const REPORTED = 1000

const calls = Math.ceil(numberGiven(0, 10_000) / REPORTED) * REPORTED
ensure(['rabbitmq-server'], ['rabbitmq-server'], 'The example runs three nodes of RabbitMQ')
const folder = await mkdtemp(join(tmpdir(), 'alvarium-cluster-'))
const start = performance.now()
const { nodes, stop } = await startRabbit(folder, 3)
console.log(`${since()} three nodes: ${nodes.map(({ url }) => url).join(' ')}`)
try {
  await example()
} finally {
  await stop()
}

async function example() {
  const { signingKey, verifyingKey } = generateKey()
  const seed = toHex(signingKey).slice(0, 64)
  const topics = Array.from({ length: PUBLISHERS }, (_, at) => `alvarium/line-${at + 1}`)
  // Divide the topics among the verifiers, because RabbitMQ has no shared subscriptions for MQTT clients.
  const verifiers = await started('verifier.mjs', VERIFIERS, (at) => ({
    urls: rotated(
      nodes.map(({ tcpUrl }) => tcpUrl),
      at,
    ),
    topics: topics.filter((_, topic) => topic % VERIFIERS === at),
    clientId: `verifier-${at + 1}`,
    verifyingKey: toHex(verifyingKey),
  }))
  const publishers = await started('publisher.mjs', PUBLISHERS, (at) => ({
    urls: rotated(
      nodes.map(({ url }) => url),
      at,
    ),
    topic: topics[at],
    seed,
    folder: join(folder, `outbox-${at + 1}`),
    calls,
  }))
  console.log(`${since()} ${PUBLISHERS} publishers, ${VERIFIERS} verifiers`)
  const steady = nodes.slice(1).map(({ name }) => join(folder, name))
  const before = await cpuSecondsIn(steady)
  const published = () => sum(publishers, 'published')
  const verified = () => sum(verifiers, 'verified')
  await until(() => published() >= (PUBLISHERS * calls) / 3)
  const [node] = nodes
  console.log(`${since()} kill -9 of ${node.name}: ${published()} published, ${verified()} verified`)
  await node.kill()
  await sleep(3000)
  await node.start()
  console.log(`${since()} it is back: ${published()} published, ${verified()} verified`)
  await until(() => publishers.every(({ said }) => said.micros !== undefined))
  console.log(`${since()} ${published()} published, ${verified()} verified`)
  await until(() => verified() >= PUBLISHERS * calls)
  console.log(
    `${since()} all of ${PUBLISHERS * calls} verified, each once; rejected: ${sum(verifiers, 'rejections')}`,
  )
  const brokerMicros = (((await cpuSecondsIn(steady)) - before) * 1e6) / verified()
  report('publisher', average(publishers), 'signing batches of 64')
  report('two nodes', brokerMicros, 'those that stayed up, together, quorum queues')
  report('verifier', average(verifiers), 'each bundle by its batch')
  for (const { child } of verifiers) child.disconnect()
}

async function started(file, count, options) {
  const all = Array.from({ length: count }, (_, at) => {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(options(at))])
    const one = { child, said: { rejections: 0 } }
    child.on('message', (said) => {
      Object.assign(one.said, said)
      if (said.rejected) one.said.rejections++
    })
    return one
  })
  if (file === 'verifier.mjs') await until(() => all.every(({ said }) => said.verified === 0))
  return all
}

function report(who, micros, what) {
  const rate = Math.round(1e6 / micros).toLocaleString('en-US')
  console.log(
    `  ${who.padEnd(12)} ${micros.toFixed(1).padStart(6)} µs of CPU a call, ${rate} calls/s on a core (${what})`,
  )
}

/** Returns the CPU seconds of the nodes in these folders since they started. */
async function cpuSecondsIn(places) {
  let seconds = 0
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [command, stat] = await Promise.all(
      ['cmdline', 'stat'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    )
    if (!command.includes('beam') || !places.some((place) => command.includes(place))) continue
    seconds += cpuSecondsOf(stat)
  }
  return seconds
}

function rotated(list, by) {
  const first = by % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

function sum(all, what) {
  return all.reduce((total, { said }) => total + (said[what] ?? 0), 0)
}

function average(all) {
  return all.reduce((total, { said }) => total + (said.micros ?? 0), 0) / all.length
}

async function until(isSo) {
  const deadline = performance.now() + 300_000
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('nothing has happened for five minutes')
    await sleep(20)
  }
}

function since() {
  return `${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s`
}
