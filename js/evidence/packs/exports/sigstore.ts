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

/** Signing key and subject names for a Sigstore export. */
export interface SigstoreOptions extends InTotoOptions {
  /** Subject names by payload key (`key` of a bundle). Default: `_`, because the digest identifies the payload. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

/** One exported Sigstore bundle, for a separate file. */
export interface SigstoreFile {
  /** File name: the id of the exported bundle, followed by `.sigstore.json`. */
  readonly name: string
  /** JSON text with a line feed at its end. */
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
 * Exports verified bundles as Sigstore bundles (v0.3). Each is an in-toto statement in a DSSE envelope that you sign,
 * as with `toInToto`, and each names your public key. A bundle that occurs twice is exported once. With an Ed25519
 * key, the same bundles give the same bytes.
 *
 * `cosign verify-blob-attestation --key` and `@sigstore/verify` verify the exports with a public key that the verifier
 * has. Verifiers must not require a certificate, a transparency log entry or a timestamp, because the exports have
 * none. The exports do not contain the signatures of the bundles: keep the messages or a pack.
 *
 * @param bundles - verified bundles from `verifyMessage`, `subscribe` or `readPack`
 * @returns one file for each bundle
 * @throws TypeError for a value that is not a verified bundle
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `KEY_INVALID`, also for an algorithm other than Ed25519
 * and P-256; `SIGNER_FAILED`; and as `loadAlgorithms`. Errors of `bundles` are thrown unchanged
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

/** Returns a Sigstore bundle as JSON with a line feed. The hint names the public key that verifies the envelope. */
export function bundleBytes(hint: string, dsseEnvelope: Envelope): Uint8Array {
  const verificationMaterial = { publicKey: { hint }, tlogEntries: [] }
  const json = JSON.stringify({ mediaType: MEDIA_TYPE, verificationMaterial, dsseEnvelope })
  return new TextEncoder().encode(`${json}\n`)
}
