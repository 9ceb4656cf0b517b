import * as v from 'valibot'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { isBytes } from '../../foundation/base/errors.js'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../foundation/base/options/schema.js'
import { platform } from '../../foundation/platform/platform.js'
import { keyHolderOf } from '../../signing/keys/key-holder.js'
import type { SignerInput } from '../../signing/keys/signer.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { newEntries } from './entries.js'
import type { SetItem } from './entry.js'
import { EntrySorter } from './entry-sorter.js'
import { hashItems } from './hash-items.js'
import { type KeyList, makeList } from './key-list.js'
import { Manifest } from './manifest.js'
import {
  assertManifest,
  type ManifestStatement,
  manifestIdentity,
  writeManifest,
} from './manifest-message.js'
import { assertSet, type SetStatement, setIdentity, setIdOf, writeSet } from './set-message.js'
import { assertSalt, type Statement, saltCommitment } from './statement.js'
import { Tree } from './tree.js'
import { verifiedManifest } from './verify-manifest.js'

/** Signer of a set, and the statements about it. */
export interface SealSetOptions {
  /**
   * Private key in any usual form, a WebCrypto key pair, or your own `Signer`. Not `leased()`: a set outlives
   * any lease.
   */
  readonly signingKey: SignerInput
  /** Name of the set, 0 to 255 bytes: a trust policy can say which names a signer may use. Default: none. */
  readonly name?: string | undefined
  /** Name of the machine, 0 to 255 bytes. Default: the system's host name; in a page, the page's host. */
  readonly host?: string | undefined
  /** Time of sealing. Default: now. */
  readonly at?: Date | number | undefined
  /**
   * Salt of 32 random bytes. A proof shows keys of other payloads, from which short payloads can be guessed:
   * with a salt, only its holders can guess. They need it to verify proofs. Default: none.
   */
  readonly salt?: Uint8Array | undefined
  /** Timeout of the signature in milliseconds. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

/** Schema of the options, which the page of limits shows. */
export const sealSchema = strict({
  signingKey: v.unknown(),
  name: v.optional(v.string('a string'), ''),
  host: v.optional(v.string('a string')),
  at: v.optional(v.unknown()),
  salt: v.optional(v.custom<Uint8Array>(isBytes, 'a Uint8Array')),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
})

/** Signed set with its list. */
export interface SealedSet {
  /** Message to publish: the set's size and root under one signature, less than 1 kB. */
  readonly message: Uint8Array
  /** Statement of the message. */
  readonly set: SetStatement & {
    /** Identifier of the exact statement and its signer: 64 lower-case hexadecimal digits. */
    readonly id: string
  }
  /** List to keep, from which proofs are made. */
  readonly list: KeyList
}

/**
 * Signs one root over the sorted keys of any number of payloads. With the message and a proof, which the
 * holder of the list makes, a reader knows whether a payload was in the set. Keys are those of hash `sha256`.
 * It takes about 70 bytes of memory for each different payload key.
 *
 * @param items - payloads, payload keys, or records of `readRecords`: an array, or any iterable
 * @returns message to publish, and list to keep
 * @throws TypeError for an item of another type
 * @throws AlvariumError `CONFIG_INVALID` for an option that cannot work, or a text that is not a payload key of sha256; `KEY_INVALID`;
 * `SIGNER_FAILED`; and the errors of `loadAlgorithms`. Errors of the iterable are not wrapped
 *
 * @example
 * ```ts
 * import { sealSet } from 'alvarium-sdk/sets'
 *
 * const { message, set, list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * console.log(set.rows, set.size, list.root === set.root) // 1 1 true
 * ```
 */
export async function sealSet(
  items: Iterable<SetItem> | AsyncIterable<SetItem>,
  options: SealSetOptions,
): Promise<SealedSet> {
  const { members, salt, sign } = await openSealing(options, 'sealSet')
  // Report an invalid statement before all payloads are read.
  assertSet({ ...members, ...NO_TREE, rows: 0 })
  const sorting = new EntrySorter()
  await hashItems(items, salt, sorting)
  const list = await makeList(await sorting.sort(), salt)
  const set: SetStatement = { ...members, rows: sorting.rows, size: list.size, root: list.root }
  const message = writeSet({ ...set, signature: await sign(setIdentity(set)) })
  return { message, set: { ...set, id: setIdOf(set) }, list }
}

/** Placeholder for the tree before it exists. */
export const NO_TREE = { size: 0, root: '0'.repeat(64) }

/** Signer of a statement, and the members that are known before its tree. */
interface Sealing {
  readonly members: Omit<Statement, 'size' | 'root'>
  readonly salt: Uint8Array | undefined
  /** Returns the signature as hexadecimal digits. */
  sign(identity: Uint8Array): Promise<string>
}

/**
 * Reads the options of `sealSet` and `sealManifest`.
 *
 * @param name - name of the function, for errors
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export async function openSealing(options: SealSetOptions, name: string): Promise<Sealing> {
  const settings = readOptions(sealSchema, options, name)
  const { host = platform.hostName(), at, salt, signerTimeoutMs } = settings
  assertSalt(salt)
  const holder = await keyHolderOf(settings.signingKey as SignerInput, signerTimeoutMs)
  const timestamp = timestampAt(receivedMs(at as Date | undefined, 'at') ?? Date.now())
  const commitment = salt && { salt: saltCommitment(salt) }
  return {
    members: { signer: holder.keyId, name: settings.name, host, timestamp, ...commitment },
    salt: salt && new Uint8Array(salt),
    sign: async (identity) => toHex(await holder.sign(identity)),
  }
}

/** Formats a time with six digits of fraction, the format of bundles. */
function timestampAt(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

/**
 * Signs one root over the payload keys of records in their order. Equal records count each time. With the
 * manifest's file, `check` finds which record of the data was altered, is missing, was added or has moved.
 * Keys are those of hash `sha256`.
 *
 * @param records - records of `readRecords`, payloads, or payload keys: an array, or any iterable
 * @param options - options of `sealSet`. A `salt` keeps readers without it from guessing short records by their keys
 * @throws TypeError for an item of another type
 * @throws AlvariumError the errors of `sealSet`. Errors of the iterable are not wrapped
 *
 * @example
 * ```ts
 * import { readRecords } from 'alvarium-sdk/records'
 * import { sealManifest } from 'alvarium-sdk/sets'
 *
 * const file = new Blob(['id,celsius\n1,21.4\n2,19.8\n'])
 * const records = readRecords(file.stream(), { format: 'csv' })
 * const { statement } = await sealManifest(records, { signingKey, name: 'readings.csv' })
 * console.log(statement.size) // 2
 * ```
 */
export async function sealManifest(
  records: Iterable<SetItem> | AsyncIterable<SetItem>,
  options: SealSetOptions,
): Promise<Manifest> {
  const { members, salt, sign } = await openSealing(options, 'sealManifest')
  // Report an invalid statement before all records are read.
  assertManifest({ ...members, ...NO_TREE })
  const entries = newEntries()
  await hashItems(records, salt, { add: (group) => entries.addAll(group) })
  const tree = await Tree.build(entries)
  const statement: ManifestStatement = { ...members, size: entries.length, root: tree.root }
  const message = writeManifest({ ...statement, signature: await sign(manifestIdentity(statement)) })
  return new Manifest(message, verifiedManifest(statement, salt), { entries, tree, salt })
}
