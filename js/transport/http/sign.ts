import * as v from 'valibot'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import type { SigningKeyInput } from '../../signing/keys/signing.js'
import {
  FIELD_NAME,
  type HttpDialect,
  KEY_NAME,
  parseInput,
  signatureBaseOf,
  writeInput,
} from './alvarium.js'
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

/** Signing options that the formats `alvarium` and `rfc9421` share. */
interface CommonSignOptions {
  readonly signingKey: SigningKeyInput
  /** Name of the public key at the verifier. Other Alvarium SDKs use a file name, such as `public.key`. */
  readonly keyId: string
  /** Creation time of the signature, in seconds since 1970. Default: now. */
  readonly created?: number | undefined
}

/** Options for signing in the format of the Go, Java and Python SDKs. */
export interface AlvariumSignOptions extends CommonSignOptions {
  readonly format?: 'alvarium' | undefined
  /** SDK that will verify the request. Default `go`. */
  readonly dialect?: HttpDialect | undefined
  /**
   * Names of headers, or `@method`, `@target-uri`, `@authority`, `@scheme`, `@path`, `@query`,
   * `@query-params`.
   */
  readonly components: readonly string[]
}

/** Options that signing requests and responses by RFC 9421 have in common. */
interface CommonRfc9421SignOptions extends CommonSignOptions {
  /**
   * Body of the message. If `content-digest` is to be signed and the message has no such header, it is
   * computed from this body. Default: an empty body.
   */
  readonly body?: Uint8Array | undefined
  /** Expiry time of the signature, in seconds since 1970. Verifiers may apply an earlier limit. */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
  /** Tag that states the purpose of the signature. Verifiers that require a tag refuse signatures with another tag. */
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
  /** Format of the signature. Responses are signed only by RFC 9421. */
  readonly format?: 'rfc9421' | undefined
  /** Request that the response answers, as received. With another request, the signature does not verify. */
  readonly request?: HttpRequest | undefined
  /** Label of the request's signature that the response's signature covers, if the request has several. */
  readonly requestLabel?: string | undefined
  /** Scheme and authority of the request as clients use them, such as `https://api.example.com`. */
  readonly origin?: string | undefined
  /**
   * Names of signed components. Default: `@status` and `content-digest`. With the option `request`, also the
   * request's `@method`, `@authority`, `@path` and `@query`, and its `content-digest` and signature if present.
   */
  readonly components?: readonly string[] | undefined
}

/** Options of {@link signRequest}, by the format: `alvarium`, RFC 9421, or its profile Web Bot Auth. */
export type SignRequestOptions = AlvariumSignOptions | Rfc9421SignOptions | WebBotAuthSignOptions

/** Valibot schema of a component name. Excludes characters that could add components or parameters. */
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
 * @param request - request with all headers to sign, and the URL as sent (fetch sends `new URL(url).href`)
 * @returns headers to add: `Signature-Input`, `Signature`; if computed, `Content-Digest`, `Signature-Agent`
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID` for a key that is unreadable or not
 *   Ed25519; `MESSAGE_MALFORMED` for a missing component or an invalid header
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
  const parts = normalizeMethod(requestParts(request))
  return isByRfc
    ? signRequestByRfc9421(parts, options as Rfc9421SignOptions)
    : signRequestByAlvarium(parts, options as AlvariumSignOptions)
}

/**
 * Signs a response by RFC 9421. With `request`, the signature also proves which request the response answers.
 *
 * @param response - response with all headers to sign
 * @returns headers to add: `Signature-Input`, `Signature`, and `Content-Digest` if computed
 * @throws AlvariumError as {@link signRequest} does; `MESSAGE_MALFORMED` also for an unreadable request
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
  const seed = signatureBaseOf(parseInput(header), parts, dialect)
  const signature = toHex(signatureOf(options.signingKey, new TextEncoder().encode(seed), 'signRequest'))
  const shown = dialect === 'java' ? signature.toUpperCase() : signature
  return { 'Signature-Input': header, Signature: shown }
}

function signRequestByRfc9421(parts: RequestParts, options: Rfc9421SignOptions) {
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
