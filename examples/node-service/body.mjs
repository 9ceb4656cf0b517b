/** Longest body that is taken. */
const MOST_BYTES = 64 * 1024

/** An answer to the client that is no success. */
export class HttpError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message)
    this.status = status
    this.code = code
  }
}

/**
 * The body as it came, for the hash, and what it says. Two JSON texts that mean the same are different payloads.
 *
 * @param {import('node:http').IncomingMessage} request
 */
export async function readBody(request) {
  const chunks = []
  let length = 0
  // Left whole after an error, so that the answer can still go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > MOST_BYTES) throw new HttpError(413, 'BODY_TOO_LONG', `expected at most ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  return { bytes, json: parse(bytes) }
}

/** @param {Buffer} bytes */
function parse(bytes) {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new HttpError(400, 'BODY_NOT_JSON', 'expected JSON')
  }
}
