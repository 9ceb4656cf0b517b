// @slow: it runs the programs of the guide as a user does

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateKey, Keyring, keyOf, memory, openSdk, source, toHex, verifyMessage } from 'alvarium-sdk'
import { signRequest } from 'alvarium-sdk/http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { formOf } from '../support/forms.js'
import { projectFolder } from '../support/project.js'
import { type Block, blocksOf, fileOf } from './blocks.js'
import { type Queue, startQueue } from './sqs.js'

const blocks = blocksOf('examples/guide/edge.md')
const [annotating, consuming] = blocks.filter(({ mark }) => mark === 'lambda')
const [verifying] = blocks.filter(({ mark }) => mark === 'handler')
const { signingKey, verifyingKey } = generateKey()
const client = generateKey()
const keyring = new Keyring([verifyingKey])
/** The environment of a Lambda function. */
const environment = {
  PRIVATE_KEY: `${toHex(signingKey)}\n`,
  PUBLIC_KEY: toHex(verifyingKey),
  CLIENT_PUBLIC_KEY: toHex(client.verifyingKey),
  AWS_LAMBDA_FUNCTION_NAME: 'readings',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
}

let folder: string
let queue: Queue
const instances: ChildProcess[] = []
beforeAll(async () => {
  folder = await projectFolder('edge')
  queue = await startQueue()
})
afterAll(async () => {
  for (const instance of instances) instance.kill('SIGKILL')
  queue?.close()
  await rm(folder, { recursive: true })
})

async function pasted(block: Block | undefined): Promise<string> {
  const path = join(folder, block ? fileOf(block) : '')
  await writeFile(path, block?.code ?? '')
  return path
}

/** Starts a cold instance of a function. */
async function instanceOf(block: Block | undefined) {
  const env = { ...process.env, ...environment, QUEUE_URL: queue.url }
  const child = fork(join(import.meta.dirname, 'lambda.mjs'), [await pasted(block)], { env, silent: true })
  instances.push(child)
  await once(child, 'message')
  const invoke = async (event: object) => {
    const answer = once(child, 'message')
    child.send(event)
    return (await answer)[0]
  }
  return { child, invoke }
}

/** Returns an event of API Gateway, payload format 2.0, or of a function URL. */
function eventOf(body: string | undefined, headers: Record<string, string>, isBase64Encoded: boolean) {
  const http = {
    method: 'POST',
    path: '/readings',
    protocol: 'HTTP/1.1',
    sourceIp: '192.0.2.1',
    userAgent: 'x',
  }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/readings',
    rawQueryString: 'line=4&line=5',
    headers,
    queryStringParameters: { line: '4,5' },
    requestContext: { domainName: 'id.execute-api.eu-central-1.amazonaws.com', http, stage: '$default' },
    ...(body !== undefined && { body }),
    isBase64Encoded,
  }
}

async function signed(body: Uint8Array): Promise<Record<string, string>> {
  const url = 'https://id.execute-api.eu-central-1.amazonaws.com/readings?line=4&line=5'
  const signing = { format: 'rfc9421', signingKey: client.signingKey, keyId: 'edge-7', body } as const
  const made = await signRequest({ method: 'POST', url, headers: {} }, signing)
  return Object.fromEntries(Object.entries(made).map(([name, value]) => [name.toLowerCase(), value]))
}

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
// claim: edge-1, edge-3
it('the Lambda handler annotates a request whose body is text, in base64 or missing', async () => {
  const { child, invoke } = await instanceOf(annotating)
  const text = utf8('\ufeff{"name":"Zürich ☂"}\r\n')
  const events: [payload: Uint8Array, event: object][] = [
    [text, eventOf(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text), await signed(text), false)],
    [everyByte, eventOf(Buffer.from(everyByte).toString('base64'), await signed(everyByte), true)],
    [new Uint8Array(), eventOf(undefined, await signed(new Uint8Array()), false)],
  ]
  for (const [payload, event] of events) {
    const { statusCode, body } = await invoke(event)
    expect([statusCode, JSON.parse(body)]).toEqual([201, { id: expect.stringMatching(/^[0-9a-f]{64}$/i) }])
    // After a call has resolved, the instance has no undelivered data.
    const message = utf8(queue.messages.at(-1) ?? '')
    const { id, host, annotations } = await verifyMessage(message, { keyring, payload })
    expect([id, host]).toEqual([JSON.parse(body).id, 'readings'])
    expect(annotations).toMatchObject([{ kind: 'pki-http', isSatisfied: true }])
  }
  child.kill('SIGKILL')
  expect(queue.messages).toHaveLength(3)
})

it.each([
  [400, 'InvalidMessageContents', 500, 'INTERNAL'],
  [400, 'RequestThrottled', 503, 'STREAM_UNAVAILABLE'],
  [403, 'AccessDeniedException', 503, 'STREAM_UNAVAILABLE'],
  [500, 'InternalFailure', 503, 'STREAM_UNAVAILABLE'],
])(
  'when SQS answers %i %s, the client of the Lambda handler gets %i %s',
  async (status, type, statusCode, code) => {
    const { invoke } = await instanceOf(annotating)
    queue.failWith([status, type])
    const answer = await invoke(eventOf('{}', {}, false))
    queue.failWith(undefined)
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([statusCode, { code }])
  },
)

// claim: edge-4
it('the Lambda handler of the queue reports as failed the messages that do not verify, and logs the others', async () => {
  const { child, invoke } = await instanceOf(consuming)
  const message = new TextDecoder().decode(await messageAbout(utf8('21.4')))
  let logged = ''
  child.stdout?.on('data', (text) => {
    logged += text
  })
  const bodies = [message, message.replace('create', 'mutate'), '{}', message]
  const Records = bodies.map((body, at) => ({
    messageId: `m-${at}`,
    receiptHandle: 'AQEB',
    body,
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:bundles',
    awsRegion: 'eu-central-1',
  }))
  const batchItemFailures = [{ itemIdentifier: 'm-1' }, { itemIdentifier: 'm-2' }]
  expect(await invoke({ Records })).toEqual({ batchItemFailures })
  const key = keyOf(utf8('21.4'))
  await expect
    .poll(() =>
      logged
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    .toMatchObject([{ key }, { key }])
})

it("the fetch handler returns a message's content, or the error code if it does not verify", async () => {
  process.env['PUBLIC_KEY'] = environment.PUBLIC_KEY
  const { default: handler } = await import(pathToFileURL(await pasted(verifying)).href)
  const payload = utf8('{"celsius":21.4}')
  const message = await messageAbout(payload)
  const answerTo = async (form: object) => {
    const request = new Request('https://verify.example/', { method: 'POST', ...form })
    const answer: Response = await handler.fetch(request)
    return [answer.status, await answer.json()]
  }
  expect(await answerTo(await formOf({ message, payload }))).toMatchObject([200, { action: 'create' }])
  expect(await answerTo(await formOf({ message, payload: utf8('{}') }))).toEqual([
    422,
    { code: 'PAYLOAD_MISMATCH' },
  ])
  expect(await answerTo({ body: 'no form' })).toEqual([422, { code: 'MESSAGE_MALFORMED' }])
})

async function messageAbout(payload: Uint8Array): Promise<Uint8Array> {
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  const { message } = await sdk.create(payload)
  await sdk.close()
  return message
}
