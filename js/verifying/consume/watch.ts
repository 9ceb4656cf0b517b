import { VERSION } from '../../foundation/base/version.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import type { LeaseBook, TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { Codec } from '../../transport/codecs/codec.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { CompletenessStats, Finding } from './findings.js'

/** Received message and its time of receipt in milliseconds since 1970. */
export interface ReceivedMessage {
  readonly message: Uint8Array
  readonly receivedAt: number
}

/** Trusted keys and received leases with which checkpoints are verified. */
export interface WatchTrust {
  readonly keyring: Keyring | TrustPolicy
  readonly leases?: LeaseBook | undefined
}

/** Finds missing messages of a subscription from all received messages and checkpoints. */
export interface Watcher {
  /** Verifies and records a checkpoint. Throws as `verifyCheckpoint` of `alvarium-sdk/completeness` does. */
  addCheckpoint(came: ReceivedMessage, trust: WatchTrust): Promise<void>
  addMessage(came: ReceivedMessage, bundles: readonly VerifiedBundle[], codec: Codec | undefined): void
  setWaiting(isWaiting: boolean): void
  setListening(): void
  stats(): CompletenessStats
  close(): void
}

export interface WatchContext {
  /** True if other members of a group receive some of the messages and checkpoints. */
  readonly isGroup: boolean
  /** Returns whether messages may wait at the broker: the connection is lost, or the window is full. */
  isBehind(): boolean
  report(finding: Finding): void
}

/**
 * @internal Key of the functions with which a subscription uses a {@link CompletenessWatch}. The symbol contains
 * the version, so that a subscription uses only a watch of its own release.
 */
export const WATCH: unique symbol = Symbol.for(`alvarium-sdk.Watch ${VERSION}`)

/** Watch that finds missing messages, from `completeness()` of `alvarium-sdk/completeness`. */
export interface CompletenessWatch {
  /** Milliseconds after a checkpoint within which the messages that it lists should have arrived. */
  readonly graceMs: number
  /** @internal */
  readonly [WATCH]: {
    /** Returns the topics on which checkpoints arrive, for topic filters of a subscription. */
    topics(filters: readonly string[]): readonly string[]
    begin(context: WatchContext): Watcher
    /** Callback for each verified checkpoint, called before the checkpoint is acknowledged. */
    readonly onCheckpoint?: ((checkpoint: Uint8Array) => unknown) | undefined
  }
}
