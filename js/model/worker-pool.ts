import type { EcKey } from './algorithm.js'
import type { HashName, IdentifiedBundle, Layer } from './bundle.js'
import type { Call } from './call.js'
import type { Engine } from './payload.js'

/**
 * Workers that `pool` of `alvarium-sdk/pool` has started, as those know them who give them work: whoever has no pool
 * does not load what runs one.
 */
export interface WorkerPool extends AsyncDisposable {
  /** How many workers it was asked for. */
  readonly workers: number
  /** @internal How much it may hold. */
  readonly limits: PoolLimits
  /** @internal Takes what the calls of an SDK have in common; to be freed after them. */
  open(setup: SealerSetup): PooledCalls
  /** @internal Has a worker verify a message by these keys, and that it is about a payload if there is one. */
  verify(trusted: KeyringKeys, message: Uint8Array, payload?: Uint8Array): Promise<IdentifiedBundle[]>
  /** Waits for the calls under way, wipes the keys and ends the workers. Later calls give `STREAM_CLOSED`. */
  close(): Promise<void>
}

/** Limits of what is in a pool and not settled. */
export interface PoolLimits {
  readonly maxQueuedCalls: number
  readonly maxQueuedBytes: number
}

/** Whom to trust: a keyring, as far as it matters here. The same array stands for the same keys. */
export interface KeyringKeys {
  readonly keys: readonly Uint8Array[]
  /** Those who sign with ECDSA or SM2. */
  readonly ecKeys: readonly EcKey[]
  /** Most bytes of memory for tables of keys that are seen often. */
  readonly maxTableBytes: number
}

/** What a worker needs to seal the calls of one SDK. */
export interface SealerSetup {
  readonly hash: HashName
  readonly engine: Engine
  readonly layer: Layer
  readonly host: string
  readonly tag: string
  readonly kinds: readonly string[]
  /** Whoever holds it wipes it: the worker when the core has it, the pool when the SDK is closed. */
  readonly signingKey: Uint8Array
  /** The module that an EC key needs. */
  readonly algorithms?: object | undefined
}

/** The calls of one SDK, sealed in a pool. */
export interface PooledCalls {
  /** Has a worker seal a call. */
  seal(call: Call): Promise<Uint8Array>
  /** Whether so many more calls, with so many bytes together, find room now; else when to ask again. */
  hasRoom(calls: number, bytes: number): true | PromiseLike<unknown>
  /** The workers forget what the calls have in common, and wipe its key. */
  free(): void
}
