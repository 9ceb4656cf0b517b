import * as v from 'valibot'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'
import { hint } from '../../foundation/base/options/names.js'
import { integer, MAX_TIMEOUT_MS, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'
import { isTrustPolicy, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import { type AgentKeys, DirectoryKeys } from './agent-keys.js'
import type { HttpDialect } from './alvarium.js'
import { WHOLE_REQUEST } from './coverage.js'
import { isWebBotAuth, TAG } from './profile.js'
import { FetchedKeys, type RemoteKeys } from './remote-keys.js'
import type { HttpRequest } from './request.js'

/** Options that all functions have. */
interface CommonVerifyOptions {
  /**
   * Trusted public keys, by their names in messages: `{ 'public.key': await readKey(…) }`. They are of Ed25519, and by
   * RFC 9421 also of P-256.
   *
   * Or a trust policy: messages then name a signer, or a key by its key id, and count as received now. If more than
   * four public keys of a signer may sign now, its messages must name the key id. Only the times of a signer matter
   * here, and not its lists.
   *
   * Or, by RFC 9421, a JSON Web Key Set at a URL: {@link jwkSetAt}.
   */
  readonly keys: Readonly<Record<string, VerifyingKeyInput>> | TrustPolicy | RemoteKeys
  /**
   * Leases by which keys outside of the trust policy may sign, as in `verifyMessage`; or a function that returns the
   * current ones, which is only called for messages of unknown keys. A message signed by a lease names its key by the
   * key id.
   */
  readonly leases?: readonly Uint8Array[] | (() => readonly Uint8Array[]) | undefined
  /**
   * Milliseconds after `created` for which a signature is valid. Default by RFC 9421 300,000, and `created` is
   * required; with `alvarium` forever, because the other SDKs do not check it. An earlier `expires` ends a signature
   * sooner.
   */
  readonly maxAgeMs?: number | undefined
  /**
   * Milliseconds by which clocks may differ: a signature counts from so long before `created` until so long after its
   * end, by `maxAgeMs` or by `expires`. Default 60,000.
   */
  readonly clockSkewMs?: number | undefined
}

/** Options that both formats of requests have. */
interface CommonRequestOptions extends CommonVerifyOptions {
  /**
   * Scheme and authority of this server as clients know it, `https://api.example.com`. Without it, the scheme of the
   * connection and its `Host` field count. Behind a proxy, these differ, and the sender of a request can choose them.
   */
  readonly origin?: string | undefined
  /**
   * Components that must be signed, by the names of their headers. Default with `rfc9421`: `@method`, `@authority`,
   * `@path`, `@query` and `content-digest`; with `alvarium`, any that the signer chose, at least one.
   */
  readonly components?: readonly string[] | undefined
}

/** Requests that are signed in the format of the Go, Java and Python SDKs. Their bodies are not signed. */
export interface AlvariumHttpOptions extends CommonRequestOptions {
  readonly format?: 'alvarium' | undefined
  /** SDK that signed: the SDKs read some requests differently. Default `go`, with which Java mostly agrees. */
  readonly dialect?: HttpDialect | undefined
}

/** Options that only RFC 9421 has. */
interface CommonRfc9421Options extends CommonVerifyOptions {
  /** Label of the signature that counts, for messages with several. */
  readonly label?: string | undefined
  /** Tag that signatures must have: their purpose. */
  readonly tag?: string | undefined
  /**
   * Function that returns whether a nonce is new; signatures then need a nonce. It is called last, so that nobody
   * without the key can use nonces up. Without it, a message can be replayed while it is not too old.
   */
  readonly isNonceFresh?: ((nonce: string, keyId: string) => boolean | PromiseLike<boolean>) | undefined
  /**
   * Milliseconds after which `isNonceFresh` counts as failed. Default 4,000, less than `annotatorTimeoutMs`, so that
   * `pkiHttp` states the reason. If it returns anything but true, throws, or does not answer, the message is refused
   * with `SIGNATURE_INVALID`.
   */
  readonly nonceTimeoutMs?: number | undefined
}

/** Requests that are signed by RFC 9421, with bodies by RFC 9530. */
export interface Rfc9421Options extends CommonRequestOptions, CommonRfc9421Options {
  readonly format: 'rfc9421'
}

/** Requests of automated clients, which are signed by RFC 9421 in the profile of Web Bot Auth. */
export interface WebBotAuthOptions extends Omit<Rfc9421Options, 'format' | 'keys' | 'tag' | 'components'> {
  readonly profile: 'web-bot-auth'
  /** Undefined: the profile is one of RFC 9421. */
  readonly format?: undefined
  /**
   * Public keys by their thumbprints ({@link jwkThumbprint}), at a URL ({@link jwkSetAt}), or of each agent
   * ({@link agentKeys}). Only the last identifies the agent.
   */
  readonly keys: Rfc9421Options['keys'] | AgentKeys
  /**
   * Names of components that must be signed in addition to `@authority` or `@target-uri`, and to `signature-agent` if
   * the request has it. Default: none.
   */
  readonly components?: readonly string[] | undefined
  /**
   * Milliseconds after `created` for which a signature is valid. Default 86,400,000. It needs `expires`, which may end
   * it earlier.
   */
  readonly maxAgeMs?: number | undefined
}

/** Options of `verifyResponse`: requirements, request and body. */
export interface VerifyResponseOptions extends CommonRfc9421Options {
  /** Format: responses are only signed by RFC 9421. */
  readonly format?: 'rfc9421' | undefined
  /**
   * Answered request as it was sent, with its signature. The signature must then cover it, too: without this option, an
   * answer to another request verifies as well.
   */
  readonly request?: HttpRequest | undefined
  /** Label of the request's signature that is meant, if it has several. */
  readonly requestLabel?: string | undefined
  /**
   * True to accept the answer to a `request` that may have a body and has no `content-digest`. An answer to the same
   * request with another body then verifies as well, and `notBound` shows that. A GET or HEAD without a body needs
   * neither. Default `false`.
   */
  readonly acceptUnboundBody?: boolean | undefined
  /**
   * Components that must be signed. Default: `@status` and `content-digest`; with `request` also its `@method`,
   * `@authority`, `@path`, `@query`, and if it has them its `content-digest` and its signature,
   * `"signature";req;key="sig1"`.
   */
  readonly components?: readonly string[] | undefined
  /** Body as received, which is compared with a signed `content-digest`. */
  readonly body?: Uint8Array | undefined
}

/** Options by which `pkiHttp` verifies requests: a plain object that JSON can represent except for `isNonceFresh`. */
export type PkiHttpOptions = AlvariumHttpOptions | Rfc9421Options | WebBotAuthOptions

/** A hundred years in milliseconds. */
const MAX_AGE_MS = 3_155_760_000_000

const text = v.pipe(v.string('a string'), v.minLength(1, 'a string that is not empty'))
const BY_NAME = 'an object of public keys by name'
const isFetched = (value: unknown) => value instanceof FetchedKeys || value instanceof DirectoryKeys
/** Refuses arrays: their names, such as `0`, are no names of keys in messages. */
const isTable = (value: unknown) =>
  typeof value === 'object' && !Array.isArray(value) && !isBytes(value) && !isFetched(value)
const namedKeys = v.pipe(
  v.custom<Readonly<Record<string, VerifyingKeyInput>>>(isTable, BY_NAME),
  v.record(text, v.any(), BY_NAME),
  v.check((keys) => Object.keys(keys).length > 0, 'an object with at least one public key'),
)
const policy = v.custom<TrustPolicy>(isTrustPolicy)
/** Schema of keys that need not be fetched. */
const localKeys = v.lazy(
  (given): v.GenericSchema<unknown, LocalKeys> => (isTrustPolicy(given) ? policy : namedKeys),
)
const fetchedSchema = v.custom<FetchedKeys>((given) => given instanceof FetchedKeys)
const keys = v.lazy(
  (given): v.GenericSchema<unknown, LocalKeys | FetchedKeys> =>
    given instanceof FetchedKeys ? fetchedSchema : localKeys,
)
const directories = v.custom<DirectoryKeys>((given) => given instanceof DirectoryKeys)
const agentsOrKeys = v.lazy(
  (given): v.GenericSchema<unknown, LocalKeys | FetchedKeys | DirectoryKeys> =>
    given instanceof DirectoryKeys ? directories : keys,
)
export const ORIGIN = v.pipe(
  v.string('a string'),
  v.regex(/^https?:\/\/[\w.:[\]-]+$/i, 'a scheme and an authority, such as https://api.example.com'),
)
const names = v.pipe(v.array(text, 'an array of names'), v.minLength(1, 'at least one name'))

/** Keys that need not be fetched. */
type LocalKeys = Readonly<Record<string, VerifyingKeyInput>> | TrustPolicy

/** Members that a configuration file can have, too. */
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

/** Options for the dialect of the other SDKs, exported for the guide's page of limits. */
export const alvarium = strict({
  ...common,
  keys: localKeys,
  format: v.optional(v.literal('alvarium', 'alvarium or rfc9421'), 'alvarium'),
  dialect: v.optional(CONFIGURABLE.dialect, 'go'),
  components: v.optional(names),
  maxAgeMs: v.optional(integer(0, MAX_AGE_MS, 0)),
})
const rfc9421Members = {
  maxAgeMs: CONFIGURABLE.maxAgeMs,
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
/** Options for RFC 9421, exported for the guide's page of limits. */
export const rfc9421 = strict({
  ...common,
  ...rfc9421Members,
  keys,
  format: v.literal('rfc9421', 'alvarium or rfc9421'),
  components: v.optional(names, [...WHOLE_REQUEST]),
})
const { tag: _, ...profileMembers } = rfc9421Members
/** Options for Web Bot Auth, exported for the guide's page of limits. */
export const webBotAuth = strict({
  ...common,
  ...profileMembers,
  keys: agentsOrKeys,
  profile: v.literal(TAG, TAG),
  components: v.optional(v.array(text, 'an array of names'), []),
  maxAgeMs: integer(0, MAX_AGE_MS, 86_400_000),
})
const response = strict({
  keys,
  leases,
  clockSkewMs: CONFIGURABLE.clockSkewMs,
  ...rfc9421Members,
  format: v.optional(v.literal('rfc9421', 'rfc9421, as responses are signed by it alone'), 'rfc9421'),
  components: v.optional(names),
  request: v.optional(v.any()),
  requestLabel: v.optional(text),
  acceptUnboundBody: v.optional(v.boolean('true or false'), false),
  body: v.optional(v.any()),
})

/** Options with their defaults. */
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
 * @param root - name of the function whose options they are
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 */
export function readPkiHttpOptions(options: PkiHttpOptions, root: string): PkiHttpSettings {
  if (isWebBotAuth(options, root))
    return { ...readOptions(webBotAuth, options, root), format: 'rfc9421', tag: TAG }
  return isRfc9421(options, Object.keys(rfc9421Members), root)
    ? readOptions(rfc9421, options, root)
    : readOptions(alvarium, options, root)
}

/** @throws AlvariumError `CONFIG_INVALID` naming the option */
export function readResponseOptions(options: VerifyResponseOptions): ResponseSettings {
  return readOptions(response, options, 'verifyResponse')
}

/**
 * Returns whether options are for RFC 9421. Call it before the schema: with a misspelt format, every other option would
 * be reported as wrong.
 *
 * @param names - options that only RFC 9421 has
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function isRfc9421(options: unknown, names: readonly string[], root: string): boolean {
  const given: Record<string, unknown> = Object(options)
  const { format } = given
  if (format === 'rfc9421') return true
  if (format !== undefined && format !== 'alvarium') {
    const got = typeof format === 'string' ? quote(format) : describe(format)
    const near = typeof format === 'string' ? hint(format, ['alvarium', 'rfc9421']) : ''
    throw expected('CONFIG_INVALID', `${root}.format`, `alvarium or rfc9421${near}`, got)
  }
  const name = names.find((one) => !COMMON_NAMES.includes(one) && given[one] !== undefined)
  if (name === undefined) return false
  const format9421 = `rfc9421, which the option ${name} needs`
  throw expected('CONFIG_INVALID', `${root}.format`, format9421, format === undefined ? 'none' : 'alvarium')
}

/** Options that both formats have. */
const COMMON_NAMES = ['maxAgeMs']
