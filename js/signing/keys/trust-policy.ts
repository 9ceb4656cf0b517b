import { describe } from '../../foundation/base/errors.js'
import { VERSION } from '../../foundation/base/version.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import type { VerdictWord } from '../../foundation/model/verdict-words.js'
import type { Address } from './ec/recovery.js'
import { closeKeyList, keyringOf, openKeyList } from './key-lists.js'
import { Keyring } from './keyring.js'
import type { VerifyingKeyInput } from './verifying.js'

/** Symbol with the version, because only a copy of the package with the same version may use a policy's internals. */
export const TRUST: unique symbol = Symbol.for(`alvarium-sdk.Trust ${VERSION}`)

/** The signer of a verified message, as the trust policy names it. */
export interface SignedBy {
  /** Key id of the key that the policy names: 32 lower-case hexadecimal digits. */
  readonly id: string
  /** Name of the signer in the policy, the same for all keys of a signer. Count signers by their name. */
  readonly name: string
  /**
   * Source of the time to which the policy was applied:
   * - `'received'`: the time when the message was received
   * - `'signed'`: the time that the signer wrote, because the time of receipt is unknown
   * - `'logged'`: the time by which, as a lease proves, the message was logged. Without this proof, the
   *   policy would refuse the message as expired or revoked
   * - `'witnessed'`: the time when a quorum of the policy's witnesses had seen the log that contains the
   *   message
   */
  readonly time: Extract<VerdictWord, 'received' | 'signed' | 'logged' | 'witnessed'>
  /** Lease of the signer, if a leased key signed. `bundle.signer` is the id of the leased key. */
  readonly lease?: SignedByLease
}

/** A lease that permits another key to sign in the name of a signer. */
export interface SignedByLease {
  /** Serial number of the lease: 32 lower-case hexadecimal digits. */
  readonly serial: string
  /** Name of the lease, which its issuer chose. */
  readonly name: string
  /** Beginning of the lease, in RFC 3339. */
  readonly from: string
  /** End of the lease, in RFC 3339. */
  readonly until: string
}

/** Function that returns the signed bytes of the checked message, to look the message up in its signer's log. */
export type IdentityOf = () => Uint8Array

/**
 * A checkpoint that `verifyCheckpoint` has returned. With the checkpoint, a lease can prove that messages
 * are in the signer's log.
 */
export interface LoggedMessages {
  /** Id of the key that signed the checkpoint. */
  readonly signer: string
  /** Id of the log, a new one whenever an SDK begins to use the signer's key: 32 lower-case hexadecimal digits. */
  readonly run: string
  /** Number of messages in the log. */
  readonly size: number
  /** Merkle root of the log, in hexadecimal. */
  readonly root: string
  /** The checkpoint as a signed note, with the lines of witnesses. */
  readonly note?: string | undefined
  /** Size and root of the log before the listed messages. */
  readonly from: { readonly size: number; readonly root: string }
  /** Roots of the log's complete subtrees. Without them, the checkpoint cannot prove that a message is in the log. */
  readonly peaks?: readonly string[] | undefined
  /** The listed messages. Each has its full leaf hash in hexadecimal if the checkpoint has `peaks`. */
  readonly entries: readonly { readonly leaf?: string | undefined }[]
}

export interface SignedAnnotation {
  readonly host: string
  readonly layer: string
  readonly kind: string
  readonly tag: string
  readonly timestamp: string
}

/** The signed fields that a trust policy checks in a set of payload keys. */
export interface StatedSet {
  readonly signer: string
  readonly name: string
  readonly host: string
  readonly timestamp: string
}

/**
 * Policy check of verified statements. `receivedAt` is in milliseconds since 1970, or undefined if unknown. Methods
 * that check a statement throw `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` or `SIGNER_REVOKED` if the policy refuses it.
 */
export interface PolicyCheck {
  /** Checks the bundles of a message, which have one signer. If the policy refuses one, all are refused. */
  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy
  /** Compares the bundles of a message with all rules in short steps, so that {@link bundles} has little left to do. */
  comparingSteps(bundles: readonly Bundle[]): Generator<void, void>
  /** Checks another SDK's annotation that this key has signed, but not its action, which no signature covers. */
  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy
  /** Checks a signed HTTP request only by its time, in milliseconds since 1970: it states nothing about a payload. */
  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy
  /** Returns whether {@link request} would succeed, without the time that it takes to create an error. */
  mayRequest(keyId: string, signedAt: number | undefined, receivedAt: number): boolean
  /** Checks a checkpoint only by its time, because a checkpoint states nothing about payloads. */
  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy
  /** Checks a set, which makes a statement about any number of payloads. */
  set(set: StatedSet, receivedAt: number | undefined): SignedBy
  /** Returns the signer that has the key, even if the policy permits none of its statements now. */
  owner(keyId: string, receivedAt: number | undefined): SignedBy
  /** Returns whether the signer with this key may confirm that no message is missing (`confirms` in the policy). */
  mayConfirm(keyId: string): boolean
  /** Returns the ids of the keys of the signer with this name, or of the key with this id. */
  keyIdsOf(nameOrId: string): readonly string[]
}

/**
 * A trust policy, which says who may sign what, and until when. `readTrust` of `alvarium-sdk/trust` reads it. This
 * interface is separate, so that programs without a policy do not load the code that reads one.
 */
export interface TrustPolicy {
  /** Names of the policy's signers. */
  readonly signers: readonly string[]
  /** SHA-256 of the policy, the same as `digest` of `Trust` in `alvarium-sdk/trust`. */
  readonly digest?: string | undefined
  /** @internal The current version of the policy. A call uses one version to its end, despite later updates. */
  readonly [TRUST]: OpenTrust
}

/** Public keys, with an optional policy check. Without the check, every statement is permitted. */
export interface JudgedKeyring {
  readonly keyring: Keyring
  readonly judge?: Pick<
    PolicyCheck,
    'bundles' | 'comparingSteps' | 'annotation' | 'request' | 'checkpoint' | 'owner'
  >
}

export interface LeaseKeyring extends JudgedKeyring {
  /** Reason why the first invalid lease was skipped, if there was one. */
  readonly fault?: string | undefined
}

export interface OpenTrust extends JudgedKeyring {
  readonly judge?: PolicyCheck
  /** Verifier of leases. Undefined for a keyring, which does not say who may issue leases. */
  readonly leased?: LeaseTrust
  /**
   * Returns a note's signature lines by witnesses of the policy. Undefined if the policy has no witnesses.
   */
  readonly witnessLines?: ((note: string) => readonly string[]) | undefined
}

/** Verifier of messages signed with leased keys. It is loaded separately, because few programs use leases. */
export interface LeaseTrust {
  /**
   * Calls `use` with the policy's keys. If the policy does not know the signer, calls it again with the
   * leases' keys.
   */
  verifyOne<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    use: (judging: JudgedKeyring) => T | Promise<T>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<T>
  /**
   * Verifies many messages like {@link verifyOne}. Calls `use` with the indexes of the messages to verify.
   */
  verifyMany<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    count: number,
    use: (judging: JudgedKeyring, places: readonly number[]) => Promise<PromiseSettledResult<T>[]>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<PromiseSettledResult<T>[]>
  /**
   * Returns the leased keys, to verify annotations of other SDKs, which do not name their key.
   *
   * @throws AlvariumError `CONFIG_INVALID` for too many leases
   */
  keysOf(
    leases: readonly Uint8Array[] | LeaseBook,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<LeaseKeyring>
  /**
   * Creates a {@link LeaseBook} for leases that arrive one by one. The book stays valid after an update of
   * the policy.
   *
   * @param room - capacity of the book; default: that of a subscription
   */
  newBook(room?: BookCapacity): LeaseBook
  /**
   * Verifies a lease, and adds it to the book.
   *
   * @param receivedAt - time when the lease was received, in milliseconds since 1970. If undefined, the lease
   *   counts as received together with each message that its key has signed
   * @returns the id of the leased key; undefined if the book already has the lease
   */
  addLease(lease: Uint8Array, book: LeaseBook, receivedAt: number | undefined): Promise<string | undefined>
}

/**
 * Maximum numbers of leases and of logged messages in a {@link LeaseBook}. Each limit also applies to every
 * issuer alone.
 */
export interface BookCapacity {
  readonly leases: number
  readonly logged: number
}

/** Collection of verified leases that arrived one by one. A trust policy creates it, and reads the leases in it. */
export interface LeaseBook {
  readonly size: number
  /** True if any lease states the size and root of its signer's log. */
  readonly hasLogs: boolean
  /** Reason why a lease was skipped, shown in the error about an unknown key. */
  fault?: string | undefined
  isLeased(keyId: string): boolean
  /**
   * Adds a verified checkpoint, even a late one. If a lease states the root of the checkpoint's log, the messages in
   * that log are valid even if they arrive after the lease has ended.
   */
  log(checkpoint: LoggedMessages): void
  /** Returns the ids of leased keys with messages that were proved, since the last call, to be in the signer's log. */
  takeNewlyProvedKeys(): readonly string[]
  /** Frees the book's memory in the core. */
  close(): void
}

/** Trusted keys or a trust policy, in every form that verifying functions accept. */
export type Trusted = Keyring | TrustPolicy | readonly (VerifyingKeyInput | Address)[]

export function isTrustPolicy(value: unknown): value is TrustPolicy {
  return TRUST in Object(value)
}

/** Returns the trusted keys and policy, or undefined for a list of keys, which must first become a keyring. */
export function trustingIn(trusted: Trusted): OpenTrust | undefined {
  if (isTrustPolicy(trusted)) return trusted[TRUST]
  return trusted instanceof Keyring ? { keyring: trusted } : undefined
}

/**
 * Returns the trusted keys and policy for one call, or a promise if keys must be read.
 *
 * @throws TypeError when `trusted` is not a keyring, a policy or a list of keys
 */
export function openTrusted(trusted: Trusted): OpenTrust | Promise<OpenTrust> {
  return trustingIn(trusted) ?? openKeys(trusted)
}

async function openKeys(trusted: Trusted): Promise<OpenTrust> {
  return { keyring: await (Array.isArray(trusted) ? openKeyList(trusted) : keyringOf(trusted as Keyring)) }
}

export function closeTrusted(trusted: Trusted, { keyring }: OpenTrust): void {
  if (!trustingIn(trusted)) closeKeyList(keyring)
}

/** Maximum distance of a `Date` from 1970, in milliseconds (ECMA-262, 21.4.1.1). */
const MAX_DATE_MS = 8.64e15

/**
 * Converts the time of receipt of a message, or another time, to milliseconds since 1970.
 *
 * @throws TypeError for an invalid time. Treated as unknown, it would make a policy rely on the signer's clock
 */
export function receivedMs(receivedAt: Date | number | undefined, field = 'receivedAt'): number | undefined {
  if (receivedAt === undefined) return undefined
  const ms: unknown = receivedAt?.valueOf()
  if (typeof ms === 'number' && Math.abs(ms) <= MAX_DATE_MS) return ms
  throw new TypeError(`${field}: expected a Date or milliseconds, got ${describe(receivedAt)}`)
}
