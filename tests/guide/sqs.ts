import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { listening } from '../support/serving.js'

/** A queue with SQS's JSON protocol, by its developer guide. */
export interface Queue {
  readonly url: string
  /** The bodies of messages that it accepted. */
  readonly messages: string[]
  /** Sets the status and `__type` of an error that replaces acceptance from now on. */
  failWith(failure: readonly [status: number, type: string] | undefined): void
  close(): void
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/sqs\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/

/** Starts a queue for the credentials `AKID`, `secret` and `session` in `eu-central-1`. */
export async function startQueue(): Promise<Queue> {
  const messages: string[] = []
  let failure: readonly [number, string] | undefined
  const server = createServer(async (request, response) => {
    const body = await json(request)
    const [status, answer] = failure
      ? [failure[0], { __type: `com.amazonaws.sqs#${failure[1]}`, message: 'no' }]
      : accepted(request, body as Sent, url, messages)
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer))
  })
  const url = `http://127.0.0.1:${await listening(server)}/123456789012/bundles`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url,
    messages,
    failWith: (given) => {
      failure = given
    },
    close,
  }
}

interface Sent {
  readonly QueueUrl: string
  readonly MessageBody: string
}

function accepted(
  { method, url: path, headers }: IncomingMessage,
  { QueueUrl, MessageBody }: Sent,
  url: string,
  messages: string[],
): [status: number, answer: object] {
  const {
    'x-amz-target': target,
    'x-amz-security-token': token,
    'content-type': type,
    authorization,
  } = headers
  const isSigned = SIGNED.test(authorization ?? '') && token === 'session'
  if (!isSigned) return [403, { __type: 'com.amazon.coral.service#IncompleteSignatureException' }]
  const isSend = method === 'POST' && path === '/' && target === 'AmazonSQS.SendMessage'
  if (!isSend || type !== 'application/x-amz-json-1.0' || QueueUrl !== url) {
    return [400, { __type: 'com.amazon.coral.service#UnknownOperationException' }]
  }
  messages.push(MessageBody)
  return [
    200,
    { MessageId: randomUUID(), MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') },
  ]
}
