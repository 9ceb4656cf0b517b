import { VERSION } from '../base/version.js'
import type { Codec } from '../codecs/codec.js'
import type { Keyring } from '../keys/keyring.js'
import type { LeaseBook, TrustPolicy } from '../keys/trust-policy.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { CompletenessStats, Finding } from './findings.js'

/** What came, and when, in milliseconds since 1970. */
export interface Came {
  readonly message: Uint8Array
  readonly receivedAt: number
}

/** Whom to trust, by which leases too. */
export interface WatchTrust {
  readonly keyring: Keyring | TrustPolicy
  readonly leases?: LeaseBook | undefined
}

/** Sees all that comes to a subscription, and tells what did not. */
export interface Watcher {
  /** Throws as `verifyCheckpoint` of `alvarium-sdk/completeness` does. */
  checkpoint(came: Came, trust: WatchTrust): Promise<void>
  /** A message whose bundles have been verified. */
  message(came: Came, bundles: readonly VerifiedBundle[], codec: Codec | undefined): void
  /** The loop has asked for more than has come; or it has work again. */
  waits(isWaiting: boolean): void
  /** The broker has the subscription. */
  listens(): void
  stats(): CompletenessStats
  close(): void
}

/** Of the subscription that is watched. */
export interface WatchContext {
  /** Whether others get some of the messages, and of the checkpoints. */
  readonly isGroup: boolean
  /** Whether the broker may have something for us that we do not read, or cannot reach us. */
  isBehind(): boolean
  found(finding: Finding): void
}

/** @internal How a subscription begins to watch. With the version, as what is internal to it is used by whoever is handed one. */
export const WATCH: unique symbol = Symbol.for(`alvarium-sdk.Watch ${VERSION}`)

/** What finds out what does not come to a subscription: `completeness()` of `alvarium-sdk/completeness`. */
export interface CompletenessWatch {
  /** Milliseconds after which what a checkpoint lists should be there. */
  readonly graceMs: number
  /** @internal */
  readonly [WATCH]: {
    /** Where checkpoints come, for a subscription to these topics. */
    topics(filters: readonly string[]): readonly string[]
    begin(context: WatchContext): Watcher
    /** Gets each checkpoint that verifies, before it is acknowledged. */
    readonly onCheckpoint?: ((checkpoint: Uint8Array) => unknown) | undefined
  }
}
