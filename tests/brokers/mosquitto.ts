import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrokerOptions, TestBroker } from './brokers.js'
import { answers, freePort } from './ports.js'

export interface MosquittoOptions extends BrokerOptions {
  /** More lines for mosquitto.conf. */
  readonly config?: readonly string[]
}

interface Place {
  readonly directory: string
  readonly port: number
  readonly tcpPort: number
}

/** Debian's Mosquitto as a process of its own: MQTT 5 and 3.1.1, over WebSocket and TCP. */
export async function startMosquitto(options: MosquittoOptions = {}): Promise<TestBroker> {
  const place = await prepare(options)
  let process = await run(place)
  const kill = () => end(process, 'SIGKILL')
  const restart = async () => {
    process = await run(place)
  }
  const stop = async () => {
    await end(process, 'SIGTERM')
    await rm(place.directory, { recursive: true, force: true })
  }
  const url = `ws://127.0.0.1:${place.port}`
  return { url, tcpUrl: `mqtt://127.0.0.1:${place.tcpPort}`, kill, restart, stop }
}

async function prepare({ username, password, config = [] }: MosquittoOptions): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'alvarium-mosquitto-'))
  const place = { directory, port: await freePort(), tcpPort: await freePort() }
  const lines = [
    `listener ${place.port} 127.0.0.1`,
    'protocol websockets',
    `listener ${place.tcpPort} 127.0.0.1`,
    'set_tcp_nodelay true',
    // A backlog of more than 1,000 messages would be thrown away.
    'max_queued_messages 0',
    // Started by root it would change to a user that cannot read its files here.
    'user root',
    ...admission(directory, username, password),
    ...config,
  ]
  await writeFile(join(directory, 'mosquitto.conf'), `${lines.join('\n')}\n`)
  return place
}

function admission(directory: string, username?: string, password?: string): string[] {
  if (username === undefined || password === undefined) return ['allow_anonymous true']
  const file = join(directory, 'passwords')
  command('mosquitto_passwd', ['-b', '-c', file, username, password])
  return ['allow_anonymous false', `password_file ${file}`]
}

function command(name: string, args: string[]): void {
  try {
    execFileSync(name, args, { stdio: 'pipe' })
  } catch (error) {
    throw missing(error)
  }
}

async function run({ directory, port, tcpPort }: Place): Promise<ChildProcess> {
  const child = spawn('mosquitto', ['-c', join(directory, 'mosquitto.conf')], { stdio: 'pipe' })
  let output = ''
  child.stderr.on('data', (text) => {
    output += text
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(missing(error)))
    child.once('exit', (code) => reject(new Error(`mosquitto ended with ${code}: ${output}`)))
  })
  failed.catch(() => {})
  await Promise.race([failed, listening([port, tcpPort])])
  return child
}

async function listening(ports: number[]): Promise<void> {
  for (const port of ports) while (!(await answers(port))) await sleep(10)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

function missing(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT') return error as Error
  return new Error('mosquitto is not installed: apt-get install mosquitto, or node js/build/ready.mjs --test')
}
