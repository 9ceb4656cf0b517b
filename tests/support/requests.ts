// Requests that are signed by the bytes that a test writes down, not by those that the package makes of them.

import { generateKey, signBytes, toHex } from 'alvarium-sdk'
import { base64, utf8 } from './bytes.js'

const { signingKey, verifyingKey } = generateKey()

/** What signs here, and what `verifyRequest` needs to know of it. */
export const signer = { signingKey, keyId: 'k' } as const
export const keys = { k: verifyingKey }

/**
 * By RFC 9421.
 *
 * @param lines - of the components, each with its line end
 * @param input - the components in brackets, and the parameters
 */
export function signedByRfc(lines: string, input: string): Record<string, string> {
  const signature = signBytes(signingKey, utf8(`${lines}"@signature-params": ${input}`))
  return { 'Signature-Input': `s=${input}`, Signature: `s=:${base64(signature)}:` }
}

/**
 * In the dialect of the other SDKs.
 *
 * @param lines - of the fields, each with its line end
 * @param input - all of the header
 */
export function signedByPeer(lines: string, input: string): Record<string, string> {
  const signature = signBytes(signingKey, utf8(`${lines}${input.slice(input.indexOf(';'))}`))
  return { 'Signature-Input': input, Signature: toHex(signature) }
}
