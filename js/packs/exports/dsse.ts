import { toBase64 } from '../../base/bytes/base64.js'
import { join } from '../../base/bytes/join.js'
import { ecdsaDer } from '../../keys/ec-der.js'
import type { ExportSigner } from './export-signer.js'

// DSSE, Dead Simple Signing Envelope, version 1.0.2 (https://github.com/secure-systems-lab/dsse).

/**
 * What is signed of an envelope: the pre-authentication encoding (protocol.md). A key of ours signs it beside bundles, whose identity
 * bytes begin otherwise.
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = new TextEncoder().encode(payloadType)
  const head = `DSSEv1 ${type.length} ${payloadType} ${payload.length} `
  return join([new TextEncoder().encode(head), payload]).bytes
}

/** An envelope as JSON has it (envelope.md). */
export interface Envelope {
  readonly payload: string
  readonly payloadType: string
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }]
}

/**
 * Signs a payload.
 *
 * @param keyid - a hint, of which every tool has a form of its own; empty, verifiers try the signature with each of their keys
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
