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
 * Verifies an evidence pack: reads all of it, verifies every message, lease, checkpoint, set and proof again, and compares the result with
 * the verdict in the pack. It reads the pack once from beginning to end, in memory for about 20 MiB of it, and 1 kB for each bundle.
 *
 * @param pack - its bytes, or a stream, a file or a `Blob` of them
 * @throws AlvariumError `MESSAGE_MALFORMED` for a pack that was altered since it was made; `PACK_UNREADABLE` for a file that is no ZIP
 * file, or that another program has written anew; `CONFIG_INVALID` naming the option; `PAYLOAD_INVALID` for a source that cannot be read;
 * `KEY_INVALID`; the signal's reason; and as `verifyMessages` for faults that are not the pack's
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
 * Verifies an evidence pack as {@link verifyPack} does, and yields its bundles on the way: all that verify, also twice if the pack has
 * them twice. Only at its end is it known that the pack was not altered, so use results of the bundles after the generator has returned.
 *
 * @param pack - its bytes, or a stream, a file or a `Blob` of them
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

/** Yields the bundles of a pack, in groups by lines. */
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
