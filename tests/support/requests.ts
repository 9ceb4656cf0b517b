// Requests signed over bytes that a test writes down, not over bytes that the package derives from them.

import { generateKey, signBytes, toHex } from 'alvarium-sdk'
import { base64, utf8 } from './bytes.js'

const { signingKey, verifyingKey } = generateKey()

/** The signer of these requests, and the keys that `verifyRequest` needs. */
export const signer = { signingKey, keyId: 'k' } as const
export const keys = { k: verifyingKey }

/**
 * Signs by RFC 9421.
 *
 * @param lines - of the components, each with its line end
 * @param input - the components in brackets, and the parameters
 */
export function signedByRfc(lines: string, input: string): Record<string, string> {
  const signature = signBytes(signingKey, utf8(`${lines}"@signature-params": ${input}`))
  return { 'Signature-Input': `s=${input}`, Signature: `s=:${base64(signature)}:` }
}

/**
 * Signs in the dialect of the other SDKs.
 *
 * @param lines - of the fields, each with its line end
 * @param input - all of the header
 */
export function signedByPeer(lines: string, input: string): Record<string, string> {
  const signature = signBytes(signingKey, utf8(`${lines}${input.slice(input.indexOf(';'))}`))
  return { 'Signature-Input': input, Signature: toHex(signature) }
}
