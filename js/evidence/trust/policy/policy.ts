import type { Action, Layer } from '../../../foundation/model/bundle.js'
import type { Address } from '../../../signing/keys/ec/recovery.js'
import type { Jwk } from '../../../signing/keys/forms/jwk.js'
import type { Point } from '../../../signing/keys/forms/raw.js'
import type { WitnessQuorum } from '../../witness/options.js'

/** Revocation of a signer or a key. */
export interface Revocation {
  /** Time of the revocation, RFC 3339. Messages received from then on are refused, whatever time of signing they state. */
  readonly since: string
  /** Reason, for the text of the error. */
  readonly why?: string | undefined
}

/** Time span that includes both of its ends. */
export interface Validity {
  /** Beginning, RFC 3339. Default: always. */
  readonly from?: string | undefined
  /** End, RFC 3339. Default: never. */
  readonly until?: string | undefined
  readonly revoked?: Revocation | undefined
}

/**
 * Public key in a policy: text in any usual form (hexadecimal digits, PEM, a line of OpenSSH), or an object, such as a
 * JSON Web Key.
 */
export type PolicyKey = string | Jwk | Point | Address

/** Key that has its own time: while it is replaced, or because it was stolen. */
export interface KeyEntry extends Validity {
  readonly key: PolicyKey
}

/**
 * Statements that are allowed. Each list holds texts or patterns: `*` stands for any characters, `\*` for a star, and
 * everything else for itself, byte for byte. An empty list allows nothing, a missing one everything.
 */
export interface Allowed {
  /** Hosts of bundles. */
  readonly hosts?: readonly string[] | undefined
  readonly layers?: readonly Layer[] | undefined
  readonly actions?: readonly Action[] | undefined
  /** Kinds of annotations. */
  readonly kinds?: readonly string[] | undefined
  /** Tags of annotations; `""` is the tag of annotations without one. */
  readonly tags?: readonly string[] | undefined
}

/** Revocation of a lease. */
export interface LeaseRevocation extends Revocation {
  /** Serial of the lease: 32 lower-case hexadecimal digits. */
  readonly serial: string
}

/** Signer, and the statements that it may sign. */
export interface PolicySigner extends Validity, Allowed {
  /** Name of the signer, whichever of its keys signs. */
  readonly name: string
  /** Keys of the signer: at least one. No key belongs to two signers. */
  readonly keys: readonly (PolicyKey | KeyEntry)[]
  /** Names of sets that it may seal, or patterns of them. An empty list allows no set, a missing one every set. */
  readonly sets?: readonly string[] | undefined
  /** True if a set that it seals can show that an evidence pack has all bundles about a payload. Default `false`. */
  readonly confirms?: boolean | undefined
  /**
   * Milliseconds after the end of its time in which a message signed in time may still arrive: as long as outboxes may
   * hold messages. Default: that of the policy.
   */
  readonly acceptLateMs?: number | undefined
  /** Longest lease that it may give to another key, in milliseconds; `0` for none. Default: that of the policy. */
  readonly maxLeaseMs?: number | undefined
  /** Revoked leases that it gave. */
  readonly revokedLeases?: readonly LeaseRevocation[] | undefined
}

/** Trust policy: who may sign what, and until when. */
export interface Policy {
  readonly signers: readonly PolicySigner[]
  /** Default for signers without their own. Default `60_000`, a minute. */
  readonly acceptLateMs?: number | undefined
  /** Default for signers without their own. Default `86_400_000`, a day. */
  readonly maxLeaseMs?: number | undefined
  /**
   * Public keys of witnesses, `name+id+key`, or objects that have them as `vkey`: 1 to 15. A message that comes after a
   * signer's end or revocation counts as received when a quorum of witnesses had seen a checkpoint of its log. Default:
   * none.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses in a quorum. Default: more than half. */
  readonly quorum?: number | undefined
}
