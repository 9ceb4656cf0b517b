// @node-only: it uses node:http, node:http2, node:https, node:net

import { createServer, type IncomingMessage, type Server, request as send } from 'node:http'
import { connect, createServer as createHttp2 } from 'node:http2'
import { createServer as createHttps, request as sendTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import { AlvariumError } from 'alvarium-sdk'
import { pkiHttp, signRequest, signResponse, verifyResponse } from 'alvarium-sdk/http'
import { afterEach, describe, expect, it } from 'vitest'
import { selfSigned } from '../brokers/certificate.js'
import { concat, utf8 } from '../support/bytes.js'
import { key, opened } from '../support/sdk.js'

const body = utf8('{"celsius":21.4}')
const keys = { 'edge-7': key.verifyingKey }
const signing = { format: 'rfc9421', signingKey: key.signingKey, keyId: 'edge-7', body } as const

let server: Server | ReturnType<typeof createHttp2> | undefined
afterEach(() => server?.close())

async function listening(made: NonNullable<typeof server>): Promise<number> {
  server = made
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  return (made.address() as AddressInfo).port
}

async function bodyOf(incoming: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of incoming) pieces.push(piece)
  return concat(...pieces)
}

/** Opens an SDK whose annotator checks requests, and returns its answer on one, with the reason of a refusal. */
async function judge(options: Partial<Parameters<typeof pkiHttp>[0]> = {}) {
  const { sdk } = await opened([pkiHttp({ format: 'rfc9421', keys, ...options } as never)])
  const codes: unknown[] = []
  sdk.addEventListener('annotatorerror', ({ error }) => {
    codes.push(error.cause instanceof AlvariumError ? error.cause.code : error.cause)
  })
  return async (payload: Uint8Array, request?: unknown) => {
    const inputs = request === undefined ? {} : { 'pki-http': request as IncomingMessage }
    const { bundle } = await sdk.transit(payload, inputs)
    return [bundle.annotations[0]?.kind, bundle.annotations[0]?.isSatisfied, ...codes.splice(0)]
  }
}

describe('the pki-http annotator', () => {
  it('is satisfied by a signed request of node:http, and reports why another request failed', async () => {
    const answer = await judge()
    const answers: unknown[] = []
    const port = await listening(
      createServer(async (incoming, response) => {
        answers.push(await answer(await bodyOf(incoming), incoming))
        response.end()
      }),
    )
    const url = `http://127.0.0.1:${port}/readings?unit=K`
    const signed = await signRequest({ method: 'POST', url, headers: {} }, signing)
    const post = (headers: Record<string, string | string[]>, bytes = body, to = url) =>
      new Promise((resolve, reject) =>
        send(to, { method: 'POST', headers }, (response) => response.resume().on('end', resolve))
          .on('error', reject)
          .end(bytes),
      )
    await post(signed)
    await post(signed, utf8('{"celsius":12.4}'))
    await post(signed, body, `${url}&more=1`)
    await post({})
    await post({ ...signed, 'Content-Digest': [signed['Content-Digest'] ?? '', 'sha-256=:YWJj:'] })
    expect(answers).toEqual([
      ['pki-http', true],
      ['pki-http', false, 'PAYLOAD_MISMATCH'],
      ['pki-http', false, 'SIGNATURE_INVALID'],
      ['pki-http', false, 'MESSAGE_MALFORMED'],
      ['pki-http', false, 'SIGNATURE_INVALID'],
    ])
  })

  // claim: http-4
  it('checks the whole path of the request, although a mounted router sees only the end of the path', async () => {
    const answer = await judge()
    const answers: unknown[] = []
    const port = await listening(
      createServer(async (incoming, response) => {
        // Connect and Express rewrite the URL like this for `use('/admin', …)`.
        Object.assign(incoming, { originalUrl: incoming.url, url: incoming.url?.replace('/admin', '') })
        answers.push(await answer(await bodyOf(incoming), incoming))
        response.end()
      }),
    )
    const base = `http://127.0.0.1:${port}`
    for (const path of ['/admin/readings', '/readings']) {
      const signed = await signRequest({ method: 'POST', url: `${base}${path}`, headers: {} }, signing)
      await fetch(`${base}/admin/readings`, { method: 'POST', headers: signed, body })
    }
    expect(answers).toEqual([
      ['pki-http', true],
      ['pki-http', false, 'SIGNATURE_INVALID'],
    ])
  })

  it('learns from the connection that a request arrived over TLS', async () => {
    const answer = await judge({ components: ['@target-uri', 'content-digest'] })
    const certificate = selfSigned()
    const answers: unknown[] = []
    const port = await listening(
      createHttps(certificate, async (incoming, response) => {
        answers.push(await answer(await bodyOf(incoming), incoming))
        response.end()
      }),
    )
    const url = `https://127.0.0.1:${port}/readings`
    const components = ['@target-uri', 'content-digest']
    for (const of of [url, url.replace('https', 'http')]) {
      const plain = { method: 'POST', url: of, headers: {} }
      const headers = await signRequest(plain, { ...signing, components })
      const options = { method: 'POST', headers, rejectUnauthorized: false }
      await new Promise((resolve) => {
        sendTls(url, options, (response) => response.resume().on('end', resolve)).end(body)
      })
    }
    expect(answers).toEqual([
      ['pki-http', true],
      ['pki-http', false, 'SIGNATURE_INVALID'],
    ])
  })

  it('is satisfied by a signed request of HTTP/2', async () => {
    const answer = await judge()
    const answers: unknown[] = []
    const port = await listening(
      createHttp2(async (incoming, response) => {
        answers.push(await answer(await bodyOf(incoming), incoming))
        response.end()
      }),
    )
    const plain = { method: 'POST', url: `http://127.0.0.1:${port}/readings`, headers: {} }
    const client = connect(plain.url)
    const stream = client.request({
      ':method': 'POST',
      ':path': '/readings',
      ...(await signRequest(plain, signing)),
    })
    stream.end(body)
    await new Promise((resolve) => stream.resume().on('end', resolve))
    client.close()
    expect(answers).toEqual([['pki-http', true]])
  })

  describe('with a request of node:http', () => {
    const incoming = (headers: Record<string, string>, more: object = {}) => ({
      method: 'POST',
      url: '/readings',
      rawHeaders: Object.entries(headers).flat(),
      ...more,
    })
    const signedFor = (url: string) => signRequest({ method: 'POST', url, headers: {} }, signing)

    // claim: threats-43
    it('uses the configured origin, and not the host that the request names', async () => {
      const signed = await signedFor('https://api.example.com/readings')
      const [bare, told] = [await judge(), await judge({ origin: 'https://api.example.com' })]
      const forElsewhere = await signedFor('https://other.example/readings')
      const host = { Host: 'other.example' }
      expect(await told(body, incoming({ Host: '10.0.0.7', ...signed }))).toEqual(['pki-http', true])
      expect(await bare(body, incoming({ ...host, ...forElsewhere }))).toEqual(['pki-http', true])
      const replayed = ['pki-http', false, 'SIGNATURE_INVALID']
      expect(await told(body, incoming({ ...host, ...forElsewhere }))).toEqual(replayed)
      const absolute = { url: 'https://other.example/readings' }
      expect(await told(body, incoming({ ...host, ...forElsewhere }, absolute))).toEqual(replayed)
    })

    it('does not take the host from a request target that begins with two slashes', async () => {
      const signed = await signedFor('https://other.example/readings')
      const answer = await judge({ origin: 'https://api.example.com' })
      const target = { url: '//other.example/readings' }
      expect(await answer(body, incoming(signed, target))).toEqual(['pki-http', false, 'SIGNATURE_INVALID'])
    })

    it('refuses a Host header that contains a path, which would hide the real path', async () => {
      const answer = await judge()
      const signed = await signedFor('http://api.example.com/search?q=/admin')
      const [plain, shifted, cut] = [
        incoming({ Host: 'api.example.com', ...signed }, { url: '/search?q=/admin' }),
        incoming({ Host: 'api.example.com/search?q=', ...signed }, { url: '/admin' }),
        incoming({ Host: 'api.example.com', ...signed }, { url: '/search?q=/admin#/other' }),
      ]
      expect(await answer(body, plain)).toEqual(['pki-http', true])
      const refused = ['pki-http', false, 'MESSAGE_MALFORMED']
      expect(await answer(body, shifted)).toEqual(refused)
      expect(await answer(body, cut)).toEqual(refused)
      const scheme = { ':scheme': 'http://api.example.com/search?q=/admin#' }
      expect(await answer(body, incoming({ ...scheme, Host: 'x', ...signed }))).toEqual(refused)
    })
  })

  it('is not satisfied if the call passes no request, and reports the missing request', async () => {
    const answer = await judge()
    expect(await answer(body)).toEqual(['pki-http', false, expect.any(TypeError)])
    expect(await answer(body, 'request')).toEqual(['pki-http', false, expect.any(TypeError)])
  })
})

describe('a response that a node:http server signs together with the request', () => {
  it('verifies in node:http and in fetch, but not as the answer to a different request', async () => {
    const answer = utf8('{"stored":true}')
    const port = await listening(
      createServer(async (request, response) => {
        request.resume()
        const made = { signingKey: key.signingKey, keyId: 'edge-7', request, body: answer }
        const signed = await signResponse({ status: 201, headers: {} }, made)
        response.writeHead(201, signed).end(answer)
      }),
    )
    const plain = { method: 'POST', url: `http://127.0.0.1:${port}/readings?unit=K`, headers: {} }
    const request = { ...plain, headers: await signRequest(plain, signing) }
    const verify = (response: IncomingMessage | Response, of: object = request) =>
      verifyResponse(response, { keys, request: of as typeof request, body: answer })
    const { method, headers } = request
    const received = await new Promise<IncomingMessage>((resolve, reject) =>
      send(request.url, { method, headers }, resolve).on('error', reject).end(body),
    )
    received.resume()
    expect(await verify(received)).toMatchObject({ keyId: 'edge-7', label: 'sig1' })
    const fetched = await fetch(request.url, { method, headers, body })
    expect(await verify(fetched)).toMatchObject({ keyId: 'edge-7' })
    const other = { ...request, url: plain.url.replace('K', 'C') }
    await expect(verify(fetched, other)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  })
})
