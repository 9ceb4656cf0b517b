// The part of Express that the tests use; Express has no types of its own.

declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Request extends IncomingMessage {
    readonly body?: unknown
  }
  interface Response extends ServerResponse {
    status(code: number): this
    set(headers: Readonly<Record<string, string>>): this
    json(value: unknown): this
    send(text: string): this
  }
  type Next = (error?: unknown) => void
  export type Handler = (request: Request, response: Response, next: Next) => unknown
  export type ErrorHandler = (error: unknown, request: Request, response: Response, next: Next) => unknown
  interface Express extends RequestListener {
    use(handler: Handler | ErrorHandler): this
    post(path: string, handler: Handler): this
  }
  const express: {
    (): Express
    json(): Handler
    raw(options: { type: string; limit: number }): Handler
  }
  export default express
}
