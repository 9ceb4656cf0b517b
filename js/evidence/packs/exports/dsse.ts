import { toBase64 } from '../../../foundation/base/bytes/base64.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { ecdsaDer } from '../../../signing/keys/ec/der.js'
import type { ExportSigner } from './export-signer.js'

// Writes DSSE envelopes: Dead Simple Signing Envelope 1.0.2 (https://github.com/secure-systems-lab/dsse).

/**
 * Returns the pre-authentication encoding (DSSE, protocol.md). One private key may sign both bundles and envelopes,
 * because the signed bytes of bundles begin differently.
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = new TextEncoder().encode(payloadType)
  const head = `DSSEv1 ${type.length} ${payloadType} ${payload.length} `
  return join([new TextEncoder().encode(head), payload]).bytes
}

/** A DSSE envelope in its JSON form (DSSE, envelope.md). */
export interface Envelope {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }]
}

/**
 * Signs a payload and returns the envelope.
 *
 * @param keyid - a hint in the form that the verifying tool expects. If it is empty, verifiers try each of their keys
 * @throws AlvariumError `SIGNER_FAILED`
 */
export async function signEnvelope(
  signer: ExportSigner,
  payloadType: string,
  payload: Uint8Array,
  keyid: string,
): Promise<Envelope> {
  const signature = await signer.sign(preAuthEncoding(payloadType, payload))
  const sig = toBase64(signer.algorithm === 'P-256' ? ecdsaDer(signature) : signature)
  return { payload: toBase64(payload), payloadType, signatures: [{ keyid, sig }] }
}
