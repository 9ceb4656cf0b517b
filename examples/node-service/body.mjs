/** An answer to the client that is no success. */
export class HttpError extends Error {
  /** @param {number} status @param {string} code */
  constructor(status, code) {
    super(code)
    this.status = status
    this.code = code
  }
}

/**
 * What a body says. It is annotated as it came: two JSON texts that mean the same are different payloads.
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
