// Requests in the profile of Web Bot Auth, signed by npm web-bot-auth and verified by it, at the version that package.json pins.

import { Buffer } from 'node:buffer'
import { generateKey, type KeyPair } from 'alvarium-sdk'
import { signatureHeaders, verify as verifiedByNpm } from 'web-bot-auth'
import { signerFromJWK, verifierFromJWK } from 'web-bot-auth/crypto'

export interface BotKey extends KeyPair {
  readonly publicJwk: { readonly kty: string; readonly crv: string; readonly x: string }
  readonly privateJwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly d: string }
}

export function makeBotKey(): BotKey {
  const pair = generateKey()
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(pair.verifyingKey) }
  return { ...pair, publicJwk, privateJwk: { ...publicJwk, d: base64url(pair.signingKey.subarray(0, 32)) } }
}

/** A request with its headers, which both packages take. */
export interface BotRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
}

export async function signByNpm(request: BotRequest, key: BotKey): Promise<BotRequest> {
  const created = new Date()
  const times = { created, expires: new Date(created.getTime() + 300_000) }
  const signed = await signatureHeaders(request, await signerFromJWK(key.privateJwk), times)
  return { ...request, headers: { ...request.headers, ...signed } }
}

export async function isAcceptedByNpm(request: BotRequest, key: BotKey): Promise<boolean> {
  try {
    await verifiedByNpm(request, await verifierFromJWK(key.publicJwk))
    return true
  } catch {
    return false
  }
}

/** Returns request number `number`: each has another host, path and agent. */
export function botRequest(number: number): BotRequest {
  const url = `https://shop-${number}.example/goods/${number}?page=${number % 7}`
  return { method: number % 2 === 0 ? 'GET' : 'POST', url, headers: {} }
}

/** Alterations of a signed request, after each of which its signature is invalid. */
export const ALTERATIONS: readonly ((request: BotRequest) => BotRequest)[] = [
  ({ url, ...rest }) => ({ ...rest, url: url.replace('shop-', 'mill-') }),
  withHeader('Signature', (value) => value.replace(/:(.)(.)/, (_, a, b) => `:${a === 'A' ? 'B' : 'A'}${b}`)),
  withHeader('Signature-Agent', (value) => value.replace('bot', 'rob')),
  withHeader('Signature-Input', (value) =>
    value.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 1}`),
  ),
  withHeader('Signature-Input', (value) => value.replace('nonce="', 'nonce="A')),
  withHeader('Signature-Input', (value) => value.replace('tag="web-bot-auth"', 'tag="web-bot-auto"')),
  withHeader('Signature-Input', (value) => value.replace(/created=\d+/, 'created=1735689600')),
  withHeader('Signature-Input', (value) => value.replace(' "signature-agent"', '')),
]

function withHeader(name: string, alter: (value: string) => string) {
  return ({ headers, ...rest }: BotRequest): BotRequest => ({
    ...rest,
    headers: { ...headers, [name]: alter(headers[name] as string) },
  })
}
