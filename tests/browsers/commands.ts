import { randomUUID } from 'node:crypto'
import type { BrowserCommandContext } from 'vitest/node'
import { startEmbedded } from '../brokers/embedded.js'
import { startHostile } from '../brokers/hostile.js'
import { startImpostor } from '../brokers/impostor.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { startNetwork } from '../brokers/network.js'
import { freePort } from '../brokers/ports.js'
import { startSilent } from '../brokers/silent.js'
import { openssl } from '../support/openssl.js'

/** The servers that run in Node for tests in browsers, by name; each takes at most one argument. */
const SERVERS = {
  mosquitto: startMosquitto,
  embedded: startEmbedded,
  silent: startSilent,
  impostor: startImpostor,
  hostile: startHostile,
  network: startNetwork,
}
export type ServerName = keyof typeof SERVERS

/** A server's description for the browser: its values, and the names of its methods. */
export interface RemoteServer {
  readonly id: string
  readonly values: object
  readonly methods: string[]
}

type Methods = Record<string, () => unknown>
const running = new Map<string, Methods>()

async function start(name: ServerName, argument: unknown): Promise<RemoteServer> {
  const server: object = await SERVERS[name](argument as never)
  const members = Object.entries(server)
  const methods = members.filter(([, member]) => typeof member === 'function')
  const values = members.filter(([, member]) => typeof member !== 'function')
  const id = randomUUID()
  running.set(id, Object.fromEntries(methods))
  return { id, values: Object.fromEntries(values), methods: methods.map(([name]) => name) }
}

async function call(id: string, method: string): Promise<unknown> {
  const act = running.get(id)?.[method]
  if (!act) throw new Error(`expected a server ${id} with ${method}()`)
  return act()
}

/** Vitest's browser commands: called in a browser, they run here. Their arguments and results are JSON. */
export const commands = {
  startServer: (_: BrowserCommandContext, name: ServerName, argument: unknown) => start(name, argument),
  callServer: (_: BrowserCommandContext, id: string, method: string) => call(id, method),
  freePort: (_: BrowserCommandContext) => freePort(),
  openssl: async (_: BrowserCommandContext, args: readonly string[], input: string) => [
    ...(await openssl(args, input)),
  ],
}
