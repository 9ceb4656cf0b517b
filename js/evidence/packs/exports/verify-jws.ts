import { isSame } from '../../../foundation/base/bytes/same.js'
import {
  AlvariumError,
  assertBytes,
  describe,
  expected,
  malformed,
  needs,
  quoteOr,
} from '../../../foundation/base/errors.js'
import { assertNames } from '../../../foundation/base/options/names.js'
import { findRepeatedName, quotedNameAt } from '../../../foundation/base/text/scan.js'
import type { EcKey } from '../../../foundation/model/algorithm.js'
import { verifyEitherS } from '../../../signing/keys/ec/public-key.js'
import { keyringOf } from '../../../signing/keys/key-lists.js'
import type { Keyring } from '../../../signing/keys/keyring.js'
import { invalidSignature } from '../../../signing/keys/outside-verifier.js'
import { assertSignable, type VerifyingKeyInput } from '../../../signing/keys/verifying.js'
import { fromBase64Url, JWS_ALGORITHMS, signingInput, toBase64Url } from './jws.js'

/** Trusted keys, and the payload of a detached JWS. */
export interface VerifyJwsOptions {
  /**
   * Public keys of Ed25519 and P-256. If there are several keys, `kid` in the JWS must be the id of one of
   * them. A single key verifies the JWS whatever `kid` is.
   */
  readonly keyring: Keyring | readonly VerifyingKeyInput[]
  /** Payload of a detached JWS. If the JWS contains a payload, too, the two must be equal. */
  readonly payload?: Uint8Array | undefined
}

/** Result of verifying a JWS. */
export interface VerifiedJws {
  /** Key id of the public key that verified the signature. */
  readonly keyId: string
  /** Payload that the signature covers. */
  readonly payload: Uint8Array
}

/** Maximum length of a header in characters. */
const MAX_HEADER_LENGTH = 4_096
/** Maximum length of a JWS in characters: 16 MiB for the signed bytes, and 8,192 for the rest. */
const MAX_LENGTH = 16 * 1024 * 1024 + 8_192

/**
 * Verifies a compact JSON Web Signature (RFC 7515) from `toJws` or another library. The payload may be
 * attached, detached or unencoded (RFC 7797). `alg` must match the key: `EdDSA` or `Ed25519` for Ed25519,
 * `ES256` for P-256. ECDSA signatures may have either value of s, because most other signers emit both;
 * messages of the SDK allow only the lower value.
 *
 * @throws TypeError for a `jws` that is not a string, or a `payload` that is not bytes; RangeError for more
 * than 16 MiB of signed bytes
 * @throws AlvariumError `MESSAGE_MALFORMED` naming the part; `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`;
 * `PAYLOAD_MISMATCH` if the JWS contains another `payload`; `CONFIG_INVALID`, `KEY_INVALID`; and as `loadAlgorithms`
 *
 * @example
 * ```ts
 * import { toJws, verifyJws } from 'alvarium-sdk/packs'
 *
 * const jws = await toJws(bundle, { signingKey })
 * const { payload } = await verifyJws(jws, { keyring: [verifyingKey] })
 * JSON.parse(new TextDecoder().decode(payload)).predicate.action // 'create'
 * ```
 */
export async function verifyJws(jws: string, options: VerifyJwsOptions): Promise<VerifiedJws> {
  if (typeof jws !== 'string') throw new TypeError(`jws: expected a string, got ${describe(jws)}`)
  assertNames(options, ['keyring', 'payload'], 'verifyJws.')
  const claim = claimIn(jws, options.payload)
  const keyring = keyringOf(options.keyring)
  try {
    const keyId = keyIdFor(claim.kid, keyring)
    await assertSigned(keyring, keyId, claim)
    return { keyId, payload: claim.payload }
  } finally {
    if (keyring !== options.keyring) keyring.close()
  }
}

interface Claim {
  readonly alg: unknown
  readonly kid: unknown
  readonly payload: Uint8Array
  readonly bytes: Uint8Array
  readonly signature: Uint8Array
}

/** Parses a JWS without verifying the signature. @throws AlvariumError `MESSAGE_MALFORMED`, `PAYLOAD_MISMATCH` */
function claimIn(jws: string, given: Uint8Array | undefined): Claim {
  if (jws.length > MAX_LENGTH) throw malformed('jws', `at most ${MAX_LENGTH} characters`, `${jws.length}`)
  const [header = '', body, last, more] = jws.split('.', 4)
  if (body === undefined || last === undefined || more !== undefined) {
    throw malformed('jws', 'three parts with dots between them', 'another number')
  }
  const { alg, kid, b64 } = headerIn(header)
  const payload = payloadIn(body, b64, given)
  const signed = b64 ? new TextEncoder().encode(body || toBase64Url(payload)) : payload
  return { alg, kid, payload, bytes: signingInput(header, signed), signature: bytesIn('signature', last) }
}

function headerIn(text: string): { alg: unknown; kid: unknown; b64: boolean } {
  if (text.length > MAX_HEADER_LENGTH) {
    throw malformed('jws.header', `at most ${MAX_HEADER_LENGTH} characters`, `${text.length}`)
  }
  const header = objectIn(new TextDecoder().decode(bytesIn('header', text)))
  const { alg, kid, crit, b64 = true } = header
  const isUnencoded = b64 === false && Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64'
  // Refuse critical members except `b64`, because a reader must understand all of them (RFC 7515 §4.1.11).
  if (isUnencoded || (b64 === true && crit === undefined)) return { alg, kid, b64: !isUnencoded }
  throw malformed('jws.header', 'no crit, or b64 false with crit ["b64"]', 'other values of crit and b64')
}

/** Parses a JSON object. @throws AlvariumError `MESSAGE_MALFORMED`, also if a member occurs twice (RFC 7515 §4) */
function objectIn(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw malformed('jws.header', 'JSON', 'other text', cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('jws.header', 'an object', describe(value))
  }
  const second = findRepeatedName(json)
  if (second !== undefined)
    throw malformed('jws.header', 'each name once', `${quotedNameAt(json, second)} twice`)
  return value as Record<string, unknown>
}

function payloadIn(body: string, b64: boolean, given: Uint8Array | undefined): Uint8Array {
  if (given !== undefined) assertBytes(given, 'payload')
  if (body !== '') {
    if (!b64) throw malformed('jws.payload', 'an empty part with b64 false', 'a payload')
    const jwsPayload = bytesIn('payload', body)
    if (given === undefined || isSame(jwsPayload, given)) return jwsPayload
    throw new AlvariumError('PAYLOAD_MISMATCH', 'payload: differs from the payload in the JWS')
  }
  if (given !== undefined) return given
  throw needs('payload', 'a payload in the JWS or in options.payload', 'MESSAGE_MALFORMED')
}

function bytesIn(part: string, text: string): Uint8Array {
  const bytes = fromBase64Url(text)
  if (bytes) return bytes
  throw malformed(`jws.${part}`, 'base64url without padding', 'other characters')
}

/** Returns the id of the key that verifies the JWS. @throws AlvariumError `SIGNER_UNKNOWN` */
function keyIdFor(kid: unknown, keyring: Keyring): string {
  if (keyring.size === 1) return keyring.keyIds[0] as string
  if (typeof kid === 'string' && (keyring.ed25519(kid) ?? keyring.ecKey(kid))) return kid
  const got = quoteOr(kid)
  throw expected('SIGNER_UNKNOWN', 'jws.kid', 'the key id of a key in the keyring', got)
}

/** @throws AlvariumError `MESSAGE_MALFORMED` if `alg` does not match the key; `SIGNATURE_INVALID`, `KEY_INVALID` */
async function assertSigned(keyring: Keyring, keyId: string, claim: Claim): Promise<void> {
  const { alg, bytes, signature } = claim
  assertSignable(bytes)
  const key = keyring.ecKey(keyId)
  assertAlgorithm(alg, key ? [JWS_ALGORITHMS['P-256']] : [JWS_ALGORITHMS.Ed25519, 'Ed25519'])
  const isGood = key
    ? await verifiesP256(key, bytes, signature)
    : signature.length === 64 && keyring.verifies(keyId, bytes, signature)
  if (!isGood) throw invalidSignature(keyId)
}

/**
 * Verifies a signature r ‖ s (RFC 7518 §3.4), not DER.
 *
 * @throws AlvariumError `KEY_INVALID` for a curve other than P-256
 */
function verifiesP256(key: EcKey, bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const { algorithm, point } = key
  if (algorithm === 'P-256' && point) return verifyEitherS({ ...key, point }, bytes, signature)
  throw expected('KEY_INVALID', 'keyring', 'a public key of Ed25519 or P-256', algorithm)
}

function assertAlgorithm(alg: unknown, known: readonly string[]): void {
  if (typeof alg === 'string' && known.includes(alg)) return
  throw malformed('jws.alg', known.join(' or '), quoteOr(alg))
}
