/**
 * Runs RabbitMQ nodes on 127.0.0.1, for examples and tests, with MQTT over TCP and WebSocket. Each node has
 * its own folder; several nodes form a cluster. Needs Debian's rabbitmq-server, 3.10 or newer.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { answers, freePort } from '../broker/ports.mjs'

const HOST = '127.0.0.1'
/** Folder of RabbitMQ's own commands. Debian's wrappers would switch the user. */
const BIN = '/usr/lib/rabbitmq/bin'
const run = promisify(execFile)

/**
 * @typedef {object} RabbitNode
 * @property {string} name
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the TCP listener
 * @property {() => Promise<void>} start resolves when the node accepts connections; after `kill`, stored
 * messages are back
 * @property {() => Promise<void>} kill ends the node as `kill -9` does
 * @property {(...args: string[]) => Promise<string>} control returns the output of `rabbitmqctl`
 */

/**
 * Starts a node, or several as a cluster. Durable subscriptions get quorum queues, so that an acknowledged
 * message is on the disks of a majority of nodes.
 *
 * @param {string} folder for all stored data; created if it is missing, and removed by `stop`
 * @param {number} [size] number of nodes, 1 by default
 * @returns {Promise<{ nodes: RabbitNode[], stop: () => Promise<void> }>}
 */
export async function startRabbit(folder, size = 1) {
  const epmd = await freePort()
  const names = Array.from({ length: size }, (_, at) => `alvarium${at + 1}@localhost`)
  const nodes = []
  for (const name of names) nodes.push(await nodeIn(join(folder, name), name, names, epmd))
  const stop = async () => {
    for (const { kill } of nodes) await kill()
    await run('epmd', ['-port', `${epmd}`, '-kill']).catch(() => {}) // epmd may have ended with the last node
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(nodes.map(({ start }) => start()))
  } catch (error) {
    await stop()
    throw error
  }
  return { nodes, stop }
}

/** Prepares a node without starting it. @returns {Promise<RabbitNode>} */
async function nodeIn(folder, name, names, epmd) {
  const [amqp, mqtt, web, distribution] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  await prepare(folder, { amqp, mqtt, web }, names)
  const env = {
    ...process.env,
    HOME: folder,
    RABBITMQ_NODENAME: name,
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbit'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'stored'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_DIST_PORT: `${distribution}`,
    // Limit each node to two of Erlang's scheduler threads, without busy waiting.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
    ERL_EPMD_ADDRESS: HOST,
    ERL_EPMD_PORT: `${epmd}`,
  }
  const control = async (...args) =>
    (await run(join(BIN, 'rabbitmqctl'), ['--node', name, ...args], { env, encoding: 'utf8' })).stdout
  let child
  return {
    name,
    url: `ws://${HOST}:${web}/ws`,
    tcpUrl: `mqtt://${HOST}:${mqtt}`,
    control,
    start: async () => {
      child = spawn(join(BIN, 'rabbitmq-server'), { env, stdio: 'ignore', detached: true })
      await opened(child, web, join(folder, 'log'))
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      // Kill the whole process group: the shell and the Erlang process that it started.
      process.kill(-child.pid, 'SIGKILL')
      await ended
      while (await answers(web)) await sleep(20)
    },
  }
}

async function prepare(folder, { amqp, mqtt, web }, names) {
  await mkdir(folder, { recursive: true })
  const cookie = join(folder, '.erlang.cookie')
  await writeFile(cookie, 'ALVARIUM')
  await chmod(cookie, 0o600)
  await writeFile(join(folder, 'plugins'), '[rabbitmq_mqtt,rabbitmq_web_mqtt].\n')
  const lines = [
    `listeners.tcp.1 = ${HOST}:${amqp}`,
    `mqtt.listeners.tcp.1 = ${HOST}:${mqtt}`,
    `web_mqtt.tcp.listener = ${HOST}:${web}`,
    'mqtt.allow_anonymous = true',
    'mqtt.durable_queue_type = quorum',
    // Use short waits for peer discovery, because these nodes start and stop within seconds.
    'cluster_formation.peer_discovery_backend = classic_config',
    ...names.map((name, at) => `cluster_formation.classic_config.nodes.${at + 1} = ${name}`),
    'cluster_partition_handling = ignore',
  ]
  await writeFile(join(folder, 'rabbit.conf'), `${lines.join('\n')}\n`)
}

/** Waits until the node accepts connections. Waits up to five minutes, because the machine may be busy. */
async function opened(child, port, logs) {
  const deadline = performance.now() + 300_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`rabbitmq-server: ended with ${child.exitCode}, see ${logs}`)
    if (await answers(port)) return
    await sleep(100)
  }
  throw new Error(`rabbitmq-server: expected to start within five minutes, see ${logs}`)
}
