import type { Jwk } from '../keys/jwk.js'
import type { Point } from '../keys/raw.js'
import type { Address } from '../keys/recovery.js'
import type { Action, Layer } from '../model/bundle.js'
import type { WitnessQuorum } from '../witness/options.js'

/** Since when a signer, or a key, is not to be believed any more. */
export interface Revocation {
  /** RFC 3339. What is received from then on is refused, whenever it says it was signed. */
  readonly since: string
  /** For whoever reads the error. */
  readonly why?: string | undefined
}

/** A span of time. Both ends are included. */
export interface Validity {
  /** RFC 3339. Default: always. */
  readonly from?: string | undefined
  /** RFC 3339. Default: for ever. */
  readonly until?: string | undefined
  readonly revoked?: Revocation | undefined
}

/**
 * A public key as a policy has it: text in any usual form (hexadecimal digits, PEM, a line of OpenSSH), or an object, as a
 * JSON Web Key is.
 */
export type PolicyKey = string | Jwk | Point | Address

/** A key that has a time of its own: while it is replaced, or because it was stolen. */
export interface KeyEntry extends Validity {
  readonly key: PolicyKey
}

/**
 * What may be said. Each list holds texts or patterns: `*` stands for any characters, `\*` for a star, and everything else for
 * itself, byte for byte. An empty list allows nothing, a missing one everything.
 */
export interface Allowed {
  /** On which hosts. */
  readonly hosts?: readonly string[] | undefined
  readonly layers?: readonly Layer[] | undefined
  readonly actions?: readonly Action[] | undefined
  /** Which kinds of annotations. */
  readonly kinds?: readonly string[] | undefined
  /** Under which tags; `""` is the tag of annotations without one. */
  readonly tags?: readonly string[] | undefined
}

/** A lease that is not to be believed any more. */
export interface LeaseRevocation extends Revocation {
  /** The serial of the lease: 32 lower-case hexadecimal digits. */
  readonly serial: string
}

/** Who may say what. */
export interface PolicySigner extends Validity, Allowed {
  /** What the signer is called, whichever of its keys signs. */
  readonly name: string
  /** At least one. No key belongs to two signers. */
  readonly keys: readonly (PolicyKey | KeyEntry)[]
  /** Names of sets that it may seal, or patterns of them. An empty list allows no set, a missing one every set. */
  readonly sets?: readonly string[] | undefined
  /** True if a set that it seals can show that an evidence pack has all bundles about a payload. Default `false`: for nobody. */
  readonly confirms?: boolean | undefined
  /**
   * Milliseconds after its end in which what it signed in time may still arrive: as long as outboxes may hold
   * messages. Default: that of the policy.
   */
  readonly acceptLateMs?: number | undefined
  /** The longest lease that it may give to another key, in milliseconds; `0` for none. Default: that of the policy. */
  readonly maxLeaseMs?: number | undefined
  /** Leases that it gave. */
  readonly revokedLeases?: readonly LeaseRevocation[] | undefined
}

/** A trust policy: who may say what, and until when. */
export interface Policy {
  readonly signers: readonly PolicySigner[]
  /** For signers that do not say their own. Default `60_000`, a minute. */
  readonly acceptLateMs?: number | undefined
  /** For signers that do not say their own. Default `86_400_000`, a day. */
  readonly maxLeaseMs?: number | undefined
  /**
   * Public keys of witnesses, `name+id+key`, or objects that have them as `vkey`. By a checkpoint that a quorum of them has seen, a message that comes after a signer's
   * end or revocation counts as received when they had seen it. 1 to 15. Default: none.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Witnesses that it takes. Default: more than half. */
  readonly quorum?: number | undefined
}
