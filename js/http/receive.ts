// What a service needs before it can annotate a request's body: its bytes as they came, and what annotators look at.

import type { TlsSocket } from '../annotators/tls.js'
import { join } from '../base/bytes/join.js'
import { type AlvariumError, assertBytes, expected, isBytes, malformed, textOf } from '../base/errors.js'
import { integer, readOptions, strict } from '../base/options/schema.js'
import { assertRequest, type HttpRequest, type IncomingRequest, type PlainRequest } from './request.js'

/** A request as a server of `node:http`, `node:https` or `node:http2` has it; Express' is one. */
export interface NodeRequest extends IncomingRequest {
  readonly socket: TlsSocket
  /** Whether something was read of the stream. */
  readonly readableDidRead: boolean
  /** What a body parser has put there. */
  readonly body?: unknown
  /** Of HTTP/2. */
  readonly stream?: { readonly destroyed: boolean; readonly endAfterHeaders: boolean } | undefined
  /** The pieces of its body. */
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<unknown>
  /** Throws away what is left of its body. */
  resume(): unknown
}

/** What is read of fetch's `Request`: of Hono, Bun, Deno and workers. */
export interface FetchRequest extends PlainRequest {
  readonly bodyUsed: boolean
  readonly body: {
    /** A reader of its pieces. */
    getReader(): {
      /** The next piece. */
      read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
      /** Gives up what is left. */
      cancel(): Promise<void>
    }
  } | null
}

/** A request as a framework has it, around the one underneath: Fastify's `request`, Hono's `c.req`. */
export interface WrappedRequest {
  readonly raw: NodeRequest | FetchRequest
  /** What a body parser has put there. */
  readonly body?: unknown
}

/** A request in any of the forms in which services have it. */
export type ServiceRequest = NodeRequest | FetchRequest | WrappedRequest

/** Options of {@link receive}. */
export interface ReceiveOptions {
  /** Most bytes of a body. Default `1_048_576` (1 MiB). */
  readonly maxBytes?: number | undefined
}

/** What {@link receive} gets out of a request. */
export interface Received {
  /** The bytes as they came, which are the payload. Not decoded: what came as gzip is gzip. */
  readonly body: Uint8Array
  /** The request for `pki-http`, `verifyRequest` and `signResponse`. */
  readonly raw: HttpRequest
  /** The socket for `tls`; requests of fetch have none. */
  readonly socket: TlsSocket | undefined
}

/** The page of limits shows it. */
export const schema = strict({ maxBytes: integer(0, Number.MAX_SAFE_INTEGER, 1_048_576) })

/**
 * Reads the body of a request, once, and bounded: bytes are counted as they come, whatever `Content-Length` says. If a body
 * parser has kept the bytes in `body` (`express.raw()`, Fastify's `parseAs: 'buffer'`), those count.
 *
 * After `BODY_TOO_LARGE` the rest of the body is thrown away, so that the client can still read the answer. How long a body may
 * take, the server decides (`requestTimeout` of `node:http`).
 *
 * @throws AlvariumError `BODY_TOO_LARGE`; `MESSAGE_MALFORMED` when the client disconnected before its end; `CONFIG_INVALID`
 * @throws TypeError for what is no request, and for one whose body was read before and not kept
 *
 * @example
 * ```ts
 * const server = createServer(async (request, response) => {
 *   const { body, raw, socket } = await receive(request, { maxBytes: 65_536 }) // Express: req, Fastify: request, Hono: c.req
 *   const { id } = await sdk.transit(body, { tls: socket, 'pki-http': raw })
 *   response.end(id)
 * })
 * ```
 */
export async function receive(request: ServiceRequest, options: ReceiveOptions = {}): Promise<Received> {
  const { maxBytes } = readOptions(schema, options, 'receive')
  const raw: NodeRequest | FetchRequest = Object(request).raw ?? request
  assertRequest(raw)
  const body = isBytes(request.body) ? request.body : await read(raw, maxBytes)
  if (body.length > maxBytes) throw tooLarge(maxBytes)
  return { body, raw, socket: 'rawHeaders' in raw ? raw.socket : undefined }
}

async function read(raw: NodeRequest | FetchRequest, maxBytes: number): Promise<Uint8Array> {
  assertUnread(raw)
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(raw)) {
    assertBytes(piece, "the request's body")
    length += piece.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    pieces.push(piece)
  }
  return join(pieces).bytes
}

/** An exhausted stream would look like an empty body, and so would Firefox' requests, which show none. */
function assertUnread(raw: NodeRequest | FetchRequest): void {
  if (!('rawHeaders' in raw) && raw.body === undefined) {
    throw new TypeError('request: expected a body that is a stream, or null, got undefined')
  }
  if (!('rawHeaders' in raw ? raw.readableDidRead : raw.bodyUsed)) return
  const hint = 'have the body parser keep its bytes, or leave it to receive()'
  throw new TypeError(`request: expected a body that was not read before, got one that was: ${hint}`)
}

async function* piecesOf(raw: NodeRequest | FetchRequest): AsyncGenerator<unknown> {
  try {
    yield* 'rawHeaders' in raw ? nodePieces(raw) : fetchPieces(raw)
  } catch (cause) {
    throw malformed('body', 'the whole body', `an error: ${textOf(cause)}`, cause)
  }
}

async function* nodePieces(request: NodeRequest): AsyncGenerator<unknown> {
  const { stream } = request
  try {
    // All that nobody has read is gone with it, and looks like an empty body.
    if (stream?.destroyed && !stream.endAfterHeaders) throw new Error('the stream was closed')
    // Destroyed, it would take the connection along, and the answer.
    yield* request.iterator({ destroyOnReturn: false })
  } finally {
    // Some clients read the answer only when all is sent.
    request.resume()
  }
}

async function* fetchPieces({ body }: FetchRequest): AsyncGenerator<unknown> {
  const reader = body?.getReader()
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) yield next.value
  } finally {
    reader?.cancel().catch(() => {})
  }
}

function tooLarge(maxBytes: number): AlvariumError {
  return expected('BODY_TOO_LARGE', 'body', `at most ${maxBytes} bytes`, 'more')
}
