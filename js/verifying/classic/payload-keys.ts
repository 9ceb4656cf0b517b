import { keyIfAny } from '../../foundation/core/hashing.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Dialect } from './dialect.js'
import { seedOf } from './signable.js'

/**
 * Returns the keys by which annotations of the dialect's SDK may name a payload. There is one, and in Rust a second one for a payload that
 * it reads as a `Signable`; none if the hash cannot take the payload.
 */
export function payloadKeys(payload: Uint8Array, hash: HashName, dialect: Dialect): string[] {
  const seed = dialect.hashesSeed ? seedOf(payload) : undefined
  const hashed = seed ? [payload, seed] : [payload]
  return hashed.flatMap((bytes) => keyIfAny(bytes, hash) ?? []).map((key) => dialect.key(key, hash))
}
