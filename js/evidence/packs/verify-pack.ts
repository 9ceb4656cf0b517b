import { conflicts, describe, isBytes } from '../../foundation/base/errors.js'
import { readOptions } from '../../foundation/base/options/schema.js'
import type { PayloadSource } from '../../foundation/model/payload.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { readQuorumIfAny } from '../witness/options.js'
import { partsOf } from './file/read-parts.js'
import { MAX_PACK_BYTES } from './file/zip.js'
import { PackReader } from './pack-reader.js'
import { schema, type VerifiedPack, type VerifyPackOptions } from './verified-pack.js'

/**
 * Verifies an evidence pack: reads all of it, verifies every message, lease, checkpoint, set and proof again,
 * and compares the result with the verdict in the pack. It reads the pack once from beginning to end, and
 * needs 20 MiB of memory and 1 kB for each bundle.
 *
 * @param pack - the bytes of the pack, or a stream, a file or a `Blob`
 * @throws AlvariumError `MESSAGE_MALFORMED` for a pack that was altered since it was made, or is longer than
 * `maxBytes`; `PACK_UNREADABLE` for a file that is not a ZIP file, or that another program wrote anew;
 * `CONFIG_INVALID` naming the option; `PAYLOAD_INVALID` for a source that cannot be read; `KEY_INVALID`; the
 * signal's reason; and errors of `verifyMessages` that the pack did not cause
 *
 * @example
 * ```ts
 * import { makePack, verifyPack } from 'alvarium-sdk/packs'
 *
 * const trust = { signers: [{ name: 'gateway-1', keys: [keyText] }] }
 * const pack = makePack([message], { about: { query: 'the last hour' }, trust })
 * const { outcome, says, verdict } = await verifyPack(pack, { keyring }) // or a Blob, a stream, the bytes
 * console.log(outcome, says, verdict.score)
 * ```
 */
export async function verifyPack(
  pack: PayloadSource | Uint8Array,
  options: VerifyPackOptions = {},
): Promise<VerifiedPack> {
  const reading = groupsIn(pack, options, 'verifyPack')
  for (;;) {
    const { done, value } = await reading.next()
    if (done) return value
  }
}

/**
 * Verifies an evidence pack as {@link verifyPack} does, and yields each verified bundle as soon as it is
 * read. A bundle that occurs twice is yielded twice. Only the end of the pack shows that nothing was altered,
 * so use the bundles only after the generator has returned.
 *
 * @param pack - the bytes of the pack, or a stream, a file or a `Blob`
 * @returns each bundle; the generator's return value is the verdict
 * @throws as {@link verifyPack}
 *
 * @example
 * ```ts
 * import { readPack } from 'alvarium-sdk/packs'
 *
 * async function list(pack: Blob, keyring: Keyring) {
 *   for await (const { action, key } of readPack(pack, { keyring })) console.log(action, key)
 * }
 * ```
 */
export async function* readPack(
  pack: PayloadSource | Uint8Array,
  options: VerifyPackOptions = {},
): AsyncGenerator<VerifiedBundle, VerifiedPack> {
  const reading = groupsIn(pack, options, 'readPack')
  try {
    for (;;) {
      const { done, value } = await reading.next()
      if (done) return value
      yield* value
    }
  } finally {
    // Cancel the source if the caller stops early.
    await reading.return(undefined as never)
  }
}

/** Yields the verified bundles of a pack, one array for each group of lines. */
async function* groupsIn(
  pack: PayloadSource | Uint8Array,
  options: VerifyPackOptions,
  name: string,
): AsyncGenerator<readonly VerifiedBundle[], VerifiedPack> {
  const { maxBytes, maxStatements, itself, witnesses, quorum } = readOptions(schema, options, name)
  const seenBy = readQuorumIfAny({ witnesses, quorum }, name)
  if (itself && options.keyring !== undefined) throw conflicts('itself', 'keyring')
  if (!isBytes(pack) && (typeof pack !== 'object' || pack === null)) {
    throw new TypeError(`pack: expected a Uint8Array, a stream or a Blob, got ${describe(pack)}`)
  }
  const reader = new PackReader({ ...options, maxStatements, reader: seenBy })
  try {
    for await (const part of partsOf(pack, options, Math.min(maxBytes, MAX_PACK_BYTES)))
      yield* reader.read(part)
    return await reader.end()
  } finally {
    await reader.close()
  }
}
