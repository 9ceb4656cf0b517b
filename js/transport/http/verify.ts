import { needs } from '../../foundation/base/errors.js'
import { isTrustPolicy } from '../../signing/keys/trust-policy.js'
import { DirectoryKeys } from './agent-keys.js'
import { assertBodyCanBeBound, assertOwnDigest, notBoundBy } from './binding.js'
import { parseComponent } from './components.js'
import { coverageOf } from './coverage.js'
import { type HttpAlgorithm, type HttpKeys, NamedKeys } from './named-keys.js'
import {
  type PkiHttpOptions,
  type PkiHttpSettings,
  type ResponseSettings,
  readPkiHttpOptions,
  readResponseOptions,
  type VerifyResponseOptions,
} from './options.js'
import { FetchedKeys } from './remote-keys.js'
import { type HttpRequest, type RequestParts, requestParts } from './request.js'
import { type HttpResponse, responseParts } from './response.js'
import { type Claim, claimIn, claimOfRfc9421 } from './signed.js'
import { TrustedKeys } from './trusted-keys.js'
import type { VerifiedRequest, VerifiedResponse } from './verified.js'
import { verifyClaim } from './verify-claim.js'
import { agentIn, assertProfile } from './web-bot-auth.js'

/** Keys and requirements for {@link verifyRequest}, with the body to verify. */
export type VerifyRequestOptions = PkiHttpOptions & {
  /** Received body, which is compared with a signed `content-digest`. */
  readonly body?: Uint8Array | undefined
}

const BY_RFC9421 = ['ed25519', 'ecdsa-p256-sha256'] as const

/**
 * Verifies the signature of a request. If the signature covers `content-digest`, also verifies the body.
 *
 * The name in a request selects the key among `keys`, and the key determines the algorithm. Name, algorithm,
 * signed components and times are checked before long parts are read, so invalid requests cost little time.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when there is no signature, when a signed component is missing,
 *   or when headers are ambiguous; `SIGNER_UNKNOWN`; `SIGNATURE_INVALID`, also when a required component is
 *   unsigned or the signature is not valid now; `PAYLOAD_MISMATCH` when the body differs; `SIGNER_EXPIRED`
 *   with a trust policy or a key set; `SIGNER_REVOKED` with a trust policy; `SIGNER_NOT_ALLOWED` with
 *   `leases`; `KEY_INVALID` and `CONFIG_INVALID` for options
 * @throws TypeError for a value that is not a request, and when the body is signed but not given
 *
 * @example
 * ```ts
 * const keys = { 'edge-7': await readKey('edge-7.key') }
 * const { keyId, components } = await verifyRequest(request, { format: 'rfc9421', keys, body })
 * ```
 */
export async function verifyRequest(
  request: HttpRequest,
  options: VerifyRequestOptions,
): Promise<VerifiedRequest> {
  const { body, ...rest } = Object(options) as VerifyRequestOptions
  return requestVerifier(options && (rest as PkiHttpOptions), 'verifyRequest')(request, body)
}

/**
 * Returns a function that verifies requests. Validates the options once.
 *
 * @param root - name of the public function that received the options
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export function requestVerifier(options: PkiHttpOptions, root: string) {
  const settings = readPkiHttpOptions(options, root)
  const { format, components = [] } = settings
  const keysFor = keyLookupFor(settings, format === 'rfc9421' ? BY_RFC9421 : ['ed25519'])
  const kind = format === 'alvarium' ? format : 'request'
  const required = components.map((name) => parseComponent(name, `${root}.components`, kind))
  return async (request: HttpRequest, body: Uint8Array | undefined): Promise<VerifiedRequest> => {
    const parts = requestParts(request, settings.origin)
    const claim = claimIn(parts, settings)
    if ('profile' in settings) assertProfile(claim, parts)
    const { keys, ...agent } = keysFor(claim, parts)
    const measure = { ...settings, kind: 'request', keys, components: required } as const
    const verified = await verifyClaim(claim, body, measure)
    return { ...verified, ...agent }
  }
}

/**
 * Function that returns the keys for a request. With `agentKeys`, it also returns the agent that the
 * request names.
 */
type KeyLookup = (claim: Claim, parts: RequestParts) => { keys: HttpKeys; signatureAgent?: string }

function keyLookupFor({ keys, leases }: PkiHttpSettings, algorithms: readonly HttpAlgorithm[]): KeyLookup {
  if (!(keys instanceof DirectoryKeys)) {
    const httpKeys = keysOf({ keys, leases }, algorithms)
    return () => ({ keys: httpKeys })
  }
  assertNoLeases(leases)
  return (claim, parts) => {
    const signatureAgent = agentIn(claim, parts)
    return { keys: keys.of(signatureAgent), signatureAgent }
  }
}

function keysOf(
  { keys, leases }: Pick<ResponseSettings, 'keys' | 'leases'>,
  algorithms: readonly HttpAlgorithm[],
): HttpKeys {
  if (isTrustPolicy(keys)) return new TrustedKeys(keys, algorithms, leases)
  assertNoLeases(leases)
  return keys instanceof FetchedKeys ? keys : new NamedKeys(keys, algorithms)
}

function assertNoLeases(leases: PkiHttpOptions['leases']): void {
  if (leases === undefined) return
  throw needs('leases', 'a trust policy in the option keys')
}

/**
 * Verifies the signature of a response by RFC 9421. If the signature covers `content-digest`, also verifies
 * the body. With `request`, also verifies that the response answers that request.
 *
 * @throws AlvariumError as {@link verifyRequest} does; `CONFIG_INVALID` also when the signature covers a
 *   request but `request` is missing, and, without `components` and `acceptUnboundBody`, when `request` may
 *   have a body but has no `content-digest`; `PAYLOAD_MISMATCH` also when the `content-digest` of `request`
 *   does not match its body
 * @throws TypeError for a value that is not a response, and when the body is signed but not given
 *
 * @example
 * ```ts
 * const response = { status: 201, headers: {} } // server
 * const headers = await signResponse(response, { signingKey, keyId: 'api', request, body })
 *
 * const keys = { api: await readKey('edge-7.key') } // client, with the request as sent
 * const { keyId } = await verifyResponse({ ...response, headers }, { keys, request, body })
 * ```
 */
export async function verifyResponse(
  response: HttpResponse,
  options: VerifyResponseOptions,
): Promise<VerifiedResponse> {
  const settings = readResponseOptions(options)
  const keys = keysOf(settings, BY_RFC9421)
  const parts = responseParts(response, settings.request)
  const answered = parts.request && { request: settings.request, parts: parts.request }
  const required = coverageOf(parts, settings, 'verifyResponse')
  if (answered && !settings.components && !settings.acceptUnboundBody) assertBodyCanBeBound(answered)
  const measure = { ...settings, kind: 'response', keys, components: required } as const
  const claim = claimOfRfc9421(parts, 'response', settings)
  const [verified] = await Promise.all([
    verifyClaim(claim, settings.body, measure),
    answered && assertOwnDigest(answered),
  ])
  return { ...verified, notBound: notBoundBy(claim.components, answered) }
}
