import { hostSha256 } from '#platform'
import type { HashName } from './bundle.js'
import { withCore } from './core/core.js'
import { assertBytes } from './errors.js'

/**
 * Where payloads are hashed: `wasm` in the core, `host` by the platform's own SHA-256 (Node's uses the
 * processor's SHA instructions), `auto` whichever is faster for the payload's size. The result is the same.
 */
export type Engine = 'auto' | 'wasm' | 'host'

/** A payload on its way to the core: its bytes, to be hashed there, or its digest. */
export interface HashInput {
  readonly bytes: Uint8Array
  readonly isDigest: boolean
}

/** From here on the host's SHA-256 is worth its call; measured by bench/hashing. */
const HOST_FROM_BYTES = 512
/** Longer payloads go through the core in pieces, so that its memory stays small. */
const PIECE_BYTES = 256 * 1024

/** Hashes here what is better hashed here, and leaves the rest to the call that needs the key anyway. */
export function hashInput(payload: Uint8Array, hash: HashName, engine: Engine): HashInput {
  if (hash === 'sha256' && hostSha256 && usesHost(engine, payload.length)) {
    return { bytes: hostSha256(payload), isDigest: true }
  }
  const inOnePiece = hash === 'none' || payload.length <= PIECE_BYTES
  return inOnePiece ? { bytes: payload, isDigest: false } : { bytes: inPieces(payload, hash), isDigest: true }
}

/** The digest now, for a payload that its owner may change before the call is sealed. */
export function digestInput(payload: Uint8Array, hash: HashName, engine: Engine): HashInput {
  const input = hashInput(payload, hash, engine)
  if (input.isDigest) return input
  // Not payload.slice(): a Buffer's slice is no copy.
  return { bytes: hash === 'none' ? new Uint8Array(payload) : inPieces(payload, hash), isDigest: true }
}

function usesHost(engine: Engine, length: number): boolean {
  return engine === 'host' || (engine === 'auto' && length >= HOST_FROM_BYTES)
}

function inPieces(payload: Uint8Array, hash: HashName): Uint8Array {
  return withCore((core) => {
    const hasher = new core.Hasher(hash)
    try {
      for (let at = 0; at < payload.length; at += PIECE_BYTES) {
        hasher.update(payload.subarray(at, at + PIECE_BYTES))
      }
      return hasher.finish()
    } finally {
      hasher.free()
    }
  })
}

/**
 * The key that a payload has in bundles: what to look its annotations up by.
 *
 * @returns upper-case hexadecimal, 64 digits for `sha256` and 32 for `md5`; the text itself for `none`
 * @throws TypeError when `payload` is not a `Uint8Array`
 * @throws AlvariumError `PAYLOAD_INVALID` with hash `none`, when the payload is not UTF-8 or over 65,536 bytes
 *
 * @example
 * ```ts
 * keyOf(new TextEncoder().encode('abc')) // 'BA7816BF8F01CFEA414140DE5DAE2223…'
 * ```
 */
export function keyOf(payload: Uint8Array, hash: HashName = 'sha256', engine: Engine = 'auto'): string {
  assertBytes(payload, 'payload')
  const { bytes, isDigest } = hashInput(payload, hash, engine)
  return withCore((core) => core.keyOf(hash, bytes, isDigest))
}
