import { AlvariumError } from 'alvarium-sdk'
import { HttpError, readBody } from './body.mjs'

/** Most readings kept; the oldest goes first. A real service would have a database here. */
const MOST_KEPT = 1_000

/**
 * The service's request handler.
 *
 * @param {import('alvarium-sdk').Sdk} sdk
 * @returns {import('node:http').RequestListener}
 */
export function readings(sdk) {
  /** By key, so that a client that got a 503 can send its reading again. @type {Map<string, unknown>} */
  const kept = new Map()

  return async (request, response) => {
    try {
      const { status, body } = await answer(request)
      reply(response, status, body)
    } catch (error) {
      const { status, code, message } = failure(error)
      reply(response, status, { code, message })
      // Whoever still sends a body that was too long reads the answer afterwards: the rest goes unread.
      request.resume()
    }
  }

  /** @param {import('node:http').IncomingMessage} request */
  async function answer(request) {
    if (request.url !== '/readings') throw new HttpError(404, 'NOT_FOUND', 'expected /readings')
    if (request.method === 'GET') return { status: 200, body: listed() }
    if (request.method === 'POST') return { status: 201, body: await take(request) }
    throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'expected GET or POST')
  }

  /** @param {import('node:http').IncomingMessage} request */
  async function take(request) {
    const { bytes, json } = await readBody(request)
    const { bundle } = await sdk.transit(bytes, { tls: request.socket })
    keep(bundle.key, json)
    await sdk.publish(bytes, { tls: request.socket })
    return { key: bundle.key }
  }

  /** @param {string} key @param {unknown} reading */
  function keep(key, reading) {
    kept.set(key, reading)
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value)
  }

  function listed() {
    return [...kept].map(([key, reading]) => ({ key, reading }))
  }
}

/** A stream that takes no messages is a matter of time (503), anything unknown is a bug of ours (500). */
function failure(/** @type {unknown} */ error) {
  if (error instanceof HttpError) return error
  if (error instanceof AlvariumError) return { status: 503, code: error.code, message: error.message }
  console.error(error)
  return { status: 500, code: 'INTERNAL', message: 'internal error' }
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {unknown} body */
function reply(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}
