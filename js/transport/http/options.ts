import * as v from 'valibot'
import { expected, isBytes, needs, quoteOr } from '../../foundation/base/errors.js'
import {
  integer,
  joinWithOr,
  MAX_TIMEOUT_MS,
  oneOf,
  readOptions,
  strict,
} from '../../foundation/base/options/schema.js'
import { isTrustPolicy, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import { type AgentKeys, DirectoryKeys } from './agent-keys.js'
import type { HttpDialect } from './alvarium.js'
import { WHOLE_REQUEST } from './coverage.js'
import { isWebBotAuth, TAG } from './profile.js'
import { FetchedKeys, type RemoteKeys } from './remote-keys.js'
import type { HttpRequest } from './request.js'

/** Options that `verifyRequest`, `verifyResponse` and `pkiHttp` share. */
interface CommonVerifyOptions {
  /**
   * Trusted public keys by the names that messages use for them: `{ 'public.key': await readKey(…) }`. Keys
   * are Ed25519, and with RFC 9421 also P-256.
   *
   * A trust policy is possible too. Messages then name a signer or a key id. Only validity periods and
   * revocations are checked, with the current time as the time of receipt. If a signer has more than four
   * current keys, messages must name the key id.
   *
   * With RFC 9421, the keys can be a JSON Web Key Set at a URL: {@link jwkSetAt}.
   */
  readonly keys: Readonly<Record<string, VerifyingKeyInput>> | TrustPolicy | RemoteKeys
  /**
   * Leases that permit keys outside of the trust policy, as in `verifyMessage`. A function returns current
   * leases, and is called only for unknown keys. A message signed with a leased key names the key id.
   */
  readonly leases?: readonly Uint8Array[] | (() => readonly Uint8Array[]) | undefined
  /**
   * Maximum age of a signature in milliseconds, counted from `created`. An earlier `expires` takes precedence.
   * Default with RFC 9421: 300,000, with `created` required. Default with `alvarium`: no limit.
   */
  readonly maxAgeMs?: number | undefined
  /** Tolerated clock difference in milliseconds, before `created` and after the expiry. Default 60,000. */
  readonly clockSkewMs?: number | undefined
}

interface CommonRequestOptions extends CommonVerifyOptions {
  /**
   * Scheme and authority of this server as clients use them, such as `https://api.example.com`. Default:
   * those of the connection and the `Host` field. Set this option behind a proxy.
   */
  readonly origin?: string | undefined
  /**
   * Names of components that a signature must cover. Default with `rfc9421`: `@method`, `@authority`,
   * `@path`, `@query` and `content-digest`. Default with `alvarium`: any, at least one.
   */
  readonly components?: readonly string[] | undefined
}

/** Options for requests in the format of the Go, Java and Python SDKs, which do not sign bodies. */
export interface AlvariumHttpOptions extends CommonRequestOptions {
  readonly format?: 'alvarium' | undefined
  /** SDK that signed the request. Go and Java sign most requests in the same way. Default `go`. */
  readonly dialect?: HttpDialect | undefined
}

/** Options that exist only with RFC 9421. */
interface CommonRfc9421Options extends CommonVerifyOptions {
  /** Label of the signature to verify, for messages with several signatures. */
  readonly label?: string | undefined
  /** Value that the signature parameter `tag` must have. A tag states the purpose of a signature. */
  readonly tag?: string | undefined
  /**
   * Function that returns whether a nonce is new. Signatures then need a nonce. The function is called only
   * after the signature has been verified, so only holders of the key can use up nonces. Without this option,
   * anyone can replay a message until it is too old.
   */
  readonly isNonceFresh?: ((nonce: string, keyId: string) => boolean | PromiseLike<boolean>) | undefined
  /**
   * Time limit for `isNonceFresh` in milliseconds. Default 4,000, less than `annotatorTimeoutMs`. Unless the
   * function answers `true` in time, the message is refused with `SIGNATURE_INVALID`.
   */
  readonly nonceTimeoutMs?: number | undefined
}

/** Options for requests that are signed by RFC 9421, with a body digest by RFC 9530. */
export interface Rfc9421Options extends CommonRequestOptions, CommonRfc9421Options {
  readonly format: 'rfc9421'
}

/** Options for requests of automated clients, signed by RFC 9421 in the profile Web Bot Auth. */
export interface WebBotAuthOptions extends Omit<Rfc9421Options, 'format' | 'keys' | 'tag' | 'components'> {
  readonly profile: 'web-bot-auth'
  /** Must be undefined, because the profile implies RFC 9421. */
  readonly format?: undefined
  /**
   * Public keys by thumbprint ({@link jwkThumbprint}), at a URL ({@link jwkSetAt}), or by agent
   * ({@link agentKeys}). Only {@link agentKeys} identifies the agent.
   */
  readonly keys: Rfc9421Options['keys'] | AgentKeys
  /**
   * Names of components that must be signed in addition to `@authority` or `@target-uri`, and to
   * `signature-agent` if the request has that header. Default: none.
   */
  readonly components?: readonly string[] | undefined
  /** Maximum age of a signature in milliseconds. `expires` is required, too. Default 86,400,000. */
  readonly maxAgeMs?: number | undefined
}

/** Keys, requirements and answered request for {@link verifyResponse}. */
export interface VerifyResponseOptions extends CommonRfc9421Options {
  /** Format of the signature. Responses are signed only by RFC 9421. */
  readonly format?: 'rfc9421' | undefined
  /** Request as sent. The signature must cover it. Without this option, a response to another request may verify. */
  readonly request?: HttpRequest | undefined
  /** Label of the request's signature that the response must cover, if the request has several. */
  readonly requestLabel?: string | undefined
  /**
   * True to accept a response to a `request` that may have a body but has no `content-digest`. The response
   * may then answer a request with another body, and `notBound` reports that. GET and HEAD requests without a
   * body do not need this option. Default `false`.
   */
  readonly acceptUnboundBody?: boolean | undefined
  /**
   * Names of components that must be signed. Default: `@status` and `content-digest`. With `request`, also
   * its `@method`, `@authority`, `@path` and `@query`, and its `content-digest` and signature
   * (`"signature";req;key="sig1"`) if present.
   */
  readonly components?: readonly string[] | undefined
  /** Received body, which is compared with a signed `content-digest`. */
  readonly body?: Uint8Array | undefined
}

/** Options with which `pkiHttp` and `verifyRequest` verify requests. */
export type PkiHttpOptions = AlvariumHttpOptions | Rfc9421Options | WebBotAuthOptions

const MAX_AGE_MS = 3_155_760_000_000

const text = v.pipe(v.string('a string'), v.minLength(1, 'a string that is not empty'))
const BY_NAME = 'an object of public keys by name'
const isFetched = (value: unknown) => value instanceof FetchedKeys || value instanceof DirectoryKeys
/** Returns whether a value may be an object of keys by name, and not, for example, an array or a single key. */
const isTable = (value: unknown) =>
  typeof value === 'object' && !Array.isArray(value) && !isBytes(value) && !isFetched(value)
const namedKeys = v.pipe(
  v.custom<Readonly<Record<string, VerifyingKeyInput>>>(isTable, BY_NAME),
  v.record(text, v.any(), BY_NAME),
  v.check((keys) => Object.keys(keys).length > 0, 'an object with at least one public key'),
)
const policy = v.custom<TrustPolicy>(isTrustPolicy)
const localKeys = v.lazy(
  (given): v.GenericSchema<unknown, LocalKeys> => (isTrustPolicy(given) ? policy : namedKeys),
)
/** Returns a schema that accepts instances of a class, and the values that another schema accepts. */
const instanceOr = <One, Other>(
  ownClass: abstract new (...given: never[]) => One,
  other: v.GenericSchema<unknown, Other>,
) => {
  const own = v.custom<One>((given) => given instanceof ownClass)
  return v.lazy((given): v.GenericSchema<unknown, One | Other> => (given instanceof ownClass ? own : other))
}
const keys = instanceOr(FetchedKeys, localKeys)
const agentsOrKeys = instanceOr(DirectoryKeys, keys)
export const ORIGIN = v.pipe(
  v.string('a string'),
  v.regex(/^https?:\/\/[\w.:[\]-]+$/i, 'a scheme and an authority, such as https://api.example.com'),
)
const names = v.pipe(v.array(text, 'an array of names'), v.minLength(1, 'at least one name'))

type LocalKeys = Readonly<Record<string, VerifyingKeyInput>> | TrustPolicy

/** Valibot schemas of the options that a configuration file can also set. */
export const CONFIGURABLE = {
  format: oneOf(['alvarium', 'rfc9421']),
  dialect: oneOf(['go', 'java', 'python']),
  origin: ORIGIN,
  components: names,
  maxAgeMs: v.pipe(integer(0, MAX_AGE_MS, 300_000), v.description('With alvarium: forever')),
  clockSkewMs: integer(0, MAX_AGE_MS, 60_000),
  label: text,
  tag: text,
}
const leases = v.optional(
  v.custom<NonNullable<PkiHttpOptions['leases']>>(
    (given) => typeof given === 'function' || (Array.isArray(given) && given.every(isBytes)),
    'an array of leases, or a function that returns one',
  ),
)
const common = { leases, origin: v.optional(ORIGIN), clockSkewMs: CONFIGURABLE.clockSkewMs }

/** Valibot schema of {@link AlvariumHttpOptions}. Exported because the docs list its limits. */
export const alvarium = strict({
  ...common,
  keys: localKeys,
  format: v.optional(v.literal('alvarium', 'alvarium or rfc9421'), 'alvarium'),
  dialect: v.optional(CONFIGURABLE.dialect, 'go'),
  components: v.optional(names),
  maxAgeMs: v.optional(integer(0, MAX_AGE_MS, 0)),
})
const rfc9421Members = {
  label: v.optional(text),
  tag: v.optional(text),
  isNonceFresh: v.optional(
    v.custom<NonNullable<Rfc9421Options['isNonceFresh']>>(
      (value) => typeof value === 'function',
      'a function',
    ),
  ),
  nonceTimeoutMs: integer(1, MAX_TIMEOUT_MS, 4000),
}
/** Valibot schema of {@link Rfc9421Options}. Exported because the docs list its limits. */
export const rfc9421 = strict({
  ...common,
  maxAgeMs: CONFIGURABLE.maxAgeMs,
  ...rfc9421Members,
  keys,
  format: v.literal('rfc9421', 'alvarium or rfc9421'),
  components: v.optional(names, [...WHOLE_REQUEST]),
})
const { tag: _, ...profileMembers } = rfc9421Members
/** Valibot schema of {@link WebBotAuthOptions}. Exported because the docs list its limits. */
export const webBotAuth = strict({
  ...common,
  maxAgeMs: integer(0, MAX_AGE_MS, 86_400_000),
  ...profileMembers,
  keys: agentsOrKeys,
  profile: v.literal(TAG, TAG),
  components: v.optional(v.array(text, 'an array of names'), []),
})
const response = strict({
  keys,
  leases,
  clockSkewMs: CONFIGURABLE.clockSkewMs,
  maxAgeMs: CONFIGURABLE.maxAgeMs,
  ...rfc9421Members,
  format: v.optional(v.literal('rfc9421', 'rfc9421, as responses are signed by it alone'), 'rfc9421'),
  components: v.optional(names),
  request: v.optional(v.any()),
  requestLabel: v.optional(text),
  acceptUnboundBody: v.optional(v.boolean('true or false'), false),
  body: v.optional(v.any()),
})

export type PkiHttpSettings =
  | v.InferOutput<typeof alvarium>
  | v.InferOutput<typeof rfc9421>
  | WebBotAuthSettings
type WebBotAuthSettings = v.InferOutput<typeof webBotAuth> & {
  readonly format: 'rfc9421'
  readonly tag: typeof TAG
}
export type ResponseSettings = v.InferOutput<typeof response>

/**
 * Validates the options of `pkiHttp` or `verifyRequest` and fills in the defaults.
 *
 * @param root - name of the public function that received the options
 */
export function readPkiHttpOptions(options: PkiHttpOptions, root: string): PkiHttpSettings {
  if (isWebBotAuth(options, root))
    return { ...readOptions(webBotAuth, options, root), format: 'rfc9421', tag: TAG }
  return isRfc9421(options, Object.keys(rfc9421Members), root)
    ? readOptions(rfc9421, options, root)
    : readOptions(alvarium, options, root)
}

/** Validates the options of `verifyResponse` and fills in the defaults. */
export function readResponseOptions(options: VerifyResponseOptions): ResponseSettings {
  return readOptions(response, options, 'verifyResponse')
}

/**
 * Returns whether options are for RFC 9421. Call this function before validating, because with a misspelt
 * format the schema would report every other option.
 *
 * @param names - options that exist only with RFC 9421
 * @throws AlvariumError `CONFIG_INVALID` for an unknown format, or an option that needs RFC 9421
 */
export function isRfc9421(options: unknown, names: readonly string[], root: string): boolean {
  const given: Record<string, unknown> = Object(options)
  const { format } = given
  if (format === 'rfc9421') return true
  if (format !== undefined && format !== 'alvarium') {
    const known = joinWithOr(['alvarium', 'rfc9421'], format)
    throw expected('CONFIG_INVALID', `${root}.format`, known, quoteOr(format))
  }
  const name = names.find((one) => given[one] !== undefined)
  if (name === undefined) return false
  throw needs(`${root}.${name}`, "format: 'rfc9421'")
}
