import { fromBase64, toBase64 } from '../../../foundation/base/bytes/base64.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { describe, isBytes } from '../../../foundation/base/errors.js'
import { readOptions } from '../../../foundation/base/options/schema.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { assertSignable } from '../../../signing/keys/verifying.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { type ExportSigner, openExportSigner } from './export-signer.js'
import { type InTotoOptions, inTotoSchema } from './in-toto.js'
import { statementBytes } from './statement.js'

/** Names of the algorithms in a JWS header (RFC 8037 §3.1, RFC 7518 §3.1). */
export const JWS_ALGORITHMS = { Ed25519: 'EdDSA', 'P-256': 'ES256' } as const

/** Returns the signed bytes (RFC 7515 §5.1). With `b64: false`, `payload` is raw (RFC 7797 §3). */
export function signingInput(header: string, payload: Uint8Array): Uint8Array {
  return join([new TextEncoder().encode(`${header}.`), payload]).bytes
}

/**
 * Signs a payload or a bundle as a JSON Web Signature (RFC 7515). Use it in headers of messages in Kafka, NATS or
 * MQTT, for receivers that have a JWS library and no Alvarium SDK.
 *
 * A payload becomes a detached, unencoded JWS (RFC 7797): `header..signature`, about 200 characters for any payload. A
 * receiver verifies it with the bytes of the message. A bundle becomes a compact JWS, and its payload is the in-toto
 * statement of `toInToto`. `kid` is the key id of the public key, and `alg` is `EdDSA` or `ES256`.
 *
 * A JWS does not contain annotations of a payload, the signature of a bundle, or the time of the signature.
 *
 * @param content - a payload of at most 16 MiB, or a verified bundle
 * @throws TypeError for `content` of another type, RangeError for a payload that is too long
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID`, also for an algorithm other than Ed25519
 * and P-256; `SIGNER_FAILED`; and as `loadAlgorithms`
 *
 * @example
 * ```ts
 * import { toJws, verifyJws } from 'alvarium-sdk/packs'
 *
 * const jws = await toJws(payload, { signingKey })
 * const { keyId } = await verifyJws(jws, { keyring: [verifyingKey], payload })
 * ```
 */
export async function toJws(content: Uint8Array | VerifiedBundle, options: InTotoOptions): Promise<string> {
  const { signingKey, signerTimeoutMs } = readOptions(inTotoSchema, options, 'toJws')
  assertContent(content)
  const signer = await openExportSigner(signingKey as SignerInput, signerTimeoutMs, 'JWS verifiers')
  try {
    return isBytes(content) ? await signPayload(signer, content) : await signStatement(signer, content)
  } finally {
    signer.free()
  }
}

/** Signs a payload and leaves the payload out of the JWS (RFC 7797 §5.1). */
async function signPayload(signer: ExportSigner, payload: Uint8Array): Promise<string> {
  const header = headerOf(signer, { b64: false, crit: ['b64'] })
  return `${header}..${await signatureOf(signer, header, payload)}`
}

async function signStatement(signer: ExportSigner, bundle: VerifiedBundle): Promise<string> {
  const header = headerOf(signer, { typ: 'vnd.in-toto+json' })
  const statement = toBase64Url(statementBytes(bundle))
  return `${header}.${statement}.${await signatureOf(signer, header, new TextEncoder().encode(statement))}`
}

function headerOf({ algorithm, keyId }: ExportSigner, more: object): string {
  const header = JSON.stringify({ alg: JWS_ALGORITHMS[algorithm], kid: keyId, ...more })
  return toBase64Url(new TextEncoder().encode(header))
}

async function signatureOf(signer: ExportSigner, header: string, payload: Uint8Array): Promise<string> {
  return toBase64Url(await signer.sign(signingInput(header, payload)))
}

/** @throws TypeError, RangeError */
function assertContent(content: unknown): void {
  if (isBytes(content)) assertSignable(content)
  else if (typeof Object(content).id !== 'string') {
    throw new TypeError(`content: expected a payload or a verified bundle, got ${describe(content)}`)
  }
}

/** Encodes bytes as base64url without padding (RFC 7515 §2). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Decodes base64url without padding; returns undefined for any spelling but the canonical one. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (/[^\w-]/.test(text)) return undefined
  const padding = '='.repeat((4 - (text.length % 4)) % 4)
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding)
}
