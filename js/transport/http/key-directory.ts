import * as v from 'valibot'
import { expected } from '../../foundation/base/errors.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { jwkThumbprint, publicJwkOf } from '../../signing/keys/forms/thumbprint.js'
import { publicKeyOf } from '../../signing/keys/key-holder.js'
import type { SigningKeyInput } from '../../signing/keys/signing.js'
import { DIRECTORY_PATH, originOf } from './agent-keys.js'
import { parseComponent } from './components.js'
import { contentDigest } from './digest.js'
import { responseParts } from './response.js'
import { assertEd25519, now, signByRfc9421 } from './sign-rfc9421.js'

/** Private keys, origin and cache time of a {@link keyDirectory}. */
export interface KeyDirectoryOptions {
  /** Ed25519 private keys of the agent, 1 to 16. Add a key before its use, because verifiers cache keys. */
  readonly signingKeys: readonly SigningKeyInput[]
  /** Origin of the directory for clients, such as `https://bot.example`. Signatures cover its authority. */
  readonly origin: string
  /** Seconds for which an answer may be cached and its signature is valid, 60 to 31,536,000. Default 86,400. */
  readonly maxAgeSeconds?: number | undefined
}

/** Function that serves the directory: 404 for other paths, 405 for methods other than GET and HEAD. */
export type KeyDirectory = (request: Request) => Promise<Response>

const MEDIA_TYPE = 'application/http-message-signatures-directory+json'
const TAG = 'http-message-signatures-directory'
const COMPONENTS = ['"@authority";req', 'content-digest']
const MAX_SIGNING_KEYS = 16
/** Milliseconds for which a signed answer is reused, so that frequent requests do not cost signatures. */
const SIGNED_FOR_MS = 60_000
const ROOT = 'keyDirectory'

/** Valibot schema of {@link KeyDirectoryOptions}. Exported because the docs list its limits. */
export const schema = strict({
  signingKeys: v.pipe(
    v.array(v.any(), 'an array of private keys'),
    v.minLength(1, 'at least one private key'),
    v.maxLength(MAX_SIGNING_KEYS, `at most ${MAX_SIGNING_KEYS} private keys`),
  ),
  origin: v.pipe(
    v.string('a string'),
    v.check((given) => originOf(given) !== undefined, 'an origin of https, such as https://bot.example'),
  ),
  maxAgeSeconds: integer(60, 31_536_000, 86_400),
})

/**
 * Returns a function that serves an agent's public keys at `/.well-known/http-message-signatures-directory`.
 * Answers are a JSON Web Key Set, signed with each key (draft-meunier-http-message-signatures-directory). The
 * function works on any server that has `Request` and `Response`. Do not wipe the private keys, because the
 * function signs again, at most once a minute.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 *
 * @example
 * ```ts
 * const directory = keyDirectory({ signingKeys: [signingKey], origin: 'https://bot.example' })
 * const response = await directory(new Request('https://bot.example/.well-known/http-message-signatures-directory'))
 * ```
 */
export function keyDirectory(options: KeyDirectoryOptions): KeyDirectory {
  const { origin, maxAgeSeconds } = readOptions(schema, options, ROOT)
  const keys = options.signingKeys.map(directoryKeyOf)
  const thumbprints = keys.map(({ jwk }) => jwk.kid)
  const again = thumbprints.findIndex((one, at) => thumbprints.indexOf(one) < at)
  if (again >= 0)
    throw expected(
      'CONFIG_INVALID',
      `${ROOT}.signingKeys`,
      'each key once',
      `the key with index ${again} twice`,
    )
  const body = new TextEncoder().encode(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
  const sign = () => headersOf(keys, body, { origin: originOf(origin) as string, maxAgeSeconds })
  let signedAt = Number.NEGATIVE_INFINITY
  let headers: ReturnType<typeof sign> | undefined
  return async ({ method, url }) => {
    if (new URL(url).pathname !== DIRECTORY_PATH) return new Response(null, { status: 404 })
    if (method !== 'GET' && method !== 'HEAD') {
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
    }
    if (!headers || performance.now() - signedAt > SIGNED_FOR_MS) {
      signedAt = performance.now()
      headers = sign()
    }
    return new Response(method === 'HEAD' ? null : body, { headers: await headers })
  }
}

/** Private key of an agent, and its public key as the directory publishes it. */
interface DirectoryKey {
  readonly signingKey: SigningKeyInput
  readonly jwk: ReturnType<typeof publicJwkOf> & { readonly kid: string; readonly use: 'sig' }
}

function directoryKeyOf(signingKey: SigningKeyInput): DirectoryKey {
  assertEd25519(signingKey, ROOT)
  const { key } = publicKeyOf(signingKey)
  return { signingKey, jwk: { ...publicJwkOf(key), kid: jwkThumbprint(key), use: 'sig' } }
}

async function headersOf(
  keys: readonly DirectoryKey[],
  body: Uint8Array,
  { origin, maxAgeSeconds }: { readonly origin: string; readonly maxAgeSeconds: number },
): Promise<Record<string, string>> {
  const created = now()
  const expires = created + maxAgeSeconds
  const contentHeaders = {
    'Content-Type': MEDIA_TYPE,
    'Cache-Control': `max-age=${maxAgeSeconds}`,
    'Content-Digest': await contentDigest(body),
  }
  const request = { method: 'GET', url: `${origin}${DIRECTORY_PATH}`, headers: {} }
  const parts = responseParts({ status: 200, headers: contentHeaders }, request)
  const components = COMPONENTS.map((name) => parseComponent(name, ROOT, 'response'))
  const signatures = keys.map(({ signingKey, jwk: { kid: keyid } }, at) => {
    const parameters = { created, keyid, alg: 'ed25519', expires, tag: TAG }
    return signByRfc9421({ parts, components, parameters, label: `binding${at}` }, signingKey, ROOT)
  })
  const all = await Promise.all(signatures)
  const joined = (name: string) => all.map((one) => one[name]).join(', ')
  return { ...contentHeaders, 'Signature-Input': joined('Signature-Input'), Signature: joined('Signature') }
}
