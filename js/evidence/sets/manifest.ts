import { expected, malformed } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'
import { VERSION } from '../../foundation/base/version.js'
import type { SealedEntries } from './tree.js'
import type { VerifiedManifest } from './verify-manifest.js'

/** @internal Symbol for a manifest's contents. Copies of the package with the same version share this symbol. */
export const CONTENTS: unique symbol = Symbol.for(`alvarium-sdk.Manifest ${VERSION}`)

/**
 * Payload keys of a file's records, in order, under one signature. `sealManifest` and `openManifest` return a
 * manifest. `check` of `alvarium-sdk/records` compares a file with it, and `proveRecord` proves one record.
 * It takes 36 bytes of memory for each record.
 *
 * @example
 * ```ts
 * import { sealManifest } from 'alvarium-sdk/sets'
 *
 * const manifest = await sealManifest([payload, payload], { signingKey, name: 'readings.csv' })
 * const bytes = [...manifest.pieces()].reduce((sum, piece) => sum + piece.length, 0)
 * console.log(manifest.statement.size, bytes - manifest.message.length) // 2 65
 * ```
 */
export class Manifest {
  /** Signed message, usually less than 1 kB, which is needed to verify proofs. */
  readonly message: Uint8Array
  /** Verified statement of the message, for `verifyRecord`. */
  readonly statement: VerifiedManifest
  readonly #contents: SealedEntries

  /** @internal */
  constructor(message: Uint8Array, statement: VerifiedManifest, contents: SealedEntries) {
    this.message = message
    this.statement = statement
    this.#contents = contents
  }

  /** @internal */
  get [CONTENTS](): SealedEntries {
    return this.#contents
  }

  /**
   * Yields the file of the manifest: the message, a line feed, and 32 bytes for each record, in pieces of at
   * most 1 MiB. `openManifest` reads these pieces.
   */
  *pieces(): Generator<Uint8Array, void> {
    yield new Uint8Array(this.message)
    yield Uint8Array.of(LINE_FEED)
    for (const block of this.#contents.entries.blocks()) yield new Uint8Array(block)
  }
}

/** Byte between the message and the entries in a manifest's file. */
export const LINE_FEED = 0x0a

/** @internal */
export function isManifest(given: unknown): given is Manifest {
  return CONTENTS in Object(given)
}

/** @throws AlvariumError `MESSAGE_MALFORMED` if the number of entries differs, `PROOF_INVALID` if the root differs */
export function assertContents(
  { size, root }: Pick<VerifiedManifest, 'size' | 'root'>,
  { entries, tree }: SealedEntries,
): void {
  if (entries.length !== size) {
    throw malformed(
      'manifest',
      `the payload keys of ${withNoun(size, 'record')}, as signed`,
      `${entries.length}`,
    )
  }
  if (tree.root === root) return
  throw expected('PROOF_INVALID', 'manifest', `keys with the root ${root}`, `keys with the root ${tree.root}`)
}
