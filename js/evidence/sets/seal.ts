import * as v from 'valibot'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../foundation/base/options/schema.js'
import { platform } from '../../foundation/platform/platform.js'
import { keyHolderOf } from '../../signing/keys/key-holder.js'
import type { SignerInput } from '../../signing/keys/signer.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { Entries } from './entries.js'
import type { SetItem } from './entry.js'
import { EntrySorter } from './entry-sorter.js'
import { hashItems } from './hash-items.js'
import { KeyList } from './key-list.js'
import { Manifest } from './manifest.js'
import { type ManifestStatement, manifestIdentity, writeManifest } from './manifest-message.js'
import { bytes } from './schemas.js'
import { setIdentity, setIdOf, writeSet } from './set-message.js'
import { assertSalt, assertSignerMembers, type SetStatement, saltCommitment } from './statement.js'
import { sealedEntries } from './tree.js'
import { verifiedManifest } from './verify-manifest.js'

/** Signing key of a set, and the contents of its statement. */
export interface SealSetOptions {
  /**
   * Private key in any usual form, a WebCrypto key pair, or a `Signer`, but not `leased()`, because sets
   * outlive leases.
   */
  readonly signingKey: SignerInput
  /** Name of the set, 0 to 255 bytes. A trust policy can limit the names that a signer may use. Default: none. */
  readonly name?: string | undefined
  /** Name of the machine, 0 to 255 bytes. Default: the system's host name; in a page, the page's host. */
  readonly host?: string | undefined
  /** Time of sealing, as a `Date` or in milliseconds since 1970. Default: now. */
  readonly at?: Date | number | undefined
  /**
   * Salt of 32 random bytes. Proofs show keys of other payloads, and short payloads can be guessed from their keys.
   * With a salt, only holders of the salt can guess them. Verifying proofs needs the salt. Default: none.
   */
  readonly salt?: Uint8Array | undefined
  /** Timeout of the signature in milliseconds. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

/** Valibot schema of {@link SealSetOptions}. The guide's page of limits is generated from it. */
export const sealSchema = strict({
  signingKey: v.unknown(),
  name: v.optional(v.string('a string'), ''),
  host: v.optional(v.string('a string')),
  at: v.optional(v.unknown()),
  salt: v.optional(bytes),
  signerTimeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
})

/** A signed set and its list of keys. */
export interface SealedSet {
  /** Message to publish, usually less than 1 kB: the size and root of the set under one signature. */
  readonly message: Uint8Array
  /** Statement that the signature of the message covers. */
  readonly set: SetStatement & {
    /** Hash of the statement, signer included: 64 lower-case hexadecimal digits. */
    readonly id: string
  }
  /** List of the set's payload keys. Store the list, because proofs are made from it. */
  readonly list: KeyList
}

/**
 * Signs one root over the sorted `sha256` payload keys of any number of payloads. The holder of the list can
 * then prove to readers of the message that a payload is in the set, or is not. Sealing takes about 70 bytes of memory
 * for each different payload key.
 *
 * @param items - payloads, payload keys, or records of `readRecords`: an array, or any iterable
 * @returns the message to publish, and the list to store
 * @throws TypeError for an item of another type, or if `at` is not a time
 * @throws AlvariumError `CONFIG_INVALID` for an invalid option, or a text that is not a payload key of sha256;
 * `KEY_INVALID`; `SIGNER_FAILED`; and as `loadAlgorithms`. Errors of the iterable are thrown unchanged
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
  const sorting = new EntrySorter()
  await hashItems(items, salt, (group) => sorting.add(group))
  const list = new KeyList(await sealedEntries(await sorting.sort(), salt))
  const set: SetStatement = { ...members, rows: sorting.rows, size: list.size, root: list.root }
  const message = writeSet({ ...set, signature: await sign(setIdentity(set)) })
  return { message, set: { ...set, id: setIdOf(set) }, list }
}

/**
 * Opens the signing key, and asserts that readers will accept the statement.
 *
 * @param name - name of the function, for errors
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
async function openSealing(options: SealSetOptions, name: string) {
  const settings = readOptions(sealSchema, options, name)
  const { host = platform.hostName(), at, salt, signerTimeoutMs } = settings
  assertSalt(salt)
  const holder = await keyHolderOf(settings.signingKey as SignerInput, signerTimeoutMs)
  const timestamp = timestampAt(receivedMs(at as Date | undefined, 'at') ?? Date.now())
  const members = { signer: holder.keyId, name: settings.name, host, timestamp }
  assertSignerMembers(members)
  return {
    members: { ...members, ...(salt && { salt: saltCommitment(salt) }) },
    salt: salt && new Uint8Array(salt),
    /** Returns the signature in hexadecimal. */
    sign: async (identity: Uint8Array) => toHex(await holder.sign(identity)),
  }
}

/** Formats a time as in bundles, with six fraction digits. */
function timestampAt(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

/**
 * Signs one root over the `sha256` payload keys of records, in the order of the records. Equal records count
 * separately. `check` compares data with the manifest, and finds records that were altered, removed, added or
 * moved.
 *
 * @param records - records of `readRecords`, payloads, or payload keys: an array, or any iterable
 * @param options - options of `sealSet`. Readers without the `salt` cannot guess short records from their
 * keys
 * @throws TypeError for an item of another type, or if `at` is not a time
 * @throws AlvariumError as {@link sealSet}. Errors of the iterable are thrown unchanged
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
  const entries = new Entries()
  await hashItems(records, salt, (group) => entries.addAll(group))
  const contents = await sealedEntries(entries, salt)
  const statement: ManifestStatement = { ...members, size: entries.length, root: contents.tree.root }
  const message = writeManifest({ ...statement, signature: await sign(manifestIdentity(statement)) })
  return new Manifest(message, verifiedManifest(statement, salt), contents)
}
