// @node-only: services receive requests in Node

import { receive, type ServiceRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { codeOf, failure, typeError } from '../support/failure.js'

const body = utf8('{"celsius":21.4}')

describe("the body of fetch's Request", () => {
  const url = 'https://api.example/readings'
  const requestOf = (source: UnderlyingDefaultSource<unknown>) => {
    const given = { method: 'POST', body: new ReadableStream(source), duplex: 'half' }
    return new Request(url, given as RequestInit)
  }

  it('is returned as the bytes that arrived, without a socket', async () => {
    const request = new Request(url, { method: 'POST', body })
    expect(await receive(request)).toEqual({ body, raw: request, socket: undefined })
    expect((await receive(new Request(url))).body).toEqual(new Uint8Array())
  })

  it('is read only up to maxBytes', async () => {
    let pulled = 0
    const cancelled = deferred()
    const request = requestOf({
      pull: (controller) => controller.enqueue(new Uint8Array(++pulled)),
      cancel: () => cancelled.resolve(),
    })
    expect(await codeOf(() => receive(request, { maxBytes: 5 }))).toBe('BODY_TOO_LARGE')
    await cancelled.promise
    expect(pulled).toBeLessThan(6)
  })

  it('may have 1 MiB by default', async () => {
    const receiving = (length: number) =>
      receive(new Request(url, { method: 'POST', body: new Uint8Array(length) }))
    expect((await receiving(1_048_576)).body).toHaveLength(1_048_576)
    expect(await codeOf(() => receiving(1_048_577))).toBe('BODY_TOO_LARGE')
  })

  it('is reported as incomplete with the error of its stream', async () => {
    const cause = new Error('the other side is gone')
    const request = requestOf({ pull: (controller) => controller.error(cause) })
    const error = await failure(() => receive(request))
    expect(error).toMatchObject({ code: 'MESSAGE_MALFORMED', cause })
    expect(error.message).toBe('body: expected the whole body, got an error: the other side is gone')
  })

  it('cannot be read a second time', async () => {
    const request = new Request(url, { method: 'POST', body })
    await request.json()
    expect((await typeError(() => receive(request))).message).toContain('the body was already read: have')
  })
})

describe('the body that a parser has stored in a request', () => {
  const raw = new Request('https://api.example/', { method: 'POST' })

  it('is returned by receive, or refused if it is longer than maxBytes', async () => {
    expect(await receive({ raw, body })).toEqual({ body, raw, socket: undefined })
    expect(await codeOf(() => receive({ raw, body }, { maxBytes: 15 }))).toBe('BODY_TOO_LARGE')
  })

  it('is not used if it is not bytes', async () => {
    expect((await receive({ raw, body: {} })).body).toEqual(new Uint8Array())
  })
})

describe('receive', () => {
  it('throws, instead of returning an empty body, if the body of the request is undefined', async () => {
    const request = { method: 'POST', url: 'https://api.example/', headers: {} }
    const { message } = await typeError(() => receive(request as unknown as ServiceRequest))
    expect(message).toBe('request: expected a stream or null as body, got undefined')
  })

  it.each([undefined, null, 'request', {}, { raw: 7 }])(
    'throws a TypeError for %j in place of a request',
    async (request) => {
      const { message } = await typeError(() => receive(request as unknown as ServiceRequest))
      expect(message).toMatch(/^request: expected an object with method, url and headers, got /)
    },
  )

  it('names an invalid option in its error', async () => {
    const request = new Request('https://api.example/')
    const { message } = await failure(() => receive(request, { maxBytes: -1 }))
    expect(message).toBe('receive.maxBytes: expected an integer from 0 to 9007199254740991, got -1')
  })
})
