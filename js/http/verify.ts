import { AlvariumError, assertBytes, describe, textOf } from '../base/errors.js'
import { TOO_LATE, within } from '../base/timeout.js'
import { isDigestOf } from './digest.js'
import { unsatisfying } from './fault.js'
import { NamedKeys } from './named-keys.js'
import {
  type AlvariumHttpOptions,
  type PkiHttpOptions,
  type PkiHttpSettings,
  type Rfc9421Options,
  readPkiHttpOptions,
} from './options.js'
import { type HttpRequest, partsOf } from './request.js'
import {
  assertAlgorithm,
  assertCovers,
  assertTimely,
  readSigned,
  type Signed,
  wantedComponents,
} from './signed.js'

/** What `verifyRequest` needs: how to judge, and the body where it may be signed. */
export type VerifyRequestOptions = (AlvariumHttpOptions | Rfc9421Options) & {
  /** The body as it came, which is compared with a signed `content-digest`. */
  readonly body?: Uint8Array | undefined
}

/** What was signed of a request, and by whom. What is not among `components`, anybody on the way can have changed. */
export interface VerifiedRequest {
  /** The name of the key in `keys`. */
  readonly keyId: string
  /** Identifiers as headers have them: `"@method"`, `"content-type"`, `"@query-param";name="id"`. */
  readonly components: readonly string[]
  /** When it was signed by the signer's clock, in seconds since 1970. */
  readonly created?: number
  /** Until when it is good, in seconds since 1970. */
  readonly expires?: number
  readonly nonce?: string
  readonly tag?: string
  readonly label?: string
}

/** Judges requests by options that were read once. */
export type RequestVerifier = (request: HttpRequest, body: Uint8Array | undefined) => Promise<VerifiedRequest>

/**
 * Verifies the signature of a request, and that its body is the signed one where `content-digest` is signed, whole or in part.
 *
 * Nothing that the request says is used to find a key but its name, among `keys`; only Ed25519 is accepted.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` when there is no signature, when what it speaks of is missing, or when headers can be
 * read in two ways; `SIGNER_UNKNOWN`; `SIGNATURE_INVALID`, also when too little is signed, or at another time;
 * `PAYLOAD_MISMATCH` when the body is another one; `KEY_INVALID` and `CONFIG_INVALID` for options
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
  const { body, ...rest } = options
  return requestVerifier(rest as PkiHttpOptions)(request, body)
}

/** @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID` */
export function requestVerifier(options: PkiHttpOptions): RequestVerifier {
  const settings = readPkiHttpOptions(options)
  const keys = new NamedKeys(settings.keys)
  const wanted = wantedComponents(settings)
  return async (request, body) => {
    const parts = partsOf(request, settings.origin)
    const signed = readSigned(parts, settings)
    assertAlgorithm(signed)
    assertCovers(signed, wanted)
    assertTimely(signed, settings, Date.now())
    const keyId = verifiedBy(keys, signed)
    // Before anything is waited for: the body may be another one later.
    if (signed.digest !== undefined) await assertBody(body, signed.digest)
    await assertFresh(settings, signed, keyId)
    const { components, label, parameters } = signed
    const { created, expires, nonce, tag } = parameters
    return { keyId, components, ...present({ created, expires, nonce, tag, label }) }
  }
}

function present<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}

function verifiedBy(keys: NamedKeys, { parameters: { keyid }, bytes, signature }: Signed): string {
  if (keyid === undefined) throw unsatisfying('signature-input', 'the parameter keyid', 'none')
  if (signature.length === 64 && keys.verifies(keyid, bytes, signature)) return keyid
  throw unsatisfying('signature', `one by ${keyid} over this request`, 'another one')
}

async function assertBody(body: Uint8Array | undefined, digest: string): Promise<void> {
  assertBytes(body, 'body')
  if (await isDigestOf(body, digest)) return
  const text = 'body: expected the one whose content-digest was signed, got another one'
  throw new AlvariumError('PAYLOAD_MISMATCH', text)
}

/** Who cannot say that a nonce is new has refused it. */
async function assertFresh(settings: PkiHttpSettings, { parameters }: Signed, keyId: string): Promise<void> {
  if (settings.format === 'alvarium' || !settings.isNonceFresh) return
  const { nonce } = parameters
  if (nonce === undefined) throw unsatisfying('signature-input', 'a nonce', 'none')
  const { isNonceFresh, nonceTimeoutMs } = settings
  const answer = await answerOf(async () => isNonceFresh(nonce, keyId), nonceTimeoutMs)
  if (answer === true) return
  if (answer === false) throw unsatisfying('nonce', 'one that is new', 'one that was used')
  throw unsatisfying('nonce', 'true or false from isNonceFresh', describe(answer))
}

async function answerOf(ask: () => Promise<unknown>, timeoutMs: number): Promise<unknown> {
  const expected = 'an answer from isNonceFresh'
  try {
    const answer = await within(ask(), timeoutMs)
    if (answer !== TOO_LATE) return answer
  } catch (cause) {
    throw unsatisfying('nonce', expected, `an error: ${textOf(cause)}`, cause)
  }
  throw unsatisfying('nonce', expected, `none within ${timeoutMs} ms`)
}
