import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openWitness, type Witness } from 'alvarium-sdk/witness'
import { needs, textOf } from '../../foundation/base/errors.js'
import { trustedKeys } from '../keys/trusted.js'
import { listenOn, untilInterrupted } from '../listening.js'
import { EXIT, type Run } from '../session.js'
import { bold, dim, green, red, safeText } from '../terminal/safe-text.js'
import { WitnessFolder } from './folder.js'

interface WitnessArguments {
  readonly name: string
  readonly state: string
  readonly log?: readonly string[]
  readonly signer?: readonly string[]
  readonly host: string
  readonly port: number
}

export const run: Run<WitnessArguments> = async (_, options, session) => {
  const { name, log: logs = [], signer, host, port } = options
  if (logs.length === 0 && signer === undefined) throw needs('--log', 'a log or a --signer to watch')
  const signers = signer && (await trustedKeys(signer))
  const folder = await WitnessFolder.open(options.state)
  try {
    const { signingKey } = folder
    const witness = await openWitness({ name, signingKey, logs, signers, state: folder })
    session.begin()
    const server = createServer(LIMITS, (request, response) => {
      answer(witness, request, response).catch((error) => {
        void session.err.line(safeText`${red('✗')} nothing was signed: ${textOf(error)}`)
        reply(response, 500, 'text/plain', 'this witness cannot sign now\n')
      })
    })
    const listening = await listenOn(server, { host, port }, MAX_CONNECTIONS)
    await session.out.line(safeText`${green('✓')} ${listening.url}`)
    await session.out.line(safeText`  its public key, for readers: ${bold(witness.vkey)}`)
    await session.err.line(dim(`its state is in ${options.state}; Ctrl-C ends it`))
    await untilInterrupted(session)
    await listening.close()
  } finally {
    await folder.close()
  }
  return EXIT.yes
}

/** Maximum length of a request body in bytes: a checkpoint of at most 2 MiB, and its consistency proof. */
const MAX_BODY_BYTES = 2_100_000
/** Maximum number of connections. Their request bodies need about 134 MB of memory. */
const MAX_CONNECTIONS = 64
const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 5_000 }

async function answer(witness: Witness, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url !== '/add-checkpoint') return reply(response, 404, 'text/plain', 'POST /add-checkpoint\n')
  if (request.method !== 'POST') return reply(response, 405, 'text/plain', 'POST /add-checkpoint\n')
  const body = await bodyOf(request)
  if (body === undefined) return reply(response, 413, 'text/plain', `at most ${MAX_BODY_BYTES} bytes\n`)
  const { status, type, body: text } = await witness.addCheckpoint(body)
  reply(response, status, type, text)
}

function reply(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent) return
  // Close the connection after an error, because an unread rest of the body would be parsed as the next
  // request. The body of a request with the answer 409 was read completely.
  if (status >= 400 && status !== 409) response.setHeader('connection', 'close')
  response.writeHead(status, { 'Content-Type': type }).end(text)
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
