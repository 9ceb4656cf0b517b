import { VERSION } from '../../foundation/base/version.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import type { LeaseBook, TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { Codec } from '../../transport/codecs/codec.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { CompletenessStats, Finding } from './findings.js'

/** A received message, and its time of receipt in milliseconds since 1970. */
export interface ReceivedMessage {
  readonly message: Uint8Array
  readonly receivedAt: number
}

/** Trusted keys and received leases. */
export interface WatchTrust {
  readonly keyring: Keyring | TrustPolicy
  readonly leases?: LeaseBook | undefined
}

/** Watcher of all messages that arrive at a subscription, which finds missing ones. */
export interface Watcher {
  /** Adds a checkpoint. Throws as `verifyCheckpoint` of `alvarium-sdk/completeness` does. */
  addCheckpoint(came: ReceivedMessage, trust: WatchTrust): Promise<void>
  /** Adds a message whose bundles have been verified. */
  addMessage(came: ReceivedMessage, bundles: readonly VerifiedBundle[], codec: Codec | undefined): void
  /** Notes that the loop waits for messages, or has work again. */
  setWaiting(isWaiting: boolean): void
  /** Notes that the broker has confirmed the subscription. */
  setListening(): void
  stats(): CompletenessStats
  close(): void
}

/** Context of a watched subscription. */
export interface WatchContext {
  /** True if other members of a group receive some of the messages and checkpoints. */
  readonly isGroup: boolean
  /** Returns whether the broker may have messages for us that we do not read, or cannot reach us. */
  isBehind(): boolean
  report(finding: Finding): void
}

/**
 * @internal Key of the function that begins to watch a subscription. The symbol contains the version: only copies of
 * the same release may use it on each other's objects.
 */
export const WATCH: unique symbol = Symbol.for(`alvarium-sdk.Watch ${VERSION}`)

/** Watch of a subscription that finds missing messages: `completeness()` of `alvarium-sdk/completeness`. */
export interface CompletenessWatch {
  /** Milliseconds after which the messages of a checkpoint should have arrived. */
  readonly graceMs: number
  /** @internal */
  readonly [WATCH]: {
    /** Returns the topics of checkpoints, for a subscription to these topics. */
    topics(filters: readonly string[]): readonly string[]
    begin(context: WatchContext): Watcher
    /** Callback for each checkpoint that verifies, before it is acknowledged. */
    readonly onCheckpoint?: ((checkpoint: Uint8Array) => unknown) | undefined
  }
}
