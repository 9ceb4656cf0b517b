import { serializeDictionary, serializeItem } from 'structured-headers'
import * as v from 'valibot'
import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { randomFill } from '../../foundation/base/bytes/random.js'
import { conflicts } from '../../foundation/base/errors.js'
import { oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { jwkThumbprint } from '../../signing/keys/forms/thumbprint.js'
import { publicKeyOf } from '../../signing/keys/key-holder.js'
import type { SigningKeyInput } from '../../signing/keys/signing.js'
import { originOf } from './agent-keys.js'
import { parseComponent } from './components.js'
import { TAG } from './profile.js'
import { normalizeMethod, type PlainRequest, requestParts } from './request.js'
import { assertEd25519, commonMembers, names, now, seconds, signByRfc9421 } from './sign-rfc9421.js'
import { assertNamesServer } from './web-bot-auth.js'

/** Options for signing a request with Ed25519 by RFC 9421 in the profile Web Bot Auth. */
export interface WebBotAuthSignOptions {
  readonly profile: 'web-bot-auth'
  /** Must be undefined, because the profile implies RFC 9421. */
  readonly format?: undefined
  /** Ed25519 private key. Requests name the public key by its thumbprint. */
  readonly signingKey: SigningKeyInput
  /** Origin that publishes your keys, such as `https://bot.example`, for the header `Signature-Agent`. */
  readonly signatureAgent?: string | undefined
  /**
   * Form of the header `Signature-Agent`. `'string'` (default): `"https://bot.example"`, as npm
   * `web-bot-auth` 0.1.3 reads it. `'dictionary'`: `sig1="https://bot.example"`, as in later drafts.
   */
  readonly signatureAgentForm?: 'string' | 'dictionary' | undefined
  /** Names of signed components. They must include `@authority` or `@target-uri`. Default `@authority`. */
  readonly components?: readonly string[] | undefined
  /**
   * Body of the request. If `content-digest` is to be signed and the request has no such header, it is
   * computed from this body. Default: an empty body.
   */
  readonly body?: Uint8Array | undefined
  /** Creation time of the signature, in seconds since 1970. Default: now. */
  readonly created?: number | undefined
  /** Expiry time in seconds since 1970. Default: 300 seconds after `created`. Recommended: at most a day. */
  readonly expires?: number | undefined
  /** Nonce of the signature. Default: 64 random bytes in base64. */
  readonly nonce?: string | undefined
  /** Label of the signature. Default `sig1`. */
  readonly label?: string | undefined
}

const DEFAULT_LIFETIME_SECONDS = 300
const NONCE_BYTES = 64
const ROOT = 'signRequest'

const schema = strict({
  ...commonMembers,
  profile: v.literal('web-bot-auth', 'web-bot-auth'),
  signingKey: v.any(),
  signatureAgent: v.optional(
    v.pipe(
      v.string('a string'),
      v.check((given) => originOf(given) !== undefined, 'an origin of https, such as https://bot.example'),
    ),
  ),
  signatureAgentForm: v.optional(oneOf(['string', 'dictionary']), 'string'),
  components: v.optional(names(v.string('a name')), ['@authority']),
  created: v.optional(seconds),
})

export async function signByWebBotAuth(
  request: PlainRequest,
  options: WebBotAuthSignOptions,
): Promise<Record<string, string>> {
  const settings = readOptions(schema, options, ROOT)
  const { label, body, created = now(), nonce = newNonce() } = settings
  const { expires = created + DEFAULT_LIFETIME_SECONDS } = settings
  const ownComponents = settings.components.map((name) => parseComponent(name, `${ROOT}.components`))
  assertNamesServer(ownComponents, `${ROOT}.components`)
  assertEd25519(options.signingKey, ROOT)
  const parts = normalizeMethod(requestParts(request))
  if (parts.fields.lines('signature-agent').length > 0)
    throw conflicts('signature-agent', 'profile: the option signatureAgent adds this header')
  const { header, components } = agentOf(settings, label)
  const signed =
    header === undefined ? parts : { ...parts, fields: parts.fields.with('signature-agent', header) }
  const keyid = jwkThumbprint(publicKeyOf(options.signingKey).key)
  const parameters = { created, keyid, alg: 'ed25519', expires, nonce, tag: TAG }
  const message = { parts: signed, components: [...ownComponents, ...components], parameters, label, body }
  const headers = await signByRfc9421(message, options.signingKey, ROOT)
  return { ...headers, ...(header !== undefined && { 'Signature-Agent': header }) }
}

/** Returns the header `Signature-Agent` and the components that cover it. Both are empty without an agent. */
function agentOf({ signatureAgent, signatureAgentForm }: v.InferOutput<typeof schema>, label: string) {
  const origin = originOf(signatureAgent)
  if (origin === undefined) return { header: undefined, components: [] }
  const isMember = signatureAgentForm === 'dictionary'
  const header = isMember
    ? serializeDictionary(new Map([[label, [origin, new Map()]]]))
    : serializeItem([origin, new Map()])
  const component = ['signature-agent', new Map(isMember ? [['key', label]] : [])] as const
  return { header, components: [component] }
}

function newNonce(): string {
  return toBase64(randomFill(new Uint8Array(NONCE_BYTES)))
}
