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
