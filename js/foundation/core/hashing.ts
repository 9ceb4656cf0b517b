import { toHex } from '../base/bytes/hex.js'
import { copyBytes, groupsOf, join } from '../base/bytes/join.js'
import { AlvariumError, assertBytes, describe, expected } from '../base/errors.js'
import type { HashName } from '../model/bundle.js'
import type { Engine, HashInput } from '../model/payload.js'
import { platform } from '../platform/platform.js'
import { borrow, Hasher, MaxBytes, withCore } from './core.js'

/**
 * Minimum length of payloads for Node's SHA-256, in bytes. Duration of calls of the SDK with Node's SHA-256,
 * as a multiple of their duration with the core's SHA-256:
 *
 * | payload | single calls | grouped calls | `createMany` |
 * |---|---|---|---|
 * | 128 bytes | | | 1.10 |
 * | 256 bytes | 1.00 | 1.00 | 0.85 |
 * | 1,024 bytes | 0.95 | 0.95 | 0.72 |
 */
const MIN_HOST_BYTES = 256
/**
 * Maximum bytes of a payload that one call passes to the core. Longer payloads go in pieces, to keep the
 * core's memory small.
 */
const PIECE_BYTES = 256 * 1024
/**
 * Maximum length in bytes of payloads that are copied, for the core to hash later. Longer payloads are hashed
 * at once.
 */
const MAX_COPY_BYTES = 1024
/** Limits of one call that hashes many payloads in the core: the bytes of four pieces, which are hashed in parallel. */
const LANE_BATCH = { count: 256, bytes: 4 * PIECE_BYTES }

/**
 * Hashes a payload if the host is faster or the payload is too long for one call of the core. Returns other payloads
 * unhashed, because the core then hashes them in the call that needs the payload key.
 */
export function hashInput(payload: Uint8Array, hash: HashName, engine: Engine): HashInput {
  if (hash === 'none') return { bytes: assertShort(payload), isDigest: true }
  const { hostSha256 } = platform
  if (hostSha256 && payload.length >= minHostBytes(hash, engine)) {
    return { bytes: hostSha256(payload), isDigest: true }
  }
  if (payload.length <= PIECE_BYTES) return { bytes: payload, isDigest: false }
  return { bytes: hashInPieces(payload, hash), isDigest: true }
}

/** Hashes a payload now, and returns the digest; with hash `none`, returns a copy. */
export function digestInput(payload: Uint8Array, hash: HashName, engine: Engine): HashInput {
  const { bytes, isDigest } = hashInput(payload, hash, engine)
  if (bytes === payload && isDigest) return { bytes: copyBytes(payload), isDigest }
  return { bytes: isDigest ? bytes : hashInPieces(payload, hash), isDigest: true }
}

/** Copies or hashes a payload, because its owner may change the bytes before the call is signed. */
export function stableInput(payload: Uint8Array, hash: HashName, engine: Engine): HashInput {
  if (payload.length > MAX_COPY_BYTES || payload.length >= minHostBytes(hash, engine)) {
    return digestInput(payload, hash, engine)
  }
  return { bytes: copyBytes(payload), isDigest: hash === 'none' }
}

/** Hashes many payloads. The core hashes four at a time, unless the host is faster. */
export function digestInputs(payloads: readonly Uint8Array[], hash: HashName, engine: Engine): HashInput[] {
  const inLanes = hash === 'sha256' ? payloads.filter((payload) => isForLanes(payload, engine)) : []
  const groups = inLanes.length > 1 ? groupsOf(inLanes, LANE_BATCH) : []
  const digests = groups.flatMap(digestsInLanes).values()
  return payloads.map((payload) => {
    const bytes = isForLanes(payload, engine) ? digests.next().value : undefined
    return bytes ? { bytes, isDigest: true } : digestInput(payload, hash, engine)
  })
}

/** Returns the SHA-256 digests of many payloads, 32 bytes each, concatenated. */
export function digestAll(payloads: readonly Uint8Array[]): Uint8Array {
  if (!payloads.every((payload) => isForLanes(payload, 'auto'))) {
    return join(digestInputs(payloads, 'sha256', 'auto').map(({ bytes }) => bytes)).bytes
  }
  return join(groupsOf(payloads, LANE_BATCH).map(hashInLanes)).bytes
}

/** Returns the leaf hash of signed bytes in a log (RFC 9162 §2.1.1): for a bundle signed alone, the bundle id. */
export function leafHash(identity: Uint8Array): Uint8Array {
  const leaf = new Uint8Array(1 + identity.length)
  leaf.set(identity, 1)
  return withCore((core) => core.sha256Many(leaf, Uint32Array.of(leaf.length)))
}

function isForLanes({ length }: Uint8Array, engine: Engine): boolean {
  return length <= PIECE_BYTES && length < minHostBytes('sha256', engine)
}

function hashInLanes(payloads: readonly Uint8Array[]): Uint8Array {
  const { bytes, lengths } = join(payloads)
  return withCore((core) => core.sha256Many(bytes, lengths))
}

function digestsInLanes(payloads: readonly Uint8Array[]): Uint8Array[] {
  const digests = hashInLanes(payloads)
  return payloads.map((_, index) => digests.subarray(32 * index, 32 * (index + 1)))
}

/** Returns the minimum length of payloads that the host hashes, in bytes; infinity if the host may hash none. */
export function minHostBytes(hash: HashName, engine: Engine): number {
  if (hash !== 'sha256' || !platform.hostSha256 || engine === 'wasm') return Number.POSITIVE_INFINITY
  return engine === 'host' ? 0 : MIN_HOST_BYTES
}

/** Checks the length of a payload before it is copied into the core, because the core's memory never shrinks. */
function assertShort(payload: Uint8Array): Uint8Array {
  if (payload.length <= MaxBytes.Unhashed) return payload
  const expectation = `at most ${MaxBytes.Unhashed} bytes with hash none`
  throw expected('PAYLOAD_INVALID', 'payload', expectation, `${payload.length}`)
}

function hashInPieces(payload: Uint8Array, hash: HashName): Uint8Array {
  return borrow(
    () => new Hasher(hash),
    (hasher) => {
      for (let at = 0; at < payload.length; at += PIECE_BYTES) {
        hasher.update(payload.subarray(at, at + PIECE_BYTES))
      }
      return hasher.finish()
    },
  )
}

/**
 * Returns the payload key of a payload: the key by which its annotations are found.
 *
 * @returns upper-case hexadecimal, 64 digits for `sha256` and 32 for `md5`; the text itself for `none`
 * @throws TypeError when `payload` is not a `Uint8Array`, or `hash` is not a string
 * @throws AlvariumError `PAYLOAD_INVALID` with hash `none`, when the payload is not UTF-8 or over 65,536 bytes
 *
 * @example
 * ```ts
 * keyOf(new TextEncoder().encode('abc')) // 'BA7816BF8F01CFEA414140DE5DAE2223…'
 * ```
 */
export function keyOf(payload: Uint8Array, hash: HashName = 'sha256', engine: Engine = 'auto'): string {
  assertBytes(payload, 'payload')
  if (typeof hash !== 'string')
    throw new TypeError(`hash: expected the name of a hash, got ${describe(hash)}`)
  const { bytes, isDigest } = hashInput(payload, hash, engine)
  return withCore((core) => core.keyOf(hash, bytes, isDigest))
}

/** @internal Returns the SHA-256 of bytes other than payloads, as 64 lower-case hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  return toHex(digestInput(bytes, 'sha256', 'auto').bytes)
}

/** @internal Returns the payload key for a digest that other code has computed. */
export function keyOfDigest(digest: Uint8Array, hash: HashName): string {
  return withCore((core) => core.keyOf(hash, digest, true))
}

/** @internal Returns the payload key like {@link keyOf}; undefined if `keyOf` rejects the payload. */
export function keyIfAny(payload: Uint8Array, hash: HashName): string | undefined {
  try {
    return keyOf(payload, hash)
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'PAYLOAD_INVALID') return undefined
    throw error
  }
}
