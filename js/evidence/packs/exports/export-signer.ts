import { expected } from '../../../foundation/base/errors.js'
import { fromSpki } from '../../../signing/keys/ec/der.js'
import { type OpenKeyHolder, openKeyHolder } from '../../../signing/keys/key-holder.js'
import type { SignerInput } from '../../../signing/keys/signer.js'

export interface ExportSigner extends OpenKeyHolder {
  readonly algorithm: 'Ed25519' | 'P-256'
}

/**
 * Opens the private key that signs exports.
 *
 * @param verifiers - name of the programs that verify the export, for the text of the error
 * @throws AlvariumError `KEY_INVALID`, also for an algorithm other than Ed25519 and P-256; and as `loadAlgorithms`
 */
export async function openExportSigner(
  signingKey: SignerInput,
  timeoutMs: number,
  verifiers: string,
): Promise<ExportSigner> {
  const holder = await openKeyHolder(signingKey, timeoutMs)
  const algorithm = fromSpki(holder.key)?.curve.name ?? 'Ed25519'
  if (algorithm === 'Ed25519' || algorithm === 'P-256') return { ...holder, algorithm }
  holder.free()
  throw expected('KEY_INVALID', 'signingKey', `a key of Ed25519 or P-256 for ${verifiers}`, algorithm)
}
