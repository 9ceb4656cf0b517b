// Starts a Kafka broker (one node, KRaft) from jars of Maven Central. Its settings and data are in the
// caller's folder.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'

const POM = fileURLToPath(new URL('pom.xml', import.meta.url))
const JARS = fileURLToPath(new URL('../../node_modules/.cache/kafka', import.meta.url))
const CLUSTER = 'MkU3OEVBNTcwNTJENDM2Qg'
const run = promisify(execFile)

/** Downloads the jars on the first run. @throws {Error} if Maven is missing or cannot download them */
export async function fetchJars() {
  await run('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${JARS}`])
}

/**
 * @param {string} folder
 * @returns {Promise<{ brokers: string[], stop(): Promise<void> }>}
 */
export async function startKafka(folder) {
  const [port, controller] = [await freePort(), await freePort()]
  const config = join(folder, 'server.properties')
  await writeFile(config, propertiesOf(folder, port, controller))
  await run('java', ['-cp', `${JARS}/*`, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER, '-c', config])
  const server = spawn('java', ['-Xmx256m', '-cp', `${JARS}/*`, 'kafka.Kafka', config], { stdio: 'ignore' })
  const ended = once(server, 'exit')
  const brokers = [`127.0.0.1:${port}`]
  await Promise.race([
    answers(brokers),
    ended.then(() => Promise.reject(new Error('kafka: expected it to listen, got an end'))),
  ])
  const stop = async () => {
    server.kill('SIGKILL')
    await ended
  }
  return { brokers, stop }
}

/** @param {string} folder @param {number} port @param {number} controller */
function propertiesOf(folder, port, controller) {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${join(folder, 'data')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`
}

/** Waits until the broker answers. @param {string[]} brokers */
async function answers(brokers) {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin()
  for (;;) {
    try {
      await admin.connect()
      await admin.describeCluster()
      return await admin.disconnect()
    } catch {
      await wait(200)
    }
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  return port
}
