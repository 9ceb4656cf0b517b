import * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../../foundation/base/options/schema.js'
import { callTurns } from '../../../foundation/base/time/turns.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { type ExportedBundles, eachOnce } from './bundles.js'
import { signEnvelope } from './dsse.js'
import { openExportSigner } from './export-signer.js'
import { STATEMENT_TYPE, statementBytes } from './statement.js'

/** Signing key and timeout for an export. */
export interface InTotoOptions {
  /**
   * Your private key of Ed25519 or P-256, or your own `Signer`. It signs the export, so you vouch for the contents.
   */
  readonly signingKey: SignerInput
  /** Timeout for each signature in milliseconds. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

/** Valibot schema of {@link InTotoOptions}. The guide's page of limits is generated from it. */
export const inTotoSchema = strict({
  signingKey: v.unknown(),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
})

/**
 * Exports verified bundles as in-toto statements (Statement v1), each in a DSSE envelope that you sign. The
 * lines form one in-toto bundle in JSON Lines, for a file such as `evidence.intoto.jsonl`. A bundle that
 * occurs twice is exported once. With an Ed25519 key, the same bundles always produce the same bytes.
 *
 * The export does not contain the signatures of the bundles, so its readers rely on your signature. Keep the
 * messages or a pack for readers who want to verify the bundles themselves. The export cannot show that
 * nothing is missing, and it omits the inputs of a bundle that has more than 1,024 inputs.
 *
 * @param bundles - verified bundles from `verifyMessage`, `subscribe` or `readPack`
 * @returns the lines: an envelope and a line feed each
 * @throws TypeError for a value that is not a verified bundle
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID`, also for an algorithm other than
 * Ed25519 and P-256; `SIGNER_FAILED`; and as `loadAlgorithms`. Errors of `bundles` are thrown unchanged
 *
 * @example
 * ```ts
 * import { readPack, toInToto } from 'alvarium-sdk/packs'
 *
 * async function exported(pack: Blob, keyring: Keyring) {
 *   await writeFile('evidence.intoto.jsonl', toInToto(readPack(pack, { keyring }), { signingKey }))
 * }
 * ```
 */
export async function* toInToto(
  bundles: ExportedBundles,
  options: InTotoOptions,
): AsyncGenerator<Uint8Array, void> {
  const { signingKey, signerTimeoutMs } = readOptions(inTotoSchema, options, 'toInToto')
  const signer = await openExportSigner(signingKey as SignerInput, signerTimeoutMs, 'DSSE verifiers')
  try {
    for await (const bundle of eachOnce(bundles)) {
      await callTurns.yieldIfDueLong()
      // Leave the key id empty, because a verifier that expects another form of key id skips the signature.
      const envelope = await signEnvelope(signer, STATEMENT_TYPE, statementBytes(bundle), '')
      yield new TextEncoder().encode(`${JSON.stringify(envelope)}\n`)
    }
  } finally {
    signer.free()
  }
}
