import { AlvariumError } from '../base/errors.js'
import { keyOf } from '../hashing/hashing.js'
import type { HashName } from '../model/bundle.js'
import type { Dialect } from './dialect.js'

/**
 * The keys by which annotations of the dialect's SDK may know a payload: one, and in Rust another for a payload
 * `{"seed","signature"}`; none when the hash cannot take the payload.
 */
export function payloadKeys(payload: Uint8Array, hash: HashName, dialect: Dialect): string[] {
  const seed = dialect.hashesSeed ? seedOf(payload) : undefined
  const hashed = seed ? [payload, seed] : [payload]
  return hashed.flatMap((bytes) => keyIfAny(bytes, hash)).map((key) => dialect.key(key, hash))
}

function keyIfAny(bytes: Uint8Array, hash: HashName): string[] {
  try {
    return [keyOf(bytes, hash)]
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'PAYLOAD_INVALID') return []
    throw error
  }
}

/** The seed of a `Signable`, as bytes. */
function seedOf(payload: Uint8Array): Uint8Array | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload)
    const { seed, signature } = Object(JSON.parse(text))
    const isSignable = typeof seed === 'string' && typeof signature === 'string' && seed.isWellFormed()
    return isSignable ? new TextEncoder().encode(seed) : undefined
  } catch {
    return undefined
  }
}
