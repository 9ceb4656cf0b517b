import * as v from 'valibot'
import { readOptions, strict } from '../../../foundation/base/options/schema.js'
import { callTurns } from '../../../foundation/base/time/turns.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { type ExportedBundles, eachOnce } from './bundles.js'
import { type Envelope, signEnvelope } from './dsse.js'
import { openExportSigner } from './export-signer.js'
import { type InTotoOptions, inTotoSchema } from './in-toto.js'
import { spkiHint, sshFingerprint } from './key-names.js'
import { STATEMENT_TYPE, statementBytes } from './statement.js'

/** Options of `toSigstoreBundle`: the key, and the names of the statements' subjects. */
export interface SigstoreOptions extends InTotoOptions {
  /** File names by payload key, as in `key` of bundles. Default: the subject's name is `_`, and its digest identifies the payload. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

/** One Sigstore bundle, for a file of its own. */
export interface SigstoreFile {
  /** File name: the id of the exported bundle, and `.sigstore.json`. */
  readonly name: string
  /** JSON, and a line feed. */
  readonly bytes: Uint8Array
}

const schema = strict({
  ...inTotoSchema.entries,
  names: v.optional(
    v.map(v.string('a payload key'), v.string('a file name'), 'a Map of file names by payload key'),
  ),
})

const MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json'

/**
 * Exports verified bundles as Sigstore bundles (v0.3). Each is an in-toto statement in a DSSE envelope that you sign, as with `toInToto`,
 * and names your public key. A bundle that occurs twice is exported once. With a key of Ed25519, the same bundles give the same bytes.
 *
 * `cosign verify-blob-attestation --key` and `@sigstore/verify` verify them by a public key that the verifier has. The exports have no
 * certificate, no entry of a transparency log and no timestamp, so verifiers must not ask for those. They cannot carry the signature of the
 * bundle: keep the messages, or a pack.
 *
 * @param bundles - verified bundles from `verifyMessage`, `subscribe` or `readPack`
 * @returns a file for each
 * @throws TypeError for a value that is not a verified bundle
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID` also for a key of another algorithm than Ed25519 and P-256;
 * `SIGNER_FAILED`; and as `loadAlgorithms`. Errors of `bundles` are thrown unchanged
 *
 * @example
 * ```ts
 * import { readPack, toSigstoreBundle } from 'alvarium-sdk/packs'
 *
 * async function exported(pack: Blob, keyring: Keyring) {
 *   for await (const { name, bytes } of toSigstoreBundle(readPack(pack, { keyring }), { signingKey })) {
 *     await writeFile(name, bytes)
 *   }
 * }
 * ```
 */
export async function* toSigstoreBundle(
  bundles: ExportedBundles,
  options: SigstoreOptions,
): AsyncGenerator<SigstoreFile, void> {
  const { signingKey, signerTimeoutMs, names } = readOptions(schema, options, 'toSigstoreBundle')
  const signer = await openExportSigner(signingKey as SignerInput, signerTimeoutMs, 'DSSE verifiers')
  const hint = spkiHint(signer.key)
  const keyid = sshFingerprint(signer.key)
  try {
    for await (const bundle of eachOnce(bundles)) {
      await callTurns.yieldIfDueLong()
      const statement = statementBytes(bundle, names?.get(bundle.key))
      const dsseEnvelope = await signEnvelope(signer, STATEMENT_TYPE, statement, keyid)
      yield { name: `${bundle.id}.sigstore.json`, bytes: bundleBytes(hint, dsseEnvelope) }
    }
  } finally {
    signer.free()
  }
}

/** Returns a Sigstore bundle with an envelope and the hint of the public key, and a line feed. */
export function bundleBytes(hint: string, dsseEnvelope: Envelope): Uint8Array {
  const verificationMaterial = { publicKey: { hint }, tlogEntries: [] }
  const json = JSON.stringify({ mediaType: MEDIA_TYPE, verificationMaterial, dsseEnvelope })
  return new TextEncoder().encode(`${json}\n`)
}
