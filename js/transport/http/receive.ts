// Receives a request of any server or framework: the body's bytes, and the inputs of annotators.

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

/** Request of `node:http`, `node:https`, `node:http2` or Express. */
export interface NodeRequest extends IncomingRequest {
  readonly socket: TlsSocket
  /** True if any part of the stream has been read. */
  readonly readableDidRead: boolean
  /** Body, if a body parser has set one. */
  readonly body?: unknown
  /** Stream of an HTTP/2 request; undefined for HTTP/1.1. */
  readonly stream?: { readonly destroyed: boolean; readonly endAfterHeaders: boolean } | undefined
  /** Returns an iterator over the chunks of the body. */
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<unknown>
  /** Reads and discards the rest of the body. */
  resume(): unknown
}

/** Request of fetch, as in Hono, Bun, Deno and workers, with the members that `receive` reads. */
export interface FetchRequest extends PlainRequest {
  readonly bodyUsed: boolean
  readonly body: {
    /** Locks the body to one reader. */
    getReader(): {
      /** Returns the next chunk of the body. */
      read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
      /** Discards the rest of the body. */
      cancel(): Promise<void>
    }
  } | null
}

/** Request of a framework that wraps the server's request: Fastify's `request`, Hono's `c.req`. */
export interface WrappedRequest {
  readonly raw: NodeRequest | FetchRequest
  /** Body, if a body parser has set one. */
  readonly body?: unknown
}

/** Request of any supported server or framework. */
export type ServiceRequest = NodeRequest | FetchRequest | WrappedRequest

/** Size limit for {@link receive}. */
export interface ReceiveOptions {
  /** Maximum size of a body in bytes. Default `1_048_576` (1 MiB). */
  readonly maxBytes?: number | undefined
}

/** Body, request and socket that {@link receive} returns. */
export interface ReceivedRequest {
  /** Bytes of the body as received, which are the payload. A gzip body stays compressed. */
  readonly body: Uint8Array
  /** Request to pass to `pki-http`, `verifyRequest` and `signResponse`. */
  readonly raw: HttpRequest
  /** Socket to pass to the annotator `tls`; undefined for fetch requests. */
  readonly socket: TlsSocket | undefined
}

/** Valibot schema of {@link ReceiveOptions}. Exported because the docs list its limits. */
export const schema = strict({ maxBytes: integer(0, Number.MAX_SAFE_INTEGER, 1_048_576) })

/**
 * Reads the body of a request, up to a limit. Counts the bytes that arrive, whatever `Content-Length` states.
 * Returns bytes that a body parser has stored in `body` (`express.raw()`, Fastify's `parseAs: 'buffer'`).
 *
 * After `BODY_TOO_LARGE`, the rest of the body is discarded, so that the client can still read the answer.
 * `receive` has no time limit, so set one in the server (`requestTimeout` of `node:http`).
 *
 * @throws AlvariumError `BODY_TOO_LARGE`; `MESSAGE_MALFORMED` for an incomplete body; `CONFIG_INVALID`
 * @throws TypeError for a value that is not a request, or if other code has read the body without storing it
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
 * Asserts that nothing has read the body yet, because an exhausted stream looks like an empty body. Also
 * throws in Firefox, where requests have no property `body`.
 */
function assertUnread(raw: NodeRequest | FetchRequest): void {
  if (!('rawHeaders' in raw) && raw.body === undefined) {
    throw new TypeError('request: expected a stream or null as body, got undefined')
  }
  if (!('rawHeaders' in raw ? raw.readableDidRead : raw.bodyUsed)) return
  const hint = 'have the body parser keep its bytes, or leave it to receive()'
  throw new TypeError(`request: the body was already read: ${hint}`)
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
    // Refuse a closed stream, which looks like an empty body because its unread data is lost.
    if (stream?.destroyed && !stream.endAfterHeaders) throw new Error('the stream was closed')
    // Keep the request open, because destroying it would close the connection before the answer is sent.
    yield* request.iterator({ destroyOnReturn: false })
  } finally {
    // Discard the rest of the body, because some clients read the answer only after sending everything.
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
