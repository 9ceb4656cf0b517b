import type { AlvariumError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { ClassicWishes } from '../classic/received.js'
import type { Keyring } from '../keys/keyring.js'
import type { TrustPolicy } from '../keys/trust-policy.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import type { VerifyOptions } from '../verify/options.js'
import type { LeaseIntake } from './leases.js'
import type { Watcher } from './watch.js'

/** Whom to trust, and how messages are written. */
type IntakeTrust = Pick<VerifyOptions, 'codec'> & { readonly keyring: Keyring | TrustPolicy }

/** Who uses a consumer. */
export interface ConsumerUser {
  /** Whom to trust, and how messages are written. */
  readonly trust: IntakeTrust
  /** Whether messages of the other SDKs are wanted too, and which. */
  readonly classic: ClassicWishes | undefined
  readonly logger: Logger
  /** Takes leases out of what comes. Default: nobody does. */
  readonly leases?: LeaseIntake | undefined
  /** Who sees all that comes, and what does not. */
  readonly watcher?: Watcher | undefined
  /** Takes each checkpoint that verifies, before it is acknowledged. */
  readonly onCheckpoint?: ((checkpoint: Uint8Array) => Promise<unknown>) | undefined
  /** Whether the loop ends with this error because it was closed while it waited for somebody's own code. */
  isOver(error: unknown): boolean
  /** A message does not verify. */
  rejected(arrival: Arrival, error: AlvariumError): void
}
