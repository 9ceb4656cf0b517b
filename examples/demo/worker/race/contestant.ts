import type { Lane } from '../../race.ts'

/** Inputs that all contestants in a cell share. */
export interface Place {
  readonly annotators: number
  /** Payloads, used in turn. */
  readonly payloads: readonly Uint8Array<ArrayBuffer>[]
  /** Private key: seed ‖ public key, 64 bytes. */
  readonly signingKey: Uint8Array<ArrayBuffer>
  readonly verifyingKey: Uint8Array<ArrayBuffer>
}

export type Verified = NonNullable<Lane['verified']>

export interface Contestant {
  /** Number of calls in one run. */
  readonly calls: number
  run(): Promise<unknown>
  /** Makes the calls of a run and verifies their messages. Throws if a message is wrong. */
  check(): Promise<Verified>
  close?(): Promise<void>
}

export interface Primitives {
  sha256(payload: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
  /** Returns an Ed25519 signature of 64 bytes. */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
}

export function inTurn<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length] as T
}
