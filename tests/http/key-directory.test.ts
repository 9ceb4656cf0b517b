import { generateKey } from 'alvarium-sdk'
import { jwkThumbprint, keyDirectory, verifyResponse } from 'alvarium-sdk/http'
import { verify as verifiedByNpm } from 'http-message-sig'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { directoryResponseHeaders } from 'web-bot-auth'
import { signerFromJWK, verifierFromJWK } from 'web-bot-auth/crypto'
import { failure } from '../support/failure.js'
import { makeBotKey } from '../support/web-bot-auth.js'

const TAG = 'http-message-signatures-directory'
const ORIGIN = 'https://bot.example'
const URL_OF_IT = `${ORIGIN}/.well-known/http-message-signatures-directory`
const [one, other] = [makeBotKey(), makeBotKey()]
const directory = keyDirectory({ signingKeys: [one.signingKey, other.signingKey], origin: ORIGIN })
const request = { method: 'GET', url: URL_OF_IT, headers: {} }

describe('the key directory of an agent', () => {
  it('is a JSON Web Key Set of the public keys, with their thumbprints as key ids', async () => {
    const response = await directory(new Request(URL_OF_IT))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/http-message-signatures-directory+json')
    expect(response.headers.get('cache-control')).toBe('max-age=86400')
    const published = (key: typeof one) => ({
      ...key.publicJwk,
      kid: jwkThumbprint(key.verifyingKey),
      use: 'sig',
    })
    expect(await response.json()).toEqual({ keys: [one, other].map(published) })
  })

  it('is signed by each key over its own host and body, whatever host a request names', async () => {
    const response = await directory(new Request(URL_OF_IT.replace('bot.example', 'other.example')))
    const body = new Uint8Array(await response.arrayBuffer())
    const components = ['"@authority";req', 'content-digest']
    for (const [at, key] of [one, other].entries()) {
      const keys = { [jwkThumbprint(key.verifyingKey)]: key.verifyingKey }
      const options = {
        keys,
        request,
        components,
        label: `binding${at}`,
        tag: 'http-message-signatures-directory',
      }
      const { created, expires } = await verifyResponse(response, { ...options, body })
      expect(Number(expires) - Number(created)).toBe(86_400)
      const code = async (more: object) =>
        (await failure(() => verifyResponse(response, { ...options, body, ...more }))).code
      expect(await code({ body: new Uint8Array(2) })).toBe('PAYLOAD_MISMATCH')
      const elsewhere = { ...request, url: URL_OF_IT.replace('bot', 'rob') }
      expect(await code({ request: elsewhere })).toBe('SIGNATURE_INVALID')
    }
  })

  it('is signed once for all requests within a minute', async () => {
    const [first, second] = [await directory(new Request(URL_OF_IT)), await directory(new Request(URL_OF_IT))]
    expect(second.headers.get('signature')).toBe(first.headers.get('signature'))
  })

  it('is signed again for later requests, because a signature is valid for a day only', async () => {
    onTestFinished(() => void vi.restoreAllMocks())
    const own = keyDirectory({ signingKeys: [one.signingKey], origin: ORIGIN })
    await own(new Request(URL_OF_IT))
    for (const clock of [Date, performance]) {
      vi.spyOn(clock, 'now').mockReturnValue(clock.now() + 86_460_000)
    }
    const response = await own(new Request(URL_OF_IT))
    const keys = { [jwkThumbprint(one.verifyingKey)]: one.verifyingKey }
    const options = { keys, request, components: ['"@authority";req', 'content-digest'], tag: TAG }
    const body = new Uint8Array(await response.arrayBuffer())
    expect((await verifyResponse(response, { ...options, body })).label).toBe('binding0')
  })

  it('verifies with npm http-message-sig, but not for a different host', async () => {
    const own = keyDirectory({ signingKeys: [one.signingKey], origin: ORIGIN })
    const { headers } = await own(new Request(URL_OF_IT))
    const response = { status: 200, headers: Object.fromEntries(headers) }
    const verifier = await verifierFromJWK(one.publicJwk)
    const judge = (url: string) =>
      verifiedByNpm({ request: { ...request, url }, response }, (data, signature, parameters) =>
        verifier(data, signature, parameters as never),
      )
    await judge(URL_OF_IT)
    await expect(judge(URL_OF_IT.replace('bot', 'rob'))).rejects.toThrow('invalid signature')
  })

  it('is accepted by verifyResponse when npm web-bot-auth has signed it', async () => {
    const created = new Date()
    const times = { created, expires: new Date(created.getTime() + 300_000) }
    const answered = { request, response: { status: 200, headers: {} } }
    const headers = await directoryResponseHeaders(answered, [await signerFromJWK(one.privateJwk)], times)
    const keys = { [jwkThumbprint(one.verifyingKey)]: one.verifyingKey }
    const options = { keys, request, components: ['"@authority";req'], tag: TAG }
    expect((await verifyResponse({ status: 200, headers: { ...headers } }, options)).label).toBe('binding0')
  })

  it.each([
    ['https://bot.example/', 'GET', 404],
    [URL_OF_IT, 'POST', 405],
    [URL_OF_IT, 'HEAD', 200],
  ])('answers at %s to %s with status %i and no body', async (url, method, status) => {
    const response = await directory(new Request(url, { method }))
    expect([response.status, await response.text()]).toEqual([status, ''])
  })

  it.each([
    [{ signingKeys: [] }, 'CONFIG_INVALID keyDirectory.signingKeys'],
    [
      { signingKeys: Array.from({ length: 17 }, () => one.signingKey) },
      'CONFIG_INVALID keyDirectory.signingKeys',
    ],
    [
      { signingKeys: [one.signingKey, one.signingKey] },
      'CONFIG_INVALID keyDirectory.signingKeys: expected each key once',
    ],
    [{ origin: 'http://bot.example' }, 'CONFIG_INVALID keyDirectory.origin'],
    [{ origin: `${ORIGIN}/keys` }, 'CONFIG_INVALID keyDirectory.origin'],
    [{ maxAgeSeconds: 59 }, 'CONFIG_INVALID keyDirectory.maxAgeSeconds'],
  ])('is not created with invalid options: case %#', async (more, message) => {
    const error = await failure(() =>
      keyDirectory({ signingKeys: [one.signingKey], origin: ORIGIN, ...more }),
    )
    expect(`${error.code} ${error.message}`).toContain(message)
  })

  it('contains only Ed25519 keys', async () => {
    const { signingKey } = await generateKey({ algorithm: 'P-256' })
    const error = await failure(() => keyDirectory({ signingKeys: [signingKey], origin: ORIGIN }))
    expect(error.code).toBe('KEY_INVALID')
  })
})
