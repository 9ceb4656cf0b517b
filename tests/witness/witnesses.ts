import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateKey } from 'alvarium-sdk'
import {
  openWitness,
  type SignedState,
  type Witness,
  type WitnessOptions,
  type WitnessReply,
  type WitnessState,
} from 'alvarium-sdk/witness'
import { afterEach } from 'vitest'

/** The state of a witness in memory, which tests can read. */
export class MemoryState implements WitnessState {
  readonly signed = new Map<string, SignedState>()

  async read(origin: string): Promise<SignedState | undefined> {
    return this.signed.get(origin)
  }

  async write(state: SignedState): Promise<void> {
    this.signed.set(state.origin, state)
  }
}

export interface ServedWitness {
  readonly url: string
  readonly vkey: string
  readonly state: MemoryState
  /** First lines of the requests. */
  readonly requests: string[]
}

export interface ServerAnswer {
  readonly status: number
  readonly type?: string | undefined
  readonly body?: string | undefined
}

/** Another answer than that of the witness; undefined for its own, and a promise that never settles for none. */
export type Instead = (body: string, own: () => Promise<WitnessReply>) => Promise<ServerAnswer>

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Starts a witness behind its own server, until the end of the test. */
export async function serveWitness(
  name: string,
  logs: Pick<WitnessOptions, 'logs' | 'signers'>,
  instead: Instead = (_, own) => own(),
): Promise<ServedWitness> {
  const state = new MemoryState()
  const witness = await openWitness({ name, signingKey: generateKey().signingKey, ...logs, state })
  const requests: string[] = []
  const url = await listening(async (body) => {
    requests.push(body.split('\n')[0] ?? '')
    return instead(body, () => witness.addCheckpoint(body))
  })
  return { url, vkey: witness.vkey, state, requests }
}

export async function listening(
  answer: (body: string, path: string) => Promise<ServerAnswer>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const {
      status,
      type = 'text/plain',
      body = '',
    } = await answer(Buffer.concat(chunks).toString(), request.url ?? '')
    response.writeHead(status, { 'Content-Type': type }).end(body)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export type { Witness }
