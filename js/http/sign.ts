import * as v from 'valibot'
import { AlvariumError } from '../base/errors.js'
import { toHex } from '../base/hex.js'
import { readOptions, strict } from '../base/schema.js'
import { invalid } from '../keys/fault.js'
import { isOther } from '../keys/other-signing.js'
import { type SigningKeyInput, signBytes } from '../keys/signing.js'
import { FIELD_NAME, type HttpDialect, KEY_NAME, parseInput, seedOf, writeInput } from './alvarium.js'
import { parseComponent } from './components.js'
import { contentDigest, isDigest } from './digest.js'
import { WHOLE_REQUEST } from './options.js'
import { type PlainRequest, partsOf, type RequestParts } from './request.js'
import { unsigned } from './rfc9421.js'

/** What both formats need. */
interface Common {
  readonly signingKey: SigningKeyInput
  /** The name under which the other side has the public key; of another Alvarium SDK the name of its file, `public.key`. */
  readonly keyId: string
  /** When it is signed, in seconds since 1970. Default: now. */
  readonly created?: number | undefined
}

/** Signs as the Go, Java and Python SDKs do. */
export interface AlvariumSignOptions extends Common {
  readonly format?: 'alvarium' | undefined
  /** Whose readers it is for. Default `go`. */
  readonly dialect?: HttpDialect | undefined
  /** Names of headers, and of `@method`, `@target-uri`, `@authority`, `@scheme`, `@path`, `@query`, `@query-params`. */
  readonly components: readonly string[]
}

/** Signs by RFC 9421 with Ed25519. */
export interface Rfc9421SignOptions extends Common {
  readonly format: 'rfc9421'
  /** Default: `@method`, `@authority`, `@path`, `@query` and `content-digest`. */
  readonly components?: readonly string[] | undefined
  /** Where `content-digest` is signed and the request has none, it is made of this. Default: no bytes. */
  readonly body?: Uint8Array | undefined
  /** Until when it is good, in seconds since 1970. */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
  /** What the signature is for, so that it is good for nothing else. */
  readonly tag?: string | undefined
  /** Default `sig1`. */
  readonly label?: string | undefined
}

/** How to sign a request: in the dialect of the other SDKs, or by RFC 9421. */
export type SignRequestOptions = AlvariumSignOptions | Rfc9421SignOptions

/** Of the year 5138; in milliseconds it was a day of 1973. */
const LATEST = 99_999_999_999
const text = v.pipe(
  v.string('a string'),
  v.regex(/^[\x20-\x7e]+$/, 'printable ASCII, as headers have nothing else'),
)
const seconds = v.pipe(
  v.number('seconds since 1970'),
  v.integer('whole seconds since 1970, not milliseconds'),
  v.minValue(0, 'seconds since 1970'),
  v.maxValue(LATEST, 'whole seconds since 1970, not milliseconds'),
)
const names = <Name extends v.GenericSchema<string>>(name: Name) =>
  v.pipe(v.array(name, 'an array of names'), v.minLength(1, 'at least one name'))
/** More than a name would be more than one component, or a parameter. */
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
const rfc9421 = strict({
  signingKey: v.any(),
  keyId: text,
  created: v.optional(seconds),
  format: v.literal('rfc9421', 'alvarium or rfc9421'),
  components: v.optional(names(v.string('a name')), [...WHOLE_REQUEST]),
  body: v.optional(v.any()),
  expires: v.optional(seconds),
  nonce: v.optional(text),
  tag: v.optional(text),
  label: v.optional(
    v.pipe(v.string('a string'), v.regex(/^[a-z*][a-z0-9_.*-]*$/, 'a key of RFC 9651')),
    'sig1',
  ),
})

/**
 * Signs a request that is to be sent.
 *
 * @param request - with an absolute URL, and with all headers that are signed
 * @returns headers to send with it: `Signature-Input`, `Signature`, and `Content-Digest` where that was made
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID`, also for a key that is not for Ed25519; `MESSAGE_MALFORMED` when the request lacks what is to be
 * signed, or has a value that headers cannot have
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
  const parts = partsOf(request)
  if (Object(options).format === 'rfc9421') return asRfc9421(parts, options as Rfc9421SignOptions)
  return asAlvarium(parts, options as AlvariumSignOptions)
}

const now = () => Math.floor(Date.now() / 1000)

function asAlvarium(parts: RequestParts, options: AlvariumSignOptions): Record<string, string> {
  const settings = readOptions(alvarium, options, 'signRequest')
  const { components, created = now(), keyId, dialect } = settings
  const header = writeInput(components, created, keyId)
  const seed = seedOf(parseInput(header), parts, dialect)
  const signature = toHex(signed(options.signingKey, new TextEncoder().encode(seed)))
  const shown = dialect === 'java' ? signature.toUpperCase() : signature
  return { 'Signature-Input': header, Signature: shown }
}

async function asRfc9421(parts: RequestParts, options: Rfc9421SignOptions): Promise<Record<string, string>> {
  const settings = readOptions(rfc9421, options, 'signRequest')
  const { created = now(), expires, nonce, tag, keyId: keyid, label } = settings
  const components = settings.components.map((name) => parseComponent(name, 'signRequest.components'))
  if (expires !== undefined && expires < created) {
    const text = `signRequest.expires: expected a time after created (${created}), got ${expires}`
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  const digest = components.some(isDigest) ? await digestFor(parts, options.body) : {}
  const parameters = { created, expires, keyid, nonce, tag }
  const { base, headers } = unsigned(components, parameters, withHeaders(parts, digest))
  return { ...digest, ...headers(label, signed(options.signingKey, base)) }
}

/** Both formats say, or mean, Ed25519. */
function signed(signingKey: SigningKeyInput, bytes: Uint8Array): Uint8Array {
  if (!isOther(signingKey)) return signBytes(signingKey, bytes)
  throw invalid('signRequest.signingKey', 'an Ed25519 key', 'one of another algorithm')
}

async function digestFor(
  parts: RequestParts,
  body: Uint8Array = new Uint8Array(),
): Promise<Record<string, string>> {
  if (parts.lines('content-digest').length > 0) return {}
  return { 'Content-Digest': await contentDigest(body) }
}

function withHeaders(
  parts: RequestParts,
  { 'Content-Digest': digest }: Record<string, string>,
): RequestParts {
  if (digest === undefined) return parts
  return { ...parts, lines: (name) => (name === 'content-digest' ? [digest] : parts.lines(name)) }
}
