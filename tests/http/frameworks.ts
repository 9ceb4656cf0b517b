// The same small service with each framework, by examples/guide/services.md.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type HttpBindings, serve } from '@hono/node-server'
import { AlvariumError, type Sdk, type tls } from 'alvarium-sdk'
import { answerTo, type pkiHttp, type ReceivedRequest, receive, type ServiceRequest } from 'alvarium-sdk/http'
import express, { type ErrorHandler, type Handler } from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { listening } from '../support/serving.js'

export type Annotators = readonly [ReturnType<typeof tls>, ReturnType<typeof pkiHttp>]
export type Certificate = { readonly key: string; readonly cert: string } | undefined

export interface Service {
  readonly url: string
  /** Accepts no more requests, and resolves when the current ones are answered. */
  close(): Promise<unknown>
}

export type Start = (sdk: Sdk<Annotators>, certificate?: Certificate) => Promise<Service>

export const MOST_BYTES = 1000
const options = { maxBytes: MOST_BYTES }

async function annotate(sdk: Sdk<Annotators>, { body, raw, socket }: ReceivedRequest) {
  const { bundle } = await sdk.transit(body, { tls: socket, 'pki-http': raw })
  return bundle.annotations.map(({ isSatisfied }) => isSatisfied)
}

export const fastify: Start = async (sdk, certificate) => {
  const app = Fastify({ https: certificate ?? null, bodyLimit: MOST_BYTES })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post('/readings', async (request) => annotate(sdk, await receive(request, options)))
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof AlvariumError)) return reply.send(error)
    const { status, headers, body } = answerTo(error)
    return reply.code(status).headers(headers).send(body)
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `${origin}/readings`, close: () => app.close() }
}

/** @param parsers - that come before the service */
export const expressWith =
  (...parsers: Handler[]): Start =>
  async (sdk, certificate) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.post('/readings', async (request, response) => {
      response.json(await annotate(sdk, await receive(request, options)))
    })
    const answering: ErrorHandler = (error, _request, response, next) => {
      if (!(error instanceof AlvariumError)) return next(error)
      const { status, headers, body } = answerTo(error)
      return response.status(status).set(headers).send(body)
    }
    app.use(answering)
    return listened(certificate ? createHttps(certificate, app) : createServer(app), certificate)
  }

/** Chooses the request for the service: Node's, or fetch's around it. */
type Chosen = (bindings: HttpBindings, request: ServiceRequest) => ServiceRequest

export function honoApp(sdk: Sdk<Annotators>, choose: Chosen = (_bindings, request) => request) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.post('/readings', async (c) =>
    c.json(await annotate(sdk, await receive(choose(c.env, c.req), options))),
  )
  app.onError((error) => {
    const answer = answerTo(error)
    return new Response(answer.body, answer)
  })
  return app
}

export const honoWith =
  (choose: Chosen): Start =>
  async (sdk, certificate) => {
    const { fetch } = honoApp(sdk, choose)
    const tls = certificate && { createServer: createHttps, serverOptions: certificate }
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1', ...tls }) as Server
    await once(server, 'listening')
    return listened(server, certificate)
  }

async function listened(server: Server, certificate: Certificate): Promise<Service> {
  const port = server.listening ? (server.address() as { port: number }).port : await listening(server)
  const close = () => new Promise((resolve) => server.close(resolve))
  return { url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}/readings`, close }
}
