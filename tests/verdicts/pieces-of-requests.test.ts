import { signRequest, signResponse, verifyRequest, verifyResponse } from 'alvarium-sdk/http'
import { it } from 'vitest'
import type { Party } from '../support/by-hand.js'
import { utf8 } from '../support/bytes.js'
import { kind } from '../support/pieces.js'
import { device, stranger } from './evidence.js'

// For each function that verifies signed requests: its verdict holds with all of its evidence, but not with any one
// piece of it changed.

const RFC9421 = { format: 'rfc9421' } as const

it.each<readonly [string, () => Promise<void>]>([
  [
    'verifyRequest',
    kind({
      cases: async () => {
        const evidence = async (method: string, keys: Party) => {
          const url = `https://api.example/transfer?by=${method}`
          const body = `{"by":"${method}"}`
          const signing = { ...RFC9421, signingKey: device.signingKey, keyId: 'k', body: utf8(body) }
          const headers = await signRequest({ method, url, headers: {} }, signing)
          return { request: { method, url, headers }, body, keys: { k: keys.verifyingKey } }
        }
        return [await evidence('POST', device), await evidence('PUT', stranger)]
      },
      verdict: async ({ request, body, keys }) => {
        const bytes = body === undefined ? {} : { body: utf8(body) }
        return { holds: await verifyRequest(request, { ...RFC9421, keys, ...bytes }) }
      },
      reasons: { request: /./, body: /body|digest/, keys: /key|signature/ },
    }),
  ],
  [
    'verifyResponse',
    kind({
      cases: async () => {
        const evidence = async (by: string, status: number, keys: Party) => {
          const request = { method: 'GET', url: `https://api.example/?by=${by}`, headers: {} }
          const signing = { signingKey: device.signingKey, keyId: 'k', request, body: utf8(by) }
          const headers = await signResponse({ status, headers: {} }, signing)
          return { response: { status, headers }, request, body: by, keys: { k: keys.verifyingKey } }
        }
        return [await evidence('a', 200, device), await evidence('b', 201, stranger)]
      },
      verdict: async ({ response, request, body, keys }) => {
        const bytes = body === undefined ? {} : { body: utf8(body) }
        const { notBound, ...found } = await verifyResponse(response, { keys, request, ...bytes })
        return notBound.length > 0 ? { reason: `not bound to the ${notBound}` } : { holds: found }
      },
      reasons: {
        response: /./,
        request: /request|signature|method|host|headers/,
        body: /body/,
        keys: /key|signature/,
      },
    }),
  ],
])('%s needs each piece of its evidence about a request', (_, check) => check())
