import { describe } from '../base/errors.js'
import { VERSION } from '../base/version.js'
import type { Bundle } from '../model/bundle.js'
import type { VerdictWord } from '../model/verdict-words.js'
import { closeKeyList, openKeyList } from './key-lists.js'
import { Keyring, keyringOf } from './keyring.js'
import type { Address } from './recovery.js'
import type { VerifyingKeyInput } from './verifying.js'

/** With the version, as what is internal to a trust is used by whoever is handed one. */
export const TRUST: unique symbol = Symbol.for(`alvarium-sdk.Trust ${VERSION}`)

/** Who signed, as a trust policy knows them. */
export interface SignedBy {
  /** Key id of the key that the policy names: 32 lower-case hexadecimal digits. */
  readonly id: string
  /** The signer's name in the policy, the same for all of its keys: count by this one. */
  readonly name: string
  /**
   * The time by which the policy was applied: `'received'`, when the message was received; `'signed'`, what the signer wrote, as nobody
   * knows when it was received; `'logged'`, when a lease stated the log that has the message, which itself came too late; `'witnessed'`, when a quorum of the
   * policy's witnesses had seen the log that has it.
   */
  readonly time: Extract<VerdictWord, 'received' | 'signed' | 'logged' | 'witnessed'>
  /** There when another key signed, by a lease of the signer's. `bundle.signer` is the id of that key. */
  readonly lease?: SignedByLease
}

/** By which lease a key may sign in somebody's name. */
export interface SignedByLease {
  /** 32 lower-case hexadecimal digits. */
  readonly serial: string
  /** What the issuer calls it. */
  readonly name: string
  /** RFC 3339. */
  readonly from: string
  /** RFC 3339. */
  readonly until: string
}

/** The bytes that were signed for the message that has the bundles, for who has to know what lies in a log. */
export type IdentityOf = () => Uint8Array

/** A checkpoint, as far as a lease can prove that messages lie in its log: `verifyCheckpoint` of `alvarium-sdk/completeness` gives them. */
export interface LoggedMessages {
  /** The id of the key that signed it. */
  readonly signer: string
  /** Which of the signer's logs: 32 hex digits. */
  readonly run: string
  /** How many messages the log has. */
  readonly size: number
  /** The root of the log, as hex. */
  readonly root: string
  /** The signed note, with the lines of witnesses. */
  readonly note?: string | undefined
  /** The log before the messages of its list. */
  readonly from: { readonly size: number; readonly root: string }
  /** The roots of whole trees of which the log consists. Without them, it proves nothing. */
  readonly peaks?: readonly string[] | undefined
  /** Its list, with whole leaves as hex where it has them. */
  readonly entries: readonly { readonly leaf?: string | undefined }[]
}

/** What a policy judges of an annotation of the other SDKs, each of which is signed on its own. */
export interface SignedAnnotation {
  readonly host: string
  readonly layer: string
  readonly kind: string
  readonly tag: string
  readonly timestamp: string
}

/** What a policy judges of a set. */
export interface StatedSet {
  /** Key id of whoever signed it. */
  readonly signer: string
  readonly name: string
  readonly host: string
  readonly timestamp: string
}

/**
 * Judges what has been verified already. `receivedAt` is in milliseconds since 1970, where anybody knows.
 * Everything throws `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` and `SIGNER_REVOKED`.
 */
export interface Judge {
  /** Judges all bundles of a message, which have one signer: one of them that is refused is enough to refuse all. */
  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy
  /** Compares the bundles of a message with all rules, in short steps: {@link bundles} then has little left to do. */
  comparingSteps(bundles: readonly Bundle[]): Generator<void, void>
  /** Judges an annotation that this key has signed, and nobody the action of. */
  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy
  /** Judges the time alone, in milliseconds since 1970: of a request, which speaks about no payload. */
  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy
  /** Returns whether {@link request} accepts a request of this key, without an error that says why not. */
  mayRequest(keyId: string, signedAt: number | undefined, receivedAt: number): boolean
  /** The same of a checkpoint, which speaks about messages. */
  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy
  /** A set, which speaks about any number of payloads. */
  set(set: StatedSet, receivedAt: number | undefined): SignedBy
  /**
   * Returns the signer that has the key, even if the policy lets it say nothing now.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN`
   */
  owner(keyId: string, receivedAt: number | undefined): SignedBy
  /** Returns whether the signer with this key may confirm that nothing was left out (`confirms`). */
  mayConfirm(keyId: string): boolean
  /** The keys of a signer that has this name, and which key has this id. */
  keyIdsOf(nameOrId: string): readonly string[]
}

/**
 * Who may say what, until when: a policy that `readTrust` of `alvarium-sdk/trust` has read, as those know it who verify.
 * Whoever has none does not load what reads one.
 */
export interface TrustPolicy {
  /** The names of its signers. */
  readonly signers: readonly string[]
  /** The SHA-256 of the policy, as `Trust` of `alvarium-sdk/trust` has it. */
  readonly digest?: string | undefined
  /** @internal What holds now: one call is judged by it, whatever is updated meanwhile. */
  readonly [TRUST]: Trusting
}

/** Keys, and who judges what bundles of theirs say; without a judge they may say everything. */
export interface JudgedKeyring {
  readonly keyring: Keyring
  readonly judge?: Pick<
    Judge,
    'bundles' | 'comparingSteps' | 'annotation' | 'request' | 'checkpoint' | 'owner'
  >
}

/** The keys that leases are given to, and who judges what they say. */
export interface Leased extends JudgedKeyring {
  /** Why the first lease was left out, if one was. */
  readonly fault?: string | undefined
}

/** Those of a keyring or a policy. */
export interface Trusting extends JudgedKeyring {
  readonly judge?: Judge
  /** Only a policy takes leases. */
  readonly leased?: TakesLeases
  /** Returns the lines of a note that the witnesses of the policy have signed; undefined if it has no witnesses. */
  readonly witnessLines?: ((note: string) => readonly string[]) | undefined
}

/** What a policy does with leases, in its own chunk: few verify with them. Leases that are not good are left out. */
export interface TakesLeases {
  /**
   * What `use` makes of a message with the policy's keys; or with the keys of these leases, of somebody whom the policy does not have.
   *
   * @throws AlvariumError `CONFIG_INVALID` for too many leases, and what `use` throws
   */
  one<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    use: (judging: JudgedKeyring) => T | Promise<T>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<T>
  /** The same of many messages, of which `use` gets the places. */
  many<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    count: number,
    use: (judging: JudgedKeyring, places: readonly number[]) => Promise<PromiseSettledResult<T>[]>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<PromiseSettledResult<T>[]>
  /**
   * The keys that these leases are given to, for what does not say by which of them it is signed.
   *
   * @throws AlvariumError `CONFIG_INVALID` for too many leases
   */
  keysOf(leases: readonly Uint8Array[] | LeaseBook, checkpoints?: readonly LoggedMessages[]): Promise<Leased>
  /** For leases that come one by one: it outlives the policy. @param room - for how much; default: what a subscription keeps */
  newBook(room?: BookRoom): LeaseBook
  /**
   * Verifies a lease, and puts it into the book.
   *
   * @param receivedAt - when the lease was received, in milliseconds since 1970; undefined: with each message that it is used for
   * @returns the id of the key that it is given to; nothing where the book has it
   * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNER_NOT_ALLOWED`, `SIGNATURE_INVALID`
   */
  keep(lease: Uint8Array, book: LeaseBook, receivedAt: number | undefined): Promise<string | undefined>
}

/** How many leases are kept, and messages that may lie in logs that they state; also of one issuer. */
export interface BookRoom {
  readonly leases: number
  readonly logged: number
}

/** Leases that have come one by one, as those know it who have it: the policy that made it looks into it. */
export interface LeaseBook {
  /** How many it has. */
  readonly size: number
  /** Whether one of them states a log. */
  readonly hasLogs: boolean
  /** Why one was left out, for whoever asks about a key that is not known. */
  fault?: string | undefined
  /** Whether it has one of this key. */
  isLeased(keyId: string): boolean
  /** Takes a checkpoint whose signature is good, also one that came too late: what lies in a log that a lease states is not late. */
  log(checkpoint: LoggedMessages): void
  /** The keys of which more is known to lie in such logs since this was last asked. */
  takeProved(): readonly string[]
  /** Gives the core's memory back. */
  close(): void
}

/** Whom to trust: what verifies takes all of these. */
export type Trusted = Keyring | TrustPolicy | readonly (VerifyingKeyInput | Address)[]

/** Whether it is one, and not a keyring or keys. */
export function isTrustPolicy(value: unknown): value is TrustPolicy {
  return TRUST in Object(value)
}

/** What holds now, where its keys are known; nothing where they are still to be read, into a keyring that ends with the call. */
export function trustingIn(trusted: Trusted): Trusting | undefined {
  if (isTrustPolicy(trusted)) return trusted[TRUST]
  return trusted instanceof Keyring ? { keyring: trusted } : undefined
}

/**
 * What holds for one call, later where there are keys to read.
 *
 * @throws TypeError when it is nothing of that kind
 */
export function openTrusted(trusted: Trusted): Trusting | Promise<Trusting> {
  return trustingIn(trusted) ?? opened(trusted)
}

async function opened(trusted: Trusted): Promise<Trusting> {
  return { keyring: await (Array.isArray(trusted) ? openKeyList(trusted) : keyringOf(trusted as Keyring)) }
}

/** Gives back what {@link openTrusted} opened for one call. */
export function closeTrusted(trusted: Trusted, { keyring }: Trusting): void {
  if (!trustingIn(trusted)) closeKeyList(keyring)
}

/** ECMA-262, 21.4.1.1: no Date is further from 1970. */
const FURTHEST_MS = 8.64e15

/**
 * When a message was received, or another moment, in milliseconds since 1970.
 *
 * @throws TypeError when it is no time: taken for one that is not known, it would have a policy believe the signer's clock
 */
export function receivedMs(receivedAt: Date | number | undefined, field = 'receivedAt'): number | undefined {
  if (receivedAt === undefined) return undefined
  const ms: unknown = receivedAt?.valueOf()
  if (typeof ms === 'number' && Math.abs(ms) <= FURTHEST_MS) return ms
  throw new TypeError(`${field}: expected a Date or milliseconds, got ${describe(receivedAt)}`)
}
