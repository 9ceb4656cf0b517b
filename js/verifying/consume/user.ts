import type { AlvariumError } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { Arrival } from '../../transport/streams/mqtt/inbox.js'
import type { ClassicSettings } from '../classic/received.js'
import type { VerifyOptions } from '../verify/options.js'
import type { LeaseIntake } from './leases.js'
import type { Watcher } from './watch.js'

/** Trusted keys, and the codec of messages. */
type IntakeTrust = Pick<VerifyOptions, 'codec'> & { readonly keyring: Keyring | TrustPolicy }

/** Owner of a consumer: its trust, its options, and its callbacks. */
export interface ConsumerContext {
  /** Trusted keys, and the codec of messages. */
  readonly trust: IntakeTrust
  /** Options for messages of the other SDKs; undefined if these are not read. */
  readonly classic: ClassicSettings | undefined
  readonly logger: Logger
  /** Intake of leases. Default: leases are not read. */
  readonly leases?: LeaseIntake | undefined
  /** Watcher of all received messages, which finds missing ones. */
  readonly watcher?: Watcher | undefined
  /** Callback for each checkpoint that verifies, before it is acknowledged. */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => Promise<unknown>) | undefined
  /**
   * Returns whether the loop ends with this error because the subscription was closed while it waited for application
   * code.
   */
  isOver(error: unknown): boolean
  /** Reports a message that does not verify. */
  onRejected(arrival: Arrival, error: AlvariumError): void
}
