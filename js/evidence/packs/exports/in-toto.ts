import * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../../foundation/base/options/schema.js'
import { callTurns } from '../../../foundation/base/time/turns.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { type ExportedBundles, eachOnce } from './bundles.js'
import { signEnvelope } from './dsse.js'
import { openExportSigner } from './export-signer.js'
import { STATEMENT_TYPE, statementBytes } from './statement.js'

/** Options of `toInToto`. */
export interface InTotoOptions {
  /**
   * Your own private key, of Ed25519 or P-256, or your own `Signer`. The signature of a bundle is not a DSSE signature, so you vouch for
   * the export.
   */
  readonly signingKey: SignerInput
  /** Timeout of a signature in milliseconds. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

/** Schema of the options, which the page of limits shows. */
export const inTotoSchema = strict({
  signingKey: v.unknown(),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
})

/**
 * Exports verified bundles as in-toto statements (Statement v1), each in a DSSE envelope that you sign. All lines are one in-toto bundle:
 * JSON lines, for a file `….intoto.jsonl`. A bundle that occurs twice is exported once. With a key of Ed25519, the same bundles give the
 * same bytes.
 *
 * The export cannot carry the bundle's own signature: readers rely on yours. Keep the messages, or a pack, for readers who want to verify
 * the bundle itself. It cannot say that nothing is missing, or list more than 1,024 inputs of a bundle.
 *
 * @param bundles - verified bundles from `verifyMessage`, `subscribe` or `readPack`
 * @returns the lines, an envelope and a line feed each
 * @throws TypeError for a value that is not a verified bundle
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID` also for a key of another algorithm; `SIGNER_FAILED`; and as
 * `loadAlgorithms`. Errors of `bundles` are thrown unchanged
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
      // Leave the key id empty: a verifier that expects another form of key id skips the signature.
      const envelope = await signEnvelope(signer, STATEMENT_TYPE, statementBytes(bundle), '')
      yield new TextEncoder().encode(`${JSON.stringify(envelope)}\n`)
    }
  } finally {
    signer.free()
  }
}
