import * as v from 'valibot'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import type { SigningKeyInput } from '../../signing/keys/signing.js'
import { FIELD_NAME, type HttpDialect, KEY_NAME, parseInput, seedOf, writeInput } from './alvarium.js'
import { type Component, parseComponent } from './components.js'
import { coverageOf, WHOLE_REQUEST } from './coverage.js'
import { isRfc9421, ORIGIN } from './options.js'
import { isWebBotAuth } from './profile.js'
import {
  type HttpRequest,
  normalizeMethod,
  type PlainRequest,
  type RequestParts,
  requestParts,
} from './request.js'
import { type MessageParts, type PlainResponse, responseParts } from './response.js'
import {
  commonMembers,
  names,
  now,
  type PlainMessage,
  seconds,
  signatureOf,
  signByRfc9421,
  text,
} from './sign-rfc9421.js'
import { signByWebBotAuth, type WebBotAuthSignOptions } from './sign-web-bot-auth.js'

/** Options that both formats need. */
interface CommonSignOptions {
  readonly signingKey: SigningKeyInput
  /** Name of the public key at the verifier; for another Alvarium SDK the name of its file, `public.key`. */
  readonly keyId: string
  /** Time of the signature, in seconds since 1970. Default: now. */
  readonly created?: number | undefined
}

/** Options for signing in the format of the Go, Java and Python SDKs. */
export interface AlvariumSignOptions extends CommonSignOptions {
  readonly format?: 'alvarium' | undefined
  /** SDK of the verifier. Default `go`. */
  readonly dialect?: HttpDialect | undefined
  /** Names of headers, and of `@method`, `@target-uri`, `@authority`, `@scheme`, `@path`, `@query`, `@query-params`. */
  readonly components: readonly string[]
}

/** Options of RFC 9421. */
interface CommonRfc9421SignOptions extends CommonSignOptions {
  /** Body for `content-digest`, if that is signed and the message has none. Default: no bytes. */
  readonly body?: Uint8Array | undefined
  /** End of the signature, in seconds since 1970; verifiers may end it earlier. */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
  /** Purpose of the signature, which makes it invalid for others. */
  readonly tag?: string | undefined
  /** Label of the signature. Default `sig1`. */
  readonly label?: string | undefined
}

/** Options for signing by RFC 9421 with Ed25519. */
export interface Rfc9421SignOptions extends CommonRfc9421SignOptions {
  readonly format: 'rfc9421'
  /** Names of signed components. Default: `@method`, `@authority`, `@path`, `@query` and `content-digest`. */
  readonly components?: readonly string[] | undefined
}

/** Options of `signResponse`, which signs by RFC 9421 with Ed25519. */
export interface SignResponseOptions extends CommonRfc9421SignOptions {
  /** Format: responses are only signed by RFC 9421. */
  readonly format?: 'rfc9421' | undefined
  /** Answered request, as received: the signature then covers it, too, and is valid for no other. */
  readonly request?: HttpRequest | undefined
  /** Label of the request's signature that is meant, if it has several. */
  readonly requestLabel?: string | undefined
  /** Scheme and authority of the request as clients know them, `https://api.example.com`, as in `verifyRequest`. */
  readonly origin?: string | undefined
  /**
   * Names of signed components. Default: `@status` and `content-digest`; with `request` also its `@method`,
   * `@authority`, `@path`, `@query`, and if it has them its `content-digest` and its signature,
   * `"signature";req;key="sig1"`.
   */
  readonly components?: readonly string[] | undefined
}

/** Options of {@link signRequest}: for the dialect of the other SDKs, RFC 9421, or its profile Web Bot Auth. */
export type SignRequestOptions = AlvariumSignOptions | Rfc9421SignOptions | WebBotAuthSignOptions

/** Schema of one name: a longer text would be several components, or a parameter. */
const fieldName = v.pipe(
  v.string('a name'),
  v.regex(FIELD_NAME, 'the name of a header, or one such as @method'),
)
const alvarium = strict({
  signingKey: v.any(),
  keyId: v.pipe(text, v.regex(KEY_NAME, 'a name without " and ;')),
  created: v.optional(seconds),
  format: v.optional(v.literal('alvarium', 'alvarium or rfc9421'), 'alvarium'),
  dialect: v.optional(v.picklist(['go', 'java', 'python'], 'go, java or python'), 'go'),
  components: names(fieldName),
})
const rfc9421Members = { ...commonMembers, tag: v.optional(text) }
const common = { signingKey: v.any(), keyId: text, created: v.optional(seconds) }
const rfc9421 = strict({
  ...common,
  ...rfc9421Members,
  format: v.literal('rfc9421', 'alvarium or rfc9421'),
  components: v.optional(names(v.string('a name')), [...WHOLE_REQUEST]),
})
const responseSchema = strict({
  ...common,
  ...rfc9421Members,
  format: v.optional(v.literal('rfc9421', 'rfc9421, as responses are signed by it alone'), 'rfc9421'),
  components: v.optional(names(v.string('a name'))),
  request: v.optional(v.any()),
  requestLabel: v.optional(text),
  origin: v.optional(ORIGIN),
})

/**
 * Signs a request before it is sent.
 *
 * @param request - with an absolute URL as it is sent (fetch sends `new URL(url).href`), and with all headers that are
 *   signed
 * @returns headers to send with it: `Signature-Input`, `Signature`, and `Content-Digest` and `Signature-Agent` if they
 *   were made
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID`, also for a key that is not for Ed25519;
 *   `MESSAGE_MALFORMED` when the request lacks a signed component, or has a value that headers cannot have
 *
 * @example
 * ```ts
 * const request = { method: 'POST', url: 'https://api.example.com/readings', headers: { 'Content-Type': 'application/json' } }
 * const signed = await signRequest(request, { format: 'rfc9421', signingKey, keyId: 'edge-7', body })
 * await fetch(request.url, { ...request, headers: { ...request.headers, ...signed }, body })
 * ```
 */
export async function signRequest(
  request: PlainRequest,
  options: SignRequestOptions,
): Promise<Record<string, string>> {
  if (isWebBotAuth(options, 'signRequest')) return signByWebBotAuth(request, options as WebBotAuthSignOptions)
  const isByRfc = isRfc9421(options, Object.keys(rfc9421Members), 'signRequest')
  return isByRfc
    ? signRequestByRfc9421(request, options as Rfc9421SignOptions)
    : signRequestByAlvarium(normalizeMethod(requestParts(request)), options as AlvariumSignOptions)
}

/**
 * Signs a response by RFC 9421, so that a client can trust it and, with `request`, knows that it answers the request
 * that it sent.
 *
 * @param response - with all headers that are signed
 * @returns headers to send with it: `Signature-Input`, `Signature`, and `Content-Digest` if it was made
 * @throws AlvariumError as {@link signRequest} does; `MESSAGE_MALFORMED` also for a request that cannot be read
 *
 * @example
 * ```ts
 * const answer = new TextEncoder().encode('{"stored":true}')
 * const response = { status: 201, headers: { 'Content-Type': 'application/json' } }
 * const signed = await signResponse(response, { signingKey, keyId: 'api', request, body: answer })
 * const sent = new Response(answer, { ...response, headers: { ...response.headers, ...signed } })
 * ```
 */
export async function signResponse(
  response: PlainResponse,
  options: SignResponseOptions,
): Promise<Record<string, string>> {
  const settings = readOptions(responseSchema, options, 'signResponse')
  const parts = responseParts(response, settings.request, settings.origin)
  const components = coverageOf(parts, settings, 'signResponse')
  return signByRfc9421(messageToSign(parts, components, settings), options.signingKey, 'signResponse')
}

function signRequestByAlvarium(parts: RequestParts, options: AlvariumSignOptions): Record<string, string> {
  const settings = readOptions(alvarium, options, 'signRequest')
  const { components, created = now(), keyId, dialect } = settings
  const header = writeInput(components, created, keyId)
  const seed = seedOf(parseInput(header), parts, dialect)
  const signature = toHex(signatureOf(options.signingKey, new TextEncoder().encode(seed), 'signRequest'))
  const shown = dialect === 'java' ? signature.toUpperCase() : signature
  return { 'Signature-Input': header, Signature: shown }
}

function signRequestByRfc9421(request: PlainRequest, options: Rfc9421SignOptions) {
  const parts = normalizeMethod(requestParts(request))
  const settings = readOptions(rfc9421, options, 'signRequest')
  const components = settings.components.map((name) => parseComponent(name, 'signRequest.components'))
  return signByRfc9421(messageToSign(parts, components, settings), options.signingKey, 'signRequest')
}

function messageToSign(
  parts: MessageParts,
  components: readonly Component[],
  settings: Omit<CommonRfc9421SignOptions, 'label' | 'signingKey'> & { readonly label: string },
): PlainMessage {
  const { created = now(), expires, nonce, tag, keyId: keyid, label, body } = settings
  return { parts, components, parameters: { created, expires, keyid, nonce, tag }, label, body }
}
