import { type CoreObject, Sealer as Handle, hold, withCore } from '../../foundation/core/core.js'
import { hashInput, stableInput } from '../../foundation/core/hashing.js'
import type { HashName, Layer } from '../../foundation/model/bundle.js'
import type { Call } from '../../foundation/model/call.js'
import type { Engine, HashInput } from '../../foundation/model/payload.js'
import type { LogSigner, SigningLog } from './log.js'
import type { PackedCalls } from './packed.js'

/**
 * Signer of bundles: turns each call into a signed message. The private key may be in the core, in
 * JavaScript, in the platform, in workers, or in an external signer.
 */
export interface Sealer {
  /**
   * Prepares a payload. Hashes it at once if that is faster than hashing it when the bundle is signed.
   *
   * @param mayChange - true if the caller may reuse the memory before the bundle is signed
   */
  prepare(payload: Uint8Array, mayChange: boolean): HashInput
  /** Signs the bundle of a call, and returns the message, or a promise if the call is signed later. */
  seal(call: Call): Uint8Array | Promise<Uint8Array>
  /** Adds a call to the current batch, and returns the batch's length in bytes. Throws as `seal` does. */
  add(call: Call): number
  /** Signs the current batch, and begins the next one. Returns the batch's message and the ids of its bundles. */
  sealBatch(): SealedBatch | Promise<SealedBatch>
  /** Sets the callback that signs the batch early when a lease ends. Missing if the signer has no lease. */
  onBatchDue?(seal: () => void): void
  /**
   * Returns true if there is capacity for this number of calls, with this number of payload bytes in total.
   * Otherwise returns a promise to await before asking again. Without this method there is always capacity.
   */
  hasRoom?(calls: number, bytes: number): true | PromiseLike<unknown>
  /** Signer of the checkpoints of the log, present even if the messages are not logged. */
  readonly logSigner?: LogSigner | undefined
  free(): void
  /** Closes everything except the private key. Call it when the last message has been signed and published. */
  end?(): Promise<void>
}

export interface SealedBatch {
  readonly message: Uint8Array
  /** Ids of the batch's bundles, 32 bytes each: the leaves of its Merkle tree. */
  readonly ids: Uint8Array
}

export function countBundles({ length }: SealedBatch['ids']): number {
  return length / 32
}

/** @internal Signer of bundles with the private key in this thread, which can also sign groups of calls. */
export interface GroupSealer extends Sealer {
  /** Signs a bundle for each call of a group, and returns the joined messages. Throws if one call fails. */
  sealGroup(group: PackedCalls): Uint8Array
}

export interface SealerSettings {
  readonly hash: HashName
  readonly engine: Engine
  readonly layer: Layer
  readonly host: string
  readonly tag: string
  readonly annotators: readonly { readonly kind: string }[]
  readonly log?: SigningLog | undefined
}

export function prepareFor({ hash, engine }: SealerSettings): Sealer['prepare'] {
  return (payload, mayChange) => (mayChange ? stableInput : hashInput)(payload, hash, engine)
}

/** Opens the core's `Sealer` for a key id. Throws `CONFIG_INVALID` for values that a bundle cannot contain. */
export function holdSealer(settings: SealerSettings, keyId: string): CoreObject<Handle> {
  const { hash, host, layer, tag, annotators, log } = settings
  const kinds = annotators.map(({ kind }) => kind)
  const sealer = hold(() => new Handle(keyId, hash, host, layer, kinds, tag))
  if (log) withCore(() => sealer.object.keepLog())
  return sealer
}
