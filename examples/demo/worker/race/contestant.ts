import type { Lane } from '../../race.ts'

/** What every contestant of a cell works with: the same annotators, the same payloads, the same key. */
export interface Place {
  readonly annotators: number
  /** They go through all of these, over and over. */
  readonly payloads: readonly Uint8Array<ArrayBuffer>[]
  /** Seed ‖ public key, 64 bytes. */
  readonly signingKey: Uint8Array<ArrayBuffer>
  readonly verifyingKey: Uint8Array<ArrayBuffer>
}

/** What a check found. */
export type Verified = NonNullable<Lane['verified']>

export interface Contestant {
  /** Calls that one run makes. */
  readonly calls: number
  /** What is measured. */
  run(): Promise<unknown>
  /** Makes what a run makes and verifies all of it; throws when anything is not what it should be. */
  check(): Promise<Verified>
  close?(): Promise<void>
}

/** Hashing and signing, by whoever does it. */
export interface Primitives {
  sha256(payload: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
  /** Ed25519, 64 bytes. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
}

/** One item after another, over and over. */
export function inTurn<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length] as T
}
