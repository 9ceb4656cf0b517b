// Input of a service that annotates a request's body: its bytes as received, and the inputs of annotators.

import { join } from '../../foundation/base/bytes/join.js'
import {
  type AlvariumError,
  assertBytes,
  expected,
  isBytes,
  malformed,
  textOf,
} from '../../foundation/base/errors.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import type { TlsSocket } from '../../signing/annotators/tls.js'
import { assertRequest, type HttpRequest, type IncomingRequest, type PlainRequest } from './request.js'

/** Request of a server of `node:http`, `node:https` or `node:http2`, or of Express. */
export interface NodeRequest extends IncomingRequest {
  readonly socket: TlsSocket
  /** True if something was read of the stream. */
  readonly readableDidRead: boolean
  /** Body that a body parser has set. */
  readonly body?: unknown
  /** Stream of an HTTP/2 request. */
  readonly stream?: { readonly destroyed: boolean; readonly endAfterHeaders: boolean } | undefined
  /** Returns an iterator over the pieces of the body. */
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<unknown>
  /** Discards the rest of the body. */
  resume(): unknown
}

/** Members of fetch's `Request` that are read: for Hono, Bun, Deno and workers. */
export interface FetchRequest extends PlainRequest {
  readonly bodyUsed: boolean
  readonly body: {
    /** Returns a reader of the pieces. */
    getReader(): {
      /** Returns the next piece. */
      read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
      /** Discards the rest. */
      cancel(): Promise<void>
    }
  } | null
}

/** Request of a framework around another one: Fastify's `request`, Hono's `c.req`. */
export interface WrappedRequest {
  readonly raw: NodeRequest | FetchRequest
  /** Body that a body parser has set. */
  readonly body?: unknown
}

/** Request in any of the forms of servers and frameworks. */
export type ServiceRequest = NodeRequest | FetchRequest | WrappedRequest

/** Options of {@link receive}. */
export interface ReceiveOptions {
  /** Limit in bytes of a body. Default `1_048_576` (1 MiB). */
  readonly maxBytes?: number | undefined
}

/** Parts of a request that {@link receive} returns. */
export interface ReceivedRequest {
  /** Bytes as received, which are the payload. They are not decoded: a gzip body remains gzip. */
  readonly body: Uint8Array
  /** Request for `pki-http`, `verifyRequest` and `signResponse`. */
  readonly raw: HttpRequest
  /** Socket for `tls`; undefined for requests of fetch. */
  readonly socket: TlsSocket | undefined
}

/** Options of `receive`, exported for the guide's page of limits. */
export const schema = strict({ maxBytes: integer(0, Number.MAX_SAFE_INTEGER, 1_048_576) })

/**
 * Reads the body of a request once, within a limit: bytes are counted as they arrive, whatever `Content-Length` states.
 * If a body parser has kept the bytes in `body` (`express.raw()`, Fastify's `parseAs: 'buffer'`), those count.
 *
 * After `BODY_TOO_LARGE`, the rest of the body is discarded, so that the client can still read the answer. The server
 * limits the time for a body (`requestTimeout` of `node:http`).
 *
 * @throws AlvariumError `BODY_TOO_LARGE`; `MESSAGE_MALFORMED` when the client disconnected before its end;
 *   `CONFIG_INVALID`
 * @throws TypeError for a value that is not a request, and for a request whose body was read before and not kept
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
export async function receive(
  request: ServiceRequest,
  options: ReceiveOptions = {},
): Promise<ReceivedRequest> {
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

/**
 * Asserts that the body was not read yet. An exhausted stream would look like an empty body, and so would Firefox'
 * requests, which show no body.
 */
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
    // Refuse a closed stream: its unread data is lost, and it looks like an empty body.
    if (stream?.destroyed && !stream.endAfterHeaders) throw new Error('the stream was closed')
    // Keep the request: destroying it would close the connection, and lose the answer.
    yield* request.iterator({ destroyOnReturn: false })
  } finally {
    // Read the rest, because some clients read the answer only after sending everything.
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
