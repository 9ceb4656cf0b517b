/** Hashes and signs in plain JavaScript with the @noble libraries. Loaded only when a race begins. */
import * as ed25519 from '@noble/ed25519'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import type { Primitives } from './contestant.ts'

ed25519.hashes.sha512 = sha512

export function noble(signingKey: Uint8Array): Primitives {
  const seed = signingKey.slice(0, 32)
  return { sha256, sign: (bytes) => ed25519.sign(bytes, seed) }
}
