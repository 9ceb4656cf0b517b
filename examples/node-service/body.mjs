/** Error with the HTTP status of the response. */
export class HttpError extends Error {
  /** @param {number} status @param {string} code */
  constructor(status, code) {
    super(code)
    this.status = status
    this.code = code
  }
}

/**
 * Parses a request body. The service annotates the original bytes, because two JSON texts with the same
 * meaning are different payloads.
 *
 * @param {Uint8Array} body
 */
export function parse(body) {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new HttpError(400, 'BODY_NOT_JSON')
  }
}
