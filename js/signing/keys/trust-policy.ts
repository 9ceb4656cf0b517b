import { describe } from '../../foundation/base/errors.js'
import { VERSION } from '../../foundation/base/version.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import type { VerdictWord } from '../../foundation/model/verdict-words.js'
import type { Address } from './ec/recovery.js'
import { closeKeyList, keyringOf, openKeyList } from './key-lists.js'
import { Keyring } from './keyring.js'
import type { VerifyingKeyInput } from './verifying.js'

/** The symbol contains the version: another copy of the package may use a trust's internals only if it has the same version. */
export const TRUST: unique symbol = Symbol.for(`alvarium-sdk.Trust ${VERSION}`)

/** Signer, by its entry in a trust policy. */
export interface SignedBy {
  /** Key id of the key that the policy names: 32 lower-case hexadecimal digits. */
  readonly id: string
  /** Name of the signer in the policy, the same for all of its keys: count signers by it. */
  readonly name: string
  /**
   * Source of the time to which the policy was applied:
   * - `'received'`, the time of receipt of the message;
   * - `'signed'`, the time that the signer wrote, because the time of receipt is unknown;
   * - `'logged'`, the time at which a lease stated the log that has the message, which itself came too late;
   * - `'witnessed'`, the time at which a quorum of the policy's witnesses had seen the log that has the message.
   */
  readonly time: Extract<VerdictWord, 'received' | 'signed' | 'logged' | 'witnessed'>
  /** Lease of the signer, if another key signed by it. `bundle.signer` is the id of that key. */
  readonly lease?: SignedByLease
}

/** Lease by which a key may sign in the name of a signer. */
export interface SignedByLease {
  /** Serial number: 32 lower-case hexadecimal digits. */
  readonly serial: string
  /** Name that the issuer gave to the lease. */
  readonly name: string
  /** Beginning, RFC 3339. */
  readonly from: string
  /** End, RFC 3339. */
  readonly until: string
}

/** Function that returns the signed bytes of the message that has the bundles, to look it up in a log. */
export type IdentityOf = () => Uint8Array

/**
 * Checkpoint, with the members by which a lease can prove that messages lie in its log: `verifyCheckpoint` of
 * `alvarium-sdk/completeness` returns it.
 */
export interface LoggedMessages {
  /** Id of the key that signed the checkpoint. */
  readonly signer: string
  /** Run of the signer, which names the log: 32 hexadecimal digits. */
  readonly run: string
  /** Number of messages in the log. */
  readonly size: number
  /** Root of the log, in hexadecimal. */
  readonly root: string
  /** Signed note, with the lines of witnesses. */
  readonly note?: string | undefined
  /** Log before the messages of the list. */
  readonly from: { readonly size: number; readonly root: string }
  /** Roots of the whole trees of which the log consists. Without them, the checkpoint proves nothing. */
  readonly peaks?: readonly string[] | undefined
  /** List of messages, with whole leaves in hexadecimal if it has them. */
  readonly entries: readonly { readonly leaf?: string | undefined }[]
}

/** Statement of an annotation of the other SDKs, each of which is signed on its own. */
export interface SignedAnnotation {
  readonly host: string
  readonly layer: string
  readonly kind: string
  readonly tag: string
  readonly timestamp: string
}

/** Statement of a set. */
export interface StatedSet {
  /** Key id of the signer. */
  readonly signer: string
  readonly name: string
  readonly host: string
  readonly timestamp: string
}

/**
 * Policy check of verified statements. `receivedAt` is in milliseconds since 1970, if it is known. Methods that permit
 * a statement throw `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` and `SIGNER_REVOKED`.
 */
export interface PolicyCheck {
  /** Permits all bundles of a message, which have one signer: one refused bundle is enough to refuse all. */
  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy
  /** Compares the bundles of a message with all rules, in short steps: {@link bundles} then has little left to do. */
  comparingSteps(bundles: readonly Bundle[]): Generator<void, void>
  /** Permits an annotation that this key has signed, without its action, which nobody has signed. */
  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy
  /** Permits a request by its time alone, in milliseconds since 1970, because it states nothing about a payload. */
  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy
  /** Returns whether {@link request} permits a request of this key, without making an error. */
  mayRequest(keyId: string, signedAt: number | undefined, receivedAt: number): boolean
  /** Permits a checkpoint by its time alone: it only states messages. */
  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy
  /** Permits a set, which states any number of payloads. */
  set(set: StatedSet, receivedAt: number | undefined): SignedBy
  /**
   * Returns the signer that has the key, even if the policy lets it say nothing now.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN`
   */
  owner(keyId: string, receivedAt: number | undefined): SignedBy
  /** Returns whether the signer with this key may confirm that nothing was left out (`confirms`). */
  mayConfirm(keyId: string): boolean
  /** Returns the ids of the keys of the signer with this name, or of the key with this id. */
  keyIdsOf(nameOrId: string): readonly string[]
}

/**
 * Trust policy that `readTrust` of `alvarium-sdk/trust` has read: who may sign what, and until when. This is its
 * interface for verifiers; programs without a policy do not load the code that reads one.
 */
export interface TrustPolicy {
  /** Names of its signers. */
  readonly signers: readonly string[]
  /** SHA-256 of the policy, the same as `digest` of `Trust` in `alvarium-sdk/trust`. */
  readonly digest?: string | undefined
  /** @internal Policy that holds now: one call uses it to its end, whatever is updated meanwhile. */
  readonly [TRUST]: OpenTrust
}

/** Keys and an optional policy check; without one, every statement is allowed. */
export interface JudgedKeyring {
  readonly keyring: Keyring
  readonly judge?: Pick<
    PolicyCheck,
    'bundles' | 'comparingSteps' | 'annotation' | 'request' | 'checkpoint' | 'owner'
  >
}

/** Keys of leases, with the policy check of their statements. */
export interface LeaseKeyring extends JudgedKeyring {
  /** Reason why the first invalid lease was skipped, if there was one. */
  readonly fault?: string | undefined
}

/** Keys and policy check of a keyring or a policy. */
export interface OpenTrust extends JudgedKeyring {
  readonly judge?: PolicyCheck
  /** Verifier of leases, which only a policy has. */
  readonly leased?: LeaseTrust
  /** Returns the lines of a note that the witnesses of the policy have signed; undefined if it has no witnesses. */
  readonly witnessLines?: ((note: string) => readonly string[]) | undefined
}

/** Verifier of messages by leases, in its own chunk because few programs use leases. It skips invalid leases. */
export interface LeaseTrust {
  /**
   * Calls `use` with the policy's keys; and with the keys of these leases if the policy does not know the signer.
   *
   * @throws AlvariumError `CONFIG_INVALID` for too many leases, and the errors of `use`
   */
  verifyOne<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    use: (judging: JudgedKeyring) => T | Promise<T>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<T>
  /** Does the same for many messages, whose places it passes to `use`. */
  verifyMany<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    count: number,
    use: (judging: JudgedKeyring, places: readonly number[]) => Promise<PromiseSettledResult<T>[]>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<PromiseSettledResult<T>[]>
  /**
   * Returns the keys of these leases, for statements that do not name their key.
   *
   * @throws AlvariumError `CONFIG_INVALID` for too many leases
   */
  keysOf(
    leases: readonly Uint8Array[] | LeaseBook,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<LeaseKeyring>
  /**
   * Makes a book for leases that come one by one; it outlives the policy.
   *
   * @param room - its capacity; default: that of a subscription
   */
  newBook(room?: BookCapacity): LeaseBook
  /**
   * Verifies a lease, and adds it to the book.
   *
   * @param receivedAt - when the lease was received, in milliseconds since 1970; undefined: with each message that it
   *   is used for
   * @returns the id of the key that it is given to; undefined if the book has the lease
   * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNER_NOT_ALLOWED`, `SIGNATURE_INVALID`
   */
  keep(lease: Uint8Array, book: LeaseBook, receivedAt: number | undefined): Promise<string | undefined>
}

/** Capacity of a book in leases, and in messages in the logs that they state; each limit holds for one issuer, too. */
export interface BookCapacity {
  readonly leases: number
  readonly logged: number
}

/** Leases that arrived one by one. Its owner sees only this interface; the policy that made the book reads its leases. */
export interface LeaseBook {
  /** Number of leases. */
  readonly size: number
  /** True if a lease states a log. */
  readonly hasLogs: boolean
  /** Reason why a lease was skipped, for the error about an unknown key. */
  fault?: string | undefined
  /** Returns whether the book has a lease of this key. */
  isLeased(keyId: string): boolean
  /** Adds a checkpoint whose signature is valid, even if it came too late: messages in a log that a lease states are not late. */
  log(checkpoint: LoggedMessages): void
  /** Returns the keys of which more messages are known to lie in such logs since the last call. */
  takeProved(): readonly string[]
  /** Frees the memory of the core. */
  close(): void
}

/** Keys or policy to trust, as every verifying function accepts them. */
export type Trusted = Keyring | TrustPolicy | readonly (VerifyingKeyInput | Address)[]

/** Returns whether a value is a trust policy, and not a keyring or keys. */
export function isTrustPolicy(value: unknown): value is TrustPolicy {
  return TRUST in Object(value)
}

/**
 * Returns the trusted keys and policy if the keys are known; undefined if they must still be read into a keyring for
 * one call.
 */
export function trustingIn(trusted: Trusted): OpenTrust | undefined {
  if (isTrustPolicy(trusted)) return trusted[TRUST]
  return trusted instanceof Keyring ? { keyring: trusted } : undefined
}

/**
 * Returns the trusted keys and policy for one call; a promise if keys must be read.
 *
 * @throws TypeError when it is no keyring, policy or list of keys
 */
export function openTrusted(trusted: Trusted): OpenTrust | Promise<OpenTrust> {
  return trustingIn(trusted) ?? openKeys(trusted)
}

async function openKeys(trusted: Trusted): Promise<OpenTrust> {
  return { keyring: await (Array.isArray(trusted) ? openKeyList(trusted) : keyringOf(trusted as Keyring)) }
}

/** Closes the keyring that {@link openTrusted} opened for one call. */
export function closeTrusted(trusted: Trusted, { keyring }: OpenTrust): void {
  if (!trustingIn(trusted)) closeKeyList(keyring)
}

/** Greatest distance of a `Date` from 1970, in milliseconds (ECMA-262, 21.4.1.1). */
const MAX_DATE_MS = 8.64e15

/**
 * Converts the time of receipt of a message, or another moment, to milliseconds since 1970.
 *
 * @throws TypeError when it is not a time: treated as unknown, it would let a policy believe the signer's clock
 */
export function receivedMs(receivedAt: Date | number | undefined, field = 'receivedAt'): number | undefined {
  if (receivedAt === undefined) return undefined
  const ms: unknown = receivedAt?.valueOf()
  if (typeof ms === 'number' && Math.abs(ms) <= MAX_DATE_MS) return ms
  throw new TypeError(`${field}: expected a Date or milliseconds, got ${describe(receivedAt)}`)
}
