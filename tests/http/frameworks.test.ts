// @node-only: it uses node:zlib

import { gzipSync } from 'node:zlib'
import { openSdk, type StreamProvider, tls, verifyMessage } from 'alvarium-sdk'
import { pkiHttp, signRequest } from 'alvarium-sdk/http'
import { outbox } from 'alvarium-sdk/outbox'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { selfSigned } from '../brokers/certificate.js'
import { utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { memoryStore } from '../support/outbox-store.js'
import { key, keyring } from '../support/sdk.js'
import { post, posting } from '../support/serving.js'
import {
  expressWith,
  fastify,
  honoApp,
  honoWith,
  MOST_BYTES,
  type Service,
  type Start,
} from './frameworks.js'

const body = utf8('{"celsius":21.4}')
const certificate = selfSigned()
const keys = { 'edge-7': key.verifyingKey }

/** Resources to close after a test, the newest first. */
let opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of opened.reverse()) await each.close()
  opened = []
})

function gated() {
  const gate = deferred()
  const messages: Uint8Array[] = []
  const publish = async (message: Uint8Array) => {
    messages.push(message)
    await gate.promise
  }
  return { publish, messages, open: gate.resolve }
}

async function sdkWith(stream: StreamProvider) {
  const annotators = [tls({ peerCertificate: 'optional' }), pkiHttp({ format: 'rfc9421', keys })] as const
  const sdk = await openSdk({ signingKey: key.signingKey, host: 'edge-7', annotators, stream })
  opened.push(sdk)
  return sdk
}

async function started(start: Start, given: { stream?: StreamProvider; isSecure?: boolean } = {}) {
  const stream = gated()
  stream.open()
  const sdk = await sdkWith(given.stream ?? stream)
  const service: Service = await start(sdk, given.isSecure ? certificate : undefined)
  opened.push(service)
  return { sdk, service, url: service.url, messages: stream.messages }
}

const signed = (url: string, payload = body) => {
  const signing = { format: 'rfc9421', signingKey: key.signingKey, keyId: 'edge-7', body: payload } as const
  return signRequest({ method: 'POST', url, headers: {} }, signing)
}

const services: [string, Start][] = [
  ['Fastify', fastify],
  ['Express', expressWith()],
  ['Express, whose parser has kept the bytes', expressWith(express.raw({ type: '*/*', limit: MOST_BYTES }))],
  ['Hono on Node', honoWith((bindings) => bindings.incoming)],
]

describe.each(services)('a service with %s', (_, start) => {
  it('reports a request over TLS as protected, and a signed request as signed', async () => {
    const { url, messages } = await started(start, { isSecure: true })
    const { text } = await post(url, body, await signed(url))
    expect(JSON.parse(text)).toEqual([true, true])
    await verifyMessage(messages[0] as Uint8Array, { keyring, payload: body })
  })

  it('makes unsatisfied annotations for plain HTTP and for an altered body', async () => {
    const { url } = await started(start)
    const { text } = await post(url, utf8('{"celsius":12.4}'), await signed(url))
    expect(JSON.parse(text)).toEqual([false, false])
  })

  it('refuses a body that is too long, and annotates nothing', async () => {
    const { url, messages } = await started(start)
    expect((await post(url, new Uint8Array(MOST_BYTES + 1))).status).toBe(413)
    expect(messages).toEqual([])
  })

  it('annotates nothing if the client disconnects', async () => {
    const { url, messages } = await started(start)
    const { request } = posting(url)
    await new Promise((resolve) => request.write(body, resolve))
    request.destroy()
    expect((await post(url, utf8('next'))).status).toBe(200)
    expect(messages).toHaveLength(1)
    await verifyMessage(messages[0] as Uint8Array, { keyring, payload: utf8('next') })
  })

  it('answers 503 with Retry-After while the outbox is full', async () => {
    const stream = outbox({ stream: gated(), store: memoryStore(), maxBytes: 1000, closeTimeoutMs: 1 })
    const { url } = await started(start, { stream })
    expect((await post(url, body)).status).toBe(200)
    expect(await post(url, body)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      text: '{"code":"QUEUE_FULL"}',
    })
  })

  it('finishes its accepted requests when it is closed', async () => {
    const stream = gated()
    const { sdk, service, url } = await started(start, { stream })
    const answer = post(url, body)
    await expect.poll(() => stream.messages).toHaveLength(1)
    const closed = service.close().then(() => sdk.close())
    stream.open()
    expect((await answer).status).toBe(200)
    await closed
    expect(sdk.stats()).toMatchObject({ accepted: 1, failed: 0 })
  })
})

describe('a compressed body', () => {
  const compressed = gzipSync(body)
  const answerOf = async (start: Start) => {
    const { url } = await started(start)
    const headers = { ...(await signed(url, compressed)), 'Content-Encoding': 'gzip' }
    return JSON.parse((await post(url, compressed, headers)).text)[1]
  }

  it.each(services.filter(([name]) => !name.includes('parser')))(
    'verifies in its compressed form, as it was sent: %s',
    async (_, start) => {
      expect(await answerOf(start)).toBe(true)
    },
  )

  it('does not verify if express.raw() has decompressed it', async () => {
    expect(await answerOf(expressWith(express.raw({ type: '*/*', limit: MOST_BYTES })))).toBe(false)
  })
})

describe('a request body that express.json() has parsed', () => {
  it('makes the service answer 500, and is not annotated', async () => {
    const { url, messages } = await started(expressWith(express.json()))
    expect((await post(url, body)).status).toBe(500)
    expect(messages).toEqual([])
  })
})

describe('Hono without a server', () => {
  it('annotates the body and the signature of a request, and cannot see TLS', async () => {
    const { sdk } = await started(honoWith((_bindings, request) => request))
    const url = 'https://api.example/readings'
    const init = { method: 'POST', headers: await signed(url), body }
    const response = await honoApp(sdk).request(new Request(url, init))
    expect(await response.json()).toEqual([false, true])
  })
})
