import { answerTo, receive } from 'alvarium-sdk/http'
import { HttpError, parse } from './body.mjs'

/** Maximum size of a request body in bytes. */
const MOST_BYTES = 64 * 1024
/** Maximum number of stored readings. The oldest is dropped first; a real service would use a database. */
const MOST_KEPT = 1_000

/**
 * Returns the service's request handler.
 *
 * @param {import('alvarium-sdk').Sdk} sdk
 * @returns {import('node:http').RequestListener}
 */
export function readings(sdk) {
  /**
   * Readings by payload key, so that a repeated request adds no second reading. @type {Map<string, unknown>}
   */
  const kept = new Map()

  return async (request, response) => {
    try {
      reply(response, await answer(request))
    } catch (error) {
      reply(response, failure(error))
    }
  }

  /** @param {import('node:http').IncomingMessage} request */
  async function answer(request) {
    if (request.url !== '/readings') throw new HttpError(404, 'NOT_FOUND')
    if (request.method === 'GET') return json(200, listed())
    if (request.method === 'POST') return json(201, await take(request))
    throw new HttpError(405, 'METHOD_NOT_ALLOWED')
  }

  /** @param {import('node:http').IncomingMessage} request */
  async function take(request) {
    const { body, socket } = await receive(request, { maxBytes: MOST_BYTES })
    const reading = parse(body)
    const { bundle } = await sdk.transit(body, { tls: socket })
    keep(bundle.key, reading)
    await sdk.publish(body, { tls: socket })
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

/** Returns the response to an error. Logs an error with status 500 or 503: the client did not cause it. */
function failure(/** @type {unknown} */ error) {
  if (error instanceof HttpError) return json(error.status, { code: error.code })
  const answer = answerTo(error)
  if (answer.status >= 500) console.error(error)
  return answer
}

/** @param {number} status @param {unknown} value */
function json(status, value) {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${JSON.stringify(value)}\n` }
}

/** @param {import('node:http').ServerResponse} response @param {import('alvarium-sdk/http').Answer} answer */
function reply(response, { status, headers, body }) {
  response.writeHead(status, headers).end(body)
}
