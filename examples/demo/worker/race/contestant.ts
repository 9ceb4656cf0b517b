import type { Lane } from '../../race.ts'

/** Common inputs of all contestants in a cell: the same annotators, payloads and key. */
export interface Place {
  readonly annotators: number
  /** Payloads, used in turn. */
  readonly payloads: readonly Uint8Array<ArrayBuffer>[]
  /** Private key: seed ‖ public key, 64 bytes. */
  readonly signingKey: Uint8Array<ArrayBuffer>
  readonly verifyingKey: Uint8Array<ArrayBuffer>
}

/** Result of a check. */
export type Verified = NonNullable<Lane['verified']>

export interface Contestant {
  /** Number of calls in one run. */
  readonly calls: number
  run(): Promise<unknown>
  /** Makes the calls of a run and verifies all of them; throws if anything is wrong. */
  check(): Promise<Verified>
  close?(): Promise<void>
}

/** Hashing and signing, by any library. */
export interface Primitives {
  sha256(payload: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
  /** Returns an Ed25519 signature, 64 bytes. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
}

/** Returns a function that yields one item after another, endlessly. */
export function inTurn<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length] as T
}
