import { Sealer as Handle, type Held, hold, withCore } from '../core/core.js'
import { hashInput, keptInput } from '../core/hashing.js'
import type { HashName, Layer } from '../model/bundle.js'
import type { Call } from '../model/call.js'
import type { Engine, HashInput } from '../model/payload.js'
import type { LogSigner, SigningLog } from './log.js'
import type { PackedCalls } from './packed.js'

/** Turns calls into signed messages; holds what the core keeps between them, the key included. */
export interface Sealer {
  /**
   * A payload, ready to be sealed: hashed here if that is better than hashing it with the rest.
   *
   * @param mayChange - its owner may use its memory again before it is sealed
   */
  take(payload: Uint8Array, mayChange: boolean): HashInput
  /** Finished message bytes: at once with a key in the core, later with one elsewhere. */
  seal(call: Call): Uint8Array | Promise<Uint8Array>
  /** Puts the call into the batch, and returns how many bytes are in it now. Throws as `seal` does. */
  add(call: Call): number
  /** The batch's message, as `seal`, with the ids of its bundles; the next batch begins. */
  sealBatch(): SealedBatch | Promise<SealedBatch>
  /** Called whenever the batch has to be sealed now because it could not be sealed later. Without it, it always can be. */
  onBatchDue?(seal: () => void): void
  /**
   * Whether there is room now for this many more single calls with this many bytes of payload in total; otherwise when to ask again.
   * Without it there is always room.
   */
  hasRoom?(calls: number, bytes: number): true | PromiseLike<unknown>
  /** Signs the checkpoints of the log, if the sealer keeps one. */
  readonly logSigner?: LogSigner | undefined
  /** Wipes the key. */
  free(): void
  /** Closes everything except the key, once nothing more is sealed or published. */
  end?(): Promise<void>
}

/** A batch's message. */
export interface SealedBatch {
  readonly message: Uint8Array
  /** The ids of its bundles, 32 bytes each: the leaves of its tree, which were hashed to sign it. */
  readonly ids: Uint8Array
}

/** How many bundles these ids are of. */
export function bundlesOf({ length }: SealedBatch['ids']): number {
  return length / 32
}

/** @internal A sealer with the key in this thread. */
export interface GroupSealer extends Sealer {
  /** The messages of a group, as the core joins them. When one of its calls fails, none is sealed. */
  sealGroup(group: PackedCalls): Uint8Array
}

/** What bundles of one sealer have in common. */
export interface SealerSettings {
  readonly hash: HashName
  readonly engine: Engine
  readonly layer: Layer
  readonly host: string
  readonly tag: string
  readonly annotators: readonly { readonly kind: string }[]
  /** Numbers what is signed. Default: nothing is numbered. */
  readonly log?: SigningLog | undefined
}

/** How a sealer with these settings takes payloads. */
export function takeFor({ hash, engine }: SealerSettings): Sealer['take'] {
  return (payload, mayChange) => (mayChange ? keptInput : hashInput)(payload, hash, engine)
}

/** What the core keeps for bundles that the key with this id signs. Throws `CONFIG_INVALID` for what a bundle cannot hold. */
export function holdSealer(settings: SealerSettings, keyId: string): Held<Handle> {
  const { hash, host, layer, tag, annotators, log } = settings
  const kinds = annotators.map(({ kind }) => kind)
  const sealer = hold(() => new Handle(keyId, hash, host, layer, kinds, tag))
  if (log) withCore(() => sealer.object.keepLog())
  return sealer
}
