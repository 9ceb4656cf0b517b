import { keyOf as keyOfBytes, keyOfDigest } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Engine, PayloadSource, SourceOptions } from '../../foundation/model/payload.js'
import { digestSource, isSource } from './source.js'

/**
 * Returns the payload key, by which you find a payload's annotations. For a source, returns a promise that resolves
 * after the source was read.
 *
 * @returns upper-case hexadecimal, 64 digits for `sha256` and 32 for `md5`; the text itself for `none`
 * @throws TypeError if `payload` is neither a `Uint8Array` nor a source, a piece of a source is not a `Uint8Array`, or
 * `hash` is not a string
 * @throws AlvariumError `PAYLOAD_INVALID` with hash `none`, if the payload is not UTF-8 or over 65,536 bytes, or is a
 * source; and for a source that cannot be read to its end, has more or fewer bytes than its `size`, or was read before.
 * `QUEUE_FULL` if over 1,024 sources are being read. Also the signal's reason
 *
 * @example
 * ```ts
 * keyOf(new TextEncoder().encode('abc')) // 'BA7816BF8F01CFEA414140DE5DAE2223…'
 * await keyOf(new Blob(['abc'])) // the same
 * ```
 */
export function keyOf(payload: Uint8Array, hash?: HashName, engine?: Engine): string
export function keyOf(payload: PayloadSource, hash?: HashName, options?: KeyOptions): Promise<string>
export function keyOf(
  payload: Uint8Array | PayloadSource,
  hash: HashName = 'sha256',
  engineOrOptions: Engine | KeyOptions = 'auto',
): string | Promise<string> {
  if (isSource(payload))
    return keyOfSource(
      payload,
      hash,
      typeof engineOrOptions === 'string' ? { engine: engineOrOptions } : engineOrOptions,
    )
  return keyOfBytes(payload, hash, engineOrOptions as Engine)
}

/** Options of `keyOf` for a source: a signal, a listener for progress, and the code that hashes. */
export interface KeyOptions extends SourceOptions {
  /** The code that hashes: see {@link Engine}. Default `auto`. */
  readonly engine?: Engine | undefined
}

async function keyOfSource(source: PayloadSource, hash: HashName, options: KeyOptions): Promise<string> {
  const { digest } = await digestSource(source, { ...options, hash })
  return keyOfDigest(digest, hash)
}
