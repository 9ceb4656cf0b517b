import { expected } from '../../../foundation/base/errors.js'
import { fromSpki } from '../../../signing/keys/ec/der.js'
import { type OpenKeyHolder, openKeyHolder } from '../../../signing/keys/key-holder.js'
import type { SignerInput } from '../../../signing/keys/signer.js'

const ALGORITHMS = ['Ed25519', 'P-256'] as const

type ExportAlgorithm = (typeof ALGORITHMS)[number]

export interface ExportSigner extends OpenKeyHolder {
  readonly algorithm: ExportAlgorithm
}

/**
 * Opens the private key that signs exports.
 *
 * @param verifiers - names of the programs that verify the export, for the text of the error
 * @param algorithms - algorithms that these programs know
 * @throws AlvariumError `KEY_INVALID`, also for another algorithm; and as `loadAlgorithms`
 */
export async function openExportSigner(
  signingKey: SignerInput,
  timeoutMs: number,
  verifiers: string,
  algorithms: readonly ExportAlgorithm[] = ALGORITHMS,
): Promise<ExportSigner> {
  const holder = await openKeyHolder(signingKey, timeoutMs)
  const name = fromSpki(holder.key)?.curve.name ?? 'Ed25519'
  const algorithm = algorithms.find((one) => one === name)
  if (algorithm) return { ...holder, algorithm }
  holder.free()
  throw expected('KEY_INVALID', 'signingKey', `a key of ${algorithms.join(' or ')} for ${verifiers}`, name)
}
