import { expected } from '../base/errors.js'
import { isTrustPolicy } from '../keys/trust-policy.js'
import { type AnsweredRequest, assertBodyCanBeBound, hasOwnDigest, notBoundBy } from './binding.js'
import { parseComponent } from './components.js'
import { coverageOf } from './coverage.js'
import { judged } from './judge.js'
import { type HttpAlgorithm, type HttpKeys, NamedKeys } from './named-keys.js'
import {
  type AlvariumHttpOptions,
  type PkiHttpOptions,
  type Rfc9421Options,
  readPkiHttpOptions,
  readResponseOptions,
  type VerifyResponseOptions,
} from './options.js'
import { type HttpRequest, partsOf } from './request.js'
import { type HttpResponse, responseParts } from './response.js'
import { claimIn, claimOfRfc9421 } from './signed.js'
import { TrustedKeys } from './trusted-keys.js'
import type { VerifiedRequest, VerifiedResponse } from './verified.js'

/** What `verifyRequest` needs: how to judge, and the body where it may be signed. */
export type VerifyRequestOptions = (AlvariumHttpOptions | Rfc9421Options) & {
  /** The body as it came, which is compared with a signed `content-digest`. */
  readonly body?: Uint8Array | undefined
}

/** Judges requests by options that were read once. */
export type RequestVerifier = (request: HttpRequest, body: Uint8Array | undefined) => Promise<VerifiedRequest>

/**
 * Verifies the signature of a request, and that its body is the signed one where `content-digest` is signed, whole or in part.
 *
 * Nothing that the request says is used to find a key but its name, among `keys`; a key is for its own algorithm alone. Name of
 * the key, algorithm, what is signed and when are judged before anything long is read, and no request takes much longer
 * than an ordinary one.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when there is no signature, when what it speaks of is missing, or when headers can be
 * read in two ways; `SIGNER_UNKNOWN`; `SIGNATURE_INVALID`, also when too little is signed, or at another time;
 * `PAYLOAD_MISMATCH` when the body is another one; with a trust policy `SIGNER_EXPIRED` and `SIGNER_REVOKED`; `KEY_INVALID` and `CONFIG_INVALID` for options
 * @throws TypeError for what is no request, and when the body is signed but not given
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
 * @param root - the function whose options they are
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export function requestVerifier(options: PkiHttpOptions, root: string): RequestVerifier {
  const settings = readPkiHttpOptions(options, root)
  const { format, components = [] } = settings
  const keys = keysOf(settings, format === 'rfc9421' ? ['ed25519', 'ecdsa-p256-sha256'] : ['ed25519'])
  const wanted = components.map((name) =>
    parseComponent(name, `${root}.components`, format === 'alvarium' ? format : 'request'),
  )
  return async (request, body) => {
    const parts = partsOf(request, settings.origin)
    return judged(claimIn(parts, settings), body, { ...settings, kind: 'request', keys, wanted })
  }
}

function keysOf(
  { keys, leases }: Pick<PkiHttpOptions, 'keys' | 'leases'>,
  algorithms: readonly HttpAlgorithm[],
): HttpKeys {
  if (isTrustPolicy(keys)) return new TrustedKeys(keys, algorithms, leases)
  if (leases === undefined) return new NamedKeys(keys, algorithms)
  throw expected('CONFIG_INVALID', 'leases', 'a trust policy as keys', 'keys by name')
}

/**
 * Verifies the signature of a response by RFC 9421, that its body is the signed one where `content-digest` is signed and, with
 * `request`, that it answers that request.
 *
 * @throws AlvariumError as {@link verifyRequest} does; `CONFIG_INVALID` also when the signature is over a request that was not given, and
 * when the request may have a body and has no `content-digest`; `PAYLOAD_MISMATCH` also when that is the digest of another body than
 * `request` has
 * @throws TypeError for what is no response, and when the body is signed but not given
 *
 * @example
 * ```ts
 * const response = { status: 201, headers: {} } // the server's, which signs it
 * const headers = await signResponse(response, { signingKey, keyId: 'api', request, body })
 *
 * const keys = { api: await readKey('edge-7.key') } // the client's, which gives the request as it sent it
 * const { keyId } = await verifyResponse({ ...response, headers }, { keys, request, body })
 * ```
 */
export async function verifyResponse(
  response: HttpResponse,
  options: VerifyResponseOptions,
): Promise<VerifiedResponse> {
  const settings = readResponseOptions(options)
  const keys = keysOf(settings, ['ed25519', 'ecdsa-p256-sha256'])
  const parts = responseParts(response, settings.request)
  const answered = parts.request && { request: settings.request, parts: parts.request }
  const wanted = coverageOf(parts, settings, 'verifyResponse')
  if (answered && !settings.components && !settings.acceptUnboundBody) assertBodyCanBeBound(answered)
  const measure = { ...settings, kind: 'response', keys, wanted } as const
  const claim = claimOfRfc9421(parts, 'response', settings)
  const [verified] = await Promise.all([judged(claim, settings.body, measure), assertOwnDigest(answered)])
  return { ...verified, notBound: notBoundBy(claim.components, answered) }
}

async function assertOwnDigest(answered: AnsweredRequest | undefined): Promise<void> {
  if (!answered || (await hasOwnDigest(answered))) return
  const own = 'the one whose content-digest the request has'
  throw expected('PAYLOAD_MISMATCH', 'request.body', own, 'another one')
}
