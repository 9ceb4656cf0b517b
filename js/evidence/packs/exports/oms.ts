import * as v from 'valibot'
import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { type AlvariumError, expected, needs } from '../../../foundation/base/errors.js'
import { readOptions, strict } from '../../../foundation/base/options/schema.js'
import { quote } from '../../../foundation/base/text/text.js'
import { digestOf } from '../../../foundation/core/hashing.js'
import type { SignerInput } from '../../../signing/keys/signer.js'
import { signEnvelope } from './dsse.js'
import { openExportSigner } from './export-signer.js'
import { inTotoSchema } from './in-toto.js'
import { pemHint } from './key-names.js'
import { NAMES, SETS } from './names.js'
import { bundleBytes } from './sigstore.js'
import { STATEMENT, STATEMENT_TYPE } from './statement.js'

// Signs files as OpenSSF Model Signing 1.0 does
// (https://github.com/sigstore/model-transparency, model_signing/_signing/signing.py).

/** A file of a model or a data set. */
export interface OmsFile {
  /** Path relative to the model's folder, with `/` between names. */
  readonly name: string
  /** SHA-256 of the file: 64 hexadecimal digits. */
  readonly digest: string
}

/** A sealed set that a statement names. */
export interface OmsSet {
  readonly id: string
  readonly root: string
  readonly size: number
}

/** Signing key, name and set for the signature of a model. */
export interface OmsOptions {
  /** Your P-256 private key, or your own `Signer` with one. The format does not support Ed25519. */
  readonly signingKey: SignerInput
  /** Name of the model or data set, usually the name of its folder. */
  readonly name: string
  /**
   * Sealed set of the files' contents, as `sealSet` or `verifySet` returns it. The statement then names the
   * set, so that proofs about the set apply to the signed files. Default: none.
   */
  readonly set?: OmsSet | undefined
  /** Timeout of the signature in milliseconds. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

const PREDICATE = 'https://model_signing/signature/v1.0'
/** Name of the predicate member that names the set. Verifiers of version 1.0 ignore unknown members. */
const SET_MEMBER = `${NAMES}set/v1`
/** Paths that `model_signing` ignores by default. */
export const IGNORED_PATHS = ['.git', '.gitattributes', '.github', '.gitignore'] as const

const digits = v.pipe(v.string('64 hexadecimal digits'), v.regex(/^[\da-f]{64}$/i, '64 hexadecimal digits'))
const schema = strict({
  ...inTotoSchema.entries,
  name: v.pipe(v.string('a string'), v.minLength(1, 'a name')),
  set: v.optional(v.object({ id: digits, root: digits, size: v.number('a number') }, 'a sealed set')),
})

/**
 * Signs the files of a model or a data set in the format of OpenSSF Model Signing v1.0: a Sigstore bundle (v0.3) with
 * an in-toto statement of all files. `model_signing verify key` verifies the result with a public key. With `set`, the
 * statement contains the id, root and size of the set, so that the signature covers them, too.
 *
 * The result has no certificate, no transparency log entry and no timestamp.
 *
 * @param files - all files of the folder except those of git, each name once
 * @returns the JSON, for a file such as `model.sig`
 * @throws AlvariumError `CONFIG_INVALID` naming the option or the file; `KEY_INVALID`, also for an algorithm other
 * than P-256; `SIGNER_FAILED`; and as `loadAlgorithms`
 *
 * @example
 * ```ts
 * import { toOmsBundle } from 'alvarium-sdk/packs'
 * import { sealSet } from 'alvarium-sdk/sets'
 *
 * const { signingKey } = await generateKey({ algorithm: 'P-256' })
 * const { set } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const digest = keyOf(payload, 'sha256')
 * await writeFile('model.sig', await toOmsBundle([{ name: 'weights.bin', digest }], { signingKey, name: 'training-7', set }))
 * ```
 */
export async function toOmsBundle(files: Iterable<OmsFile>, options: OmsOptions): Promise<Uint8Array> {
  const { signingKey, name, set, signerTimeoutMs } = readOptions(schema, options, 'toOmsBundle')
  const resources = resourcesOf(files)
  const statement = {
    _type: STATEMENT,
    subject: [{ name, digest: { sha256: digestOfAll(resources) } }],
    predicateType: PREDICATE,
    predicate: {
      serialization: {
        method: 'files',
        hash_type: 'sha256',
        allow_symlinks: false,
        ignore_paths: IGNORED_PATHS,
      },
      resources,
      ...(set && { [SET_MEMBER]: { uri: SETS + set.id, root: set.root, size: set.size } }),
    },
  }
  const signer = await openExportSigner(signingKey as SignerInput, signerTimeoutMs, 'model_signing', [
    'P-256',
  ])
  try {
    const payload = new TextEncoder().encode(JSON.stringify(statement))
    return bundleBytes(pemHint(signer.key), await signEnvelope(signer, STATEMENT_TYPE, payload, ''))
  } finally {
    signer.free()
  }
}

interface Resource {
  readonly name: string
  readonly algorithm: 'sha256'
  readonly digest: string
}

function resourcesOf(files: Iterable<OmsFile>): Resource[] {
  const byName = new Map<string, Resource>()
  for (const { name, digest } of files) {
    if (!isRelative(name)) throw invalidFile('the path of a file in the folder', name)
    if (byName.has(name)) throw expected('CONFIG_INVALID', 'files', 'each name once', `${quote(name)} twice`)
    if (!/^[\da-f]{64}$/i.test(digest))
      throw invalidFile('a file with a digest of 64 hexadecimal digits', name)
    byName.set(name, { name, algorithm: 'sha256', digest: digest.toLowerCase() })
  }
  if (byName.size === 0) throw needs('files', 'at least one file')
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isRelative(name: unknown): name is string {
  return typeof name === 'string' && name.split('/').every((part) => !['', '.', '..'].includes(part))
}

function invalidFile(expectation: string, name: unknown): AlvariumError {
  return expected('CONFIG_INVALID', 'files', expectation, quote(String(name)))
}

/** Returns the SHA-256 over the concatenated digests of all files. */
function digestOfAll(resources: readonly Resource[]): string {
  return digestOf(join(resources.map(({ digest }) => toBytes(digest) as Uint8Array)).bytes)
}
