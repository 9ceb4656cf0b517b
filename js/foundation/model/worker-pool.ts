import type { EcKey } from './algorithm.js'
import type { HashName, IdentifiedBundle, Layer } from './bundle.js'
import type { Call } from './call.js'
import type { Engine } from './payload.js'

/** Workers that `pool` has started. It is an interface, so that programs without a pool do not load the code. */
export interface WorkerPool extends AsyncDisposable {
  /** Number of workers that the options ask for. Fewer accept calls while a dead one is being replaced. */
  readonly workers: number
  /** @internal Limits of calls that have not settled. */
  readonly limits: PoolLimits
  /** @internal Prepares the workers for the calls of an SDK. Free the result after the last call. */
  open(setup: SealerSetup): PooledCalls
  /** @internal Verifies a message in a worker with these public keys. Also verifies the payload if one is passed. */
  verify(trusted: KeyringKeys, message: Uint8Array, payload?: Uint8Array): Promise<IdentifiedBundle[]>
  /** Waits for calls in progress, wipes private keys and ends the workers. Later calls reject with `STREAM_CLOSED`. */
  close(): Promise<void>
}

/** Limits of the calls of a pool that have not settled: their number, and the sum of their bytes. */
export interface PoolLimits {
  readonly maxQueuedCalls: number
  readonly maxQueuedBytes: number
}

/** The trusted public keys of a keyring. An array never changes: the same array always has the same public keys. */
export interface KeyringKeys {
  readonly keys: readonly Uint8Array[]
  readonly ecKeys: readonly EcKey[]
  /** The code that verifies signatures: the core or the host. */
  readonly engine: Engine
  /** Maximum memory for precomputed tables of frequent public keys, in bytes. */
  readonly maxTableBytes: number
}

/** The values that a worker needs to sign the calls of one SDK. */
export interface SealerSetup {
  readonly hash: HashName
  readonly engine: Engine
  readonly layer: Layer
  readonly host: string
  readonly tag: string
  readonly kinds: readonly string[]
  /**
   * The private key. The worker wipes its copy when the core has the key; the pool wipes its copy after the
   * last call.
   */
  readonly signingKey: Uint8Array
  /** The WebAssembly module that an EC key needs. */
  readonly algorithms?: object | undefined
}

/** The calls of one SDK, which a pool signs. */
export interface PooledCalls {
  /** Signs a call in a worker, and returns the message. */
  seal(call: Call): Promise<Uint8Array>
  /**
   * Returns true if there is capacity for this number of calls and bytes, else a promise to await before
   * asking again.
   */
  hasRoom(calls: number, bytes: number): true | PromiseLike<unknown>
  /** Deletes the setup of these calls in all workers, and wipes the private key. */
  free(): void
}
