import type { Action, Layer } from '../../../foundation/model/bundle.js'
import type { Address } from '../../../signing/keys/ec/recovery.js'
import type { Jwk } from '../../../signing/keys/forms/jwk.js'
import type { Point } from '../../../signing/keys/forms/raw.js'
import type { WitnessQuorum } from '../../witness/options.js'

/** Revocation of a signer or a key. */
export interface Revocation {
  /**
   * Time of the revocation, in RFC 3339. Messages received from then on, or at an unknown time, are refused,
   * whenever they were signed.
   */
  readonly since: string
  /** Reason for the revocation, which error texts show. */
  readonly why?: string | undefined
}

/** Time span in which a signer or a key is valid, including its ends. */
export interface Validity {
  /** First valid time, in RFC 3339. Default: no limit. */
  readonly from?: string | undefined
  /** Last valid time, in RFC 3339. Default: no limit. */
  readonly until?: string | undefined
  readonly revoked?: Revocation | undefined
}

/** Public key in a policy: text in any usual form (hexadecimal, PEM, OpenSSH), or an object such as a JSON Web Key. */
export type PolicyKey = string | Jwk | Point | Address

/** Key with a validity, for a key that is being replaced or was stolen. */
export interface KeyEntry extends Validity {
  readonly key: PolicyKey
}

/**
 * Statements that are allowed. `hosts`, `kinds` and `tags` have texts or patterns: `*` stands for any
 * characters, `\*` for a star, `\\` for `\`, and everything else for itself, byte for byte. An empty list
 * allows nothing. A missing list allows everything.
 */
export interface Allowed {
  /** Allowed hosts of bundles, and of a signer's sets. */
  readonly hosts?: readonly string[] | undefined
  readonly layers?: readonly Layer[] | undefined
  readonly actions?: readonly Action[] | undefined
  /** Allowed kinds of annotations. */
  readonly kinds?: readonly string[] | undefined
  /** Allowed tags of annotations. `""` allows annotations without a tag. */
  readonly tags?: readonly string[] | undefined
}

/** Revocation of a lease. */
export interface LeaseRevocation extends Revocation {
  /** Serial of the lease: 32 lower-case hexadecimal digits. */
  readonly serial: string
}

/** Signer, and the statements that it may sign. */
export interface PolicySigner extends Validity, Allowed {
  /** Name of the signer, which is the same for all of its keys. */
  readonly name: string
  /** Keys of the signer, at least one. Two signers cannot have the same key. */
  readonly keys: readonly (PolicyKey | KeyEntry)[]
  /**
   * Names or patterns of the sets that the signer may seal. An empty list allows no sets. A missing list
   * allows all sets.
   */
  readonly sets?: readonly string[] | undefined
  /** True to accept the signer's sets as proof that a pack has all bundles about a payload. Default `false`. */
  readonly confirms?: boolean | undefined
  /**
   * Time in milliseconds after the signer's `until` in which a message that was signed in time may still arrive,
   * such as the time for which outboxes may store messages. Default: `acceptLateMs` of the policy.
   */
  readonly acceptLateMs?: number | undefined
  /** Longest lease that the signer may give, in milliseconds; `0` allows none. Default: `maxLeaseMs` of the policy. */
  readonly maxLeaseMs?: number | undefined
  /** Revoked leases of the signer. */
  readonly revokedLeases?: readonly LeaseRevocation[] | undefined
}

/** Trust policy: who may sign what, and until when. */
export interface Policy {
  readonly signers: readonly PolicySigner[]
  /** Value of `acceptLateMs` for signers without one, in milliseconds. Default `60_000`, a minute. */
  readonly acceptLateMs?: number | undefined
  /** Value of `maxLeaseMs` for signers without one, in milliseconds. Default `86_400_000`, a day. */
  readonly maxLeaseMs?: number | undefined
  /**
   * Public keys of 1 to 15 witnesses: texts `name+id+key`, or objects with this text as `vkey`. A message
   * that arrives after the signer's `until` or revocation counts as received when a quorum of witnesses had
   * seen a checkpoint of the log with the message. Default: none.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses in a quorum. Default: more than half. */
  readonly quorum?: number | undefined
}
