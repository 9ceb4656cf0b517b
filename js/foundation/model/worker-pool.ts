import type { EcKey } from './algorithm.js'
import type { HashName, IdentifiedBundle, Layer } from './bundle.js'
import type { Call } from './call.js'
import type { Engine } from './payload.js'

/**
 * Workers that `pool` of `alvarium-sdk/pool` has started. Code that gives them work knows this interface alone, so that programs
 * without a pool do not load its code.
 */
export interface WorkerPool extends AsyncDisposable {
  /** Requested number of workers. */
  readonly workers: number
  /** @internal Limits of unsettled calls. */
  readonly limits: PoolLimits
  /** @internal Sets up the calls of an SDK. Free the result after the last call. */
  open(setup: SealerSetup): PooledCalls
  /** @internal Verifies a message in a worker by these public keys, and its payload if one is given. */
  verify(trusted: KeyringKeys, message: Uint8Array, payload?: Uint8Array): Promise<IdentifiedBundle[]>
  /** Waits for the calls in progress, wipes the private keys and ends the workers. Later calls reject with `STREAM_CLOSED`. */
  close(): Promise<void>
}

/** Limits of the unsettled calls of a pool. */
export interface PoolLimits {
  readonly maxQueuedCalls: number
  readonly maxQueuedBytes: number
}

/** The trusted public keys of a keyring. The same array always has the same public keys. */
export interface KeyringKeys {
  readonly keys: readonly Uint8Array[]
  /** Public keys of ECDSA and SM2. */
  readonly ecKeys: readonly EcKey[]
  /** The place where signatures are verified. */
  readonly engine: Engine
  /** Limit of memory for precomputed tables of frequent public keys, in bytes. */
  readonly maxTableBytes: number
}

/** The values that a worker needs to seal the calls of one SDK. */
export interface SealerSetup {
  readonly hash: HashName
  readonly engine: Engine
  readonly layer: Layer
  readonly host: string
  readonly tag: string
  readonly kinds: readonly string[]
  /** The private key. Each holder wipes its copy: the worker once the core has it, the pool when the SDK is closed. */
  readonly signingKey: Uint8Array
  /** The WebAssembly module that an EC key needs. */
  readonly algorithms?: object | undefined
}

/** The calls of one SDK, sealed in a pool. */
export interface PooledCalls {
  /** Seals a call in a worker. */
  seal(call: Call): Promise<Uint8Array>
  /** Returns whether there is capacity for so many more calls with so many bytes in all; if not, a promise to await before asking again. */
  hasRoom(calls: number, bytes: number): true | PromiseLike<unknown>
  /** Deletes the setup of the calls in all workers, and wipes its private key. */
  free(): void
}
