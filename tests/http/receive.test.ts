// @node-only: it uses node:events, node:http, node:http2, node:net, node:zlib

import { once } from 'node:events'
import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import { connect, createSecureServer, type Http2ServerRequest } from 'node:http2'
import { createConnection } from 'node:net'
import { type AlvariumError, keyOf, tls } from 'alvarium-sdk'
import { answerTo, type ReceivedRequest, receive, type ServiceRequest } from 'alvarium-sdk/http'
import { afterEach, describe, expect, it } from 'vitest'
import { selfSigned } from '../brokers/certificate.js'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { typeError } from '../support/failure.js'
import { opened } from '../support/sdk.js'
import { listening, post, posting } from '../support/serving.js'

const body = utf8('{"celsius":21.4}')
let servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers) server.close()
  servers = []
})

/** Starts a server, and records the result of `receive` for each request. */
async function serving(maxBytes = 64, options: ServerOptions = {}) {
  const outcomes: unknown[] = []
  const listener: RequestListener = async (request, response) => {
    try {
      outcomes.push(await receive(request, { maxBytes }))
      response.end()
    } catch (error) {
      outcomes.push(error)
      const { status, headers, body } = answerTo(error)
      response.writeHead(status, headers).end(body)
    }
  }
  const server = createServer(options, listener)
  servers.push(server)
  const url = `http://127.0.0.1:${await listening(server)}/`
  return { url, outcomes, server }
}

const bodyIn = (outcome: unknown) => textOf((outcome as ReceivedRequest).body)
const codeIn = (outcome: unknown) => (outcome as AlvariumError).code

describe('the body of a request of node:http', () => {
  it('is returned as the bytes that arrived, in whatever pieces', async () => {
    const { url, outcomes } = await serving()
    const { request, got } = posting(url)
    for (const piece of ['{"cel', 'sius"', ':21.4}']) {
      await new Promise((resolve) => request.write(piece, resolve))
    }
    request.end()
    expect((await got).status).toBe(200)
    expect(bodyIn(outcomes[0])).toBe('{"celsius":21.4}')
  })

  it('may arrive slowly without delaying other requests', async () => {
    const { url, outcomes } = await serving()
    const { request, got } = posting(url)
    request.write('slow')
    await post(url, utf8('quick'))
    request.end('ly')
    await got
    expect(outcomes.map(bodyIn)).toEqual(['quick', 'slowly'])
  })

  it('may be empty or missing', async () => {
    const { url, outcomes } = await serving(0)
    await post(url, new Uint8Array())
    await (await fetch(url)).text()
    expect(outcomes.map(bodyIn)).toEqual(['', ''])
  })

  it('may have maxBytes bytes, and no more', async () => {
    const { url, outcomes } = await serving(16)
    expect((await post(url, body)).status).toBe(200)
    expect(await post(url, utf8(`${textOf(body)} `))).toMatchObject({
      status: 413,
      text: '{"code":"BODY_TOO_LARGE"}',
    })
    expect(outcomes[1]).toMatchObject({ message: 'body: expected at most 16 bytes, got more' })
  })

  it('is refused as too long with a response that arrives even if the client sends everything first', async () => {
    const { url } = await serving()
    const { port } = new URL(url)
    const client = createConnection(Number(port), '127.0.0.1').pause()
    const rest = 16_000_000
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${rest}\r\n\r\n`)
    await new Promise((resolve) => client.write(new Uint8Array(rest), resolve))
    const [answer] = await once(client.resume(), 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /)
    client.destroy()
  })

  it('is reported as incomplete if the client disconnects', async () => {
    const { url, outcomes, server } = await serving()
    const { request } = posting(url, { headers: { 'Content-Length': 16 } })
    request.write(body.subarray(0, 5))
    await once(server, 'request')
    request.destroy()
    await expect.poll(() => outcomes.map(codeIn)).toEqual(['MESSAGE_MALFORMED'])
    expect(outcomes[0]).toMatchObject({ message: 'body: expected the whole body, got an error: aborted' })
  })

  it('may be refused as too long before all of it has arrived', async () => {
    const { url, server } = await serving()
    const { request, got } = posting(url)
    request.write(new Uint8Array(65))
    const [received] = await once(server, 'request')
    const closed = new Promise((resolve) => received.socket.once('close', resolve))
    await got
    request.destroy()
    await closed
    expect((await post(url, body)).status).toBe(200)
  })

  it('may take as long as the server permits', async () => {
    const { url, outcomes } = await serving(64, { requestTimeout: 1000, connectionsCheckingInterval: 50 })
    const { request, got } = posting(url)
    request.write('never')
    expect(await got).toMatchObject({ status: 408 })
    await expect.poll(() => outcomes.map(codeIn)).toEqual(['MESSAGE_MALFORMED'])
  })

  it('cannot be read a second time', async () => {
    const again = deferred<TypeError>()
    const server = createServer(async (request, response) => {
      await receive(request)
      again.resolve(await typeError(() => receive(request)))
      response.end()
    })
    servers.push(server)
    await post(`http://127.0.0.1:${await listening(server)}/`, body)
    expect((await again.promise).message).toBe(
      'request: the body was already read: have the body parser keep its bytes, or leave it to receive()',
    )
  })
})

describe('the body of a request of node:http2', () => {
  const certificate = selfSigned()

  /** Sends a stream of a session to a server that annotates it, and returns the result: a receipt, or an error. */
  async function streaming(until: (request: Http2ServerRequest) => unknown = () => {}, method = 'POST') {
    const { sdk } = await opened([tls({ peerCertificate: 'optional' })])
    const [begun, outcome] = [deferred(), deferred<unknown>()]
    const annotated = async (request: ServiceRequest) => {
      const { body, socket } = await receive(request)
      return sdk.transit(body, { tls: socket })
    }
    const server = createSecureServer(certificate, async (request, response) => {
      begun.resolve()
      await until(request)
      outcome.resolve(await annotated(request).catch((error) => error))
      response.end()
    })
    const url = `https://127.0.0.1:${await listening(server)}`
    const session = connect(url, { rejectUnauthorized: false })
    servers.push(server, session)
    const stream = session.request({ ':method': method, ':path': '/readings' })
    stream.on('error', () => {})
    return { stream, outcome: outcome.promise, begun: begun.promise }
  }

  it('is returned as the bytes that arrived, with a socket that satisfies the annotator tls', async () => {
    const { stream, outcome } = await streaming()
    stream.resume().end(body)
    const annotations = [{ kind: 'tls', isSatisfied: true }]
    expect(await outcome).toMatchObject({ bundle: { key: keyOf(body), annotations } })
  })

  it('is reported as incomplete if the client resets the stream', async () => {
    const { stream, outcome, begun } = await streaming()
    stream.write(body)
    await begun
    stream.destroy()
    expect(await outcome).toMatchObject({ code: 'MESSAGE_MALFORMED' })
  })

  it('is reported as incomplete if the client has reset the stream before the read', async () => {
    const { stream, outcome, begun } = await streaming((request) => once(request, 'close'))
    stream.write(body)
    await begun
    stream.destroy()
    expect(await outcome).toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: 'body: expected the whole body, got an error: the stream was closed',
    })
  })

  it('is empty for a GET request, even if the client has disconnected', async () => {
    const { stream, outcome, begun } = await streaming((request) => once(request, 'close'), 'GET')
    await begun
    stream.destroy()
    expect(await outcome).toMatchObject({ bundle: { key: keyOf(new Uint8Array()) } })
  })
})
