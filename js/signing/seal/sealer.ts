import { type CoreObject, Sealer as Handle, hold, withCore } from '../../foundation/core/core.js'
import { hashInput, stableInput } from '../../foundation/core/hashing.js'
import type { HashName, Layer } from '../../foundation/model/bundle.js'
import type { Call } from '../../foundation/model/call.js'
import type { Engine, HashInput } from '../../foundation/model/payload.js'
import type { LogSigner, SigningLog } from './log.js'
import type { PackedCalls } from './packed.js'

/** A sealer of calls into signed messages, with its state in the core, the key included. */
export interface Sealer {
  /**
   * Prepares a payload: hashes it immediately if that is better than later with the rest.
   *
   * @param mayChange - true if the caller may reuse the memory before the call is sealed
   */
  prepare(payload: Uint8Array, mayChange: boolean): HashInput
  /** Returns the message's bytes: synchronously with a key in the core, asynchronously with another key. */
  seal(call: Call): Uint8Array | Promise<Uint8Array>
  /** Adds a call to the batch, and returns the number of its bytes. Throws as `seal` does. */
  add(call: Call): number
  /** Returns the batch's message, as `seal` does, with the ids of its bundles, and begins the next batch. */
  sealBatch(): SealedBatch | Promise<SealedBatch>
  /**
   * Sets a callback that seals the batch now, because it could not be sealed later. Without this method, later is
   * always possible.
   */
  onBatchDue?(seal: () => void): void
  /**
   * Returns true if there is capacity for more single calls with their payloads; otherwise a promise after which to
   * ask again. Without this method there is always capacity.
   */
  hasRoom?(calls: number, bytes: number): true | PromiseLike<unknown>
  /** Signer of the log's checkpoints, if the sealer has a log. */
  readonly logSigner?: LogSigner | undefined
  /** Wipes the key. */
  free(): void
  /** Closes everything except the key, once nothing more is sealed or published. */
  end?(): Promise<void>
}

/** Message of a batch. */
export interface SealedBatch {
  readonly message: Uint8Array
  /** Ids of its bundles, 32 bytes each: the leaves of its tree, which were hashed to sign it. */
  readonly ids: Uint8Array
}

/** Returns the number of bundles with these ids. */
export function countBundles({ length }: SealedBatch['ids']): number {
  return length / 32
}

/** @internal A sealer with the key in this thread. */
export interface GroupSealer extends Sealer {
  /** Returns the joined messages of a group. If one of its calls fails, none is sealed. */
  sealGroup(group: PackedCalls): Uint8Array
}

/** Common settings of a sealer's bundles. */
export interface SealerSettings {
  readonly hash: HashName
  readonly engine: Engine
  readonly layer: Layer
  readonly host: string
  readonly tag: string
  readonly annotators: readonly { readonly kind: string }[]
  /** Log that numbers the messages. Default: no log. */
  readonly log?: SigningLog | undefined
}

/** Returns the function by which a sealer with these settings prepares payloads. */
export function prepareFor({ hash, engine }: SealerSettings): Sealer['prepare'] {
  return (payload, mayChange) => (mayChange ? stableInput : hashInput)(payload, hash, engine)
}

/** Opens the core's sealer for the bundles of a key id. Throws `CONFIG_INVALID` for values that a bundle cannot hold. */
export function holdSealer(settings: SealerSettings, keyId: string): CoreObject<Handle> {
  const { hash, host, layer, tag, annotators, log } = settings
  const kinds = annotators.map(({ kind }) => kind)
  const sealer = hold(() => new Handle(keyId, hash, host, layer, kinds, tag))
  if (log) withCore(() => sealer.object.keepLog())
  return sealer
}
