import type { AlvariumError } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import type { ClassicSettings } from '../classic/received.js'
import type { VerifyOptions } from '../verify/options.js'
import type { LeaseIntake } from './leases.js'
import type { Watcher } from './watch.js'

type IntakeTrust = Pick<VerifyOptions, 'codec'> & { readonly keyring: Keyring | TrustPolicy }

export interface ConsumerContext {
  readonly trust: IntakeTrust
  /** Options for messages of the Go, Java, Rust and Python SDKs; undefined if such messages are rejected. */
  readonly classic: ClassicSettings | undefined
  readonly logger: Logger
  /** Intake of leases; undefined if the subscription ignores leases. */
  readonly leases?: LeaseIntake | undefined
  /** Watcher that finds missing messages; undefined without the option `completeness`. */
  readonly watcher?: Watcher | undefined
  /** Callback for each verified checkpoint, called before the checkpoint is acknowledged. */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => Promise<unknown>) | undefined
  /** Returns whether an error means only that the subscription was closed during a callback. */
  isOver(error: unknown): boolean
  onRejected(arrival: ReceivedMessage, error: AlvariumError): void
}
