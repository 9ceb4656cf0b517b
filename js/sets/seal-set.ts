import * as v from 'valibot'
import { toHex } from '../base/bytes/hex.js'
import { isBytes } from '../base/errors.js'
import { integer, LONGEST_TIMEOUT, readOptions, strict } from '../base/options/schema.js'
import { keyHolderOf } from '../keys/key-holder.js'
import type { SignerInput } from '../keys/signer.js'
import { receivedMs } from '../keys/trust-policy.js'
import { platform } from '../platform/platform.js'
import { collect } from './collecting.js'
import type { SetItem } from './entry.js'
import { type KeyList, listOver } from './key-list.js'
import { assertSet, type SetStatement, setIdentity, setIdOf, writeSet } from './set-message.js'
import { Sorting } from './sorting.js'
import { assertSalt, type Statement, saltCommitment } from './statement.js'

/** Who signs a set, and what it says beside its keys. */
export interface SealSetOptions {
  /** A private key in any usual form, a WebCrypto key pair, or your own `Signer`. Not `leased()`: a set outlives any lease. */
  readonly signingKey: SignerInput
  /** What you call the set, 0 to 255 bytes: a trust policy can say which names a signer may use. Default: none. */
  readonly name?: string | undefined
  /** The machine's name, 0 to 255 bytes. Default: as the system has it; in a page, the page's host. */
  readonly host?: string | undefined
  /** When it is sealed. Default: now. */
  readonly at?: Date | number | undefined
  /**
   * 32 random bytes. A proof shows keys of other payloads, from which short payloads can be guessed: only by those who have the salt.
   * They need it to verify proofs. Default: none.
   */
  readonly salt?: Uint8Array | undefined
  /** Most milliseconds that the signature may take. Default `10_000`. */
  readonly signerTimeoutMs?: number | undefined
}

/** The page of limits shows it. */
export const sealSchema = strict({
  signingKey: v.unknown(),
  name: v.optional(v.string('a string'), ''),
  host: v.optional(v.string('a string')),
  at: v.optional(v.unknown()),
  salt: v.optional(v.custom<Uint8Array>(isBytes, 'a Uint8Array')),
  signerTimeoutMs: integer(1, LONGEST_TIMEOUT, 10_000),
})

/** A set that was signed. */
export interface SealedSet {
  /** To be published: its size and root under one signature, a message of its own of less than 1 kB. */
  readonly message: Uint8Array
  /** What it says. */
  readonly set: SetStatement & {
    /** Names exactly what it says, and by whom: 64 lower-case hexadecimal digits. */
    readonly id: string
  }
  /** To be kept: what proofs are made of. */
  readonly list: KeyList
}

/**
 * Signs one root over the sorted keys of any number of payloads. Whoever has the message, and a proof from whoever has the list,
 * knows whether a payload was in the set. Keys are those of hash `sha256`. It takes about 70 bytes of memory for each
 * different payload key.
 *
 * @param items - payloads, payload keys, or records of a file as `readRecords` has them: an array, or any iterable
 * @returns the message to publish, and the list to keep
 * @throws TypeError for an item that is nothing of that kind
 * @throws AlvariumError `CONFIG_INVALID` for an option that cannot work, or a text that is no payload key of sha256; `KEY_INVALID`;
 * `SIGNER_FAILED`; and as `loadAlgorithms`. What the iterable throws comes out as it is
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
  const { around, salt, sign } = await sealing(options, 'sealSet')
  // Reports what cannot be signed before all payloads are read.
  assertSet({ ...around, ...NOTHING, rows: 0 })
  const sorting = new Sorting()
  await collect(items, salt, sorting)
  const list = await listOver(await sorting.sorted(), salt)
  const set: SetStatement = { ...around, rows: sorting.rows, size: list.size, root: list.root }
  const message = writeSet({ ...set, signature: await sign(setIdentity(set)) })
  return { message, set: { ...set, id: setIdOf(set) }, list }
}

/** Stand-in for the tree before there is one. */
export const NOTHING = { size: 0, root: '0'.repeat(64) }

/** Signer of a statement, and the members that are known before its tree. */
interface Sealing {
  readonly around: Omit<Statement, 'size' | 'root'>
  readonly salt: Uint8Array | undefined
  /** Returns the signature as hexadecimal digits. */
  sign(identity: Uint8Array): Promise<string>
}

/**
 * Reads the options of `sealSet` and `sealManifest`.
 *
 * @param name - of the function, for errors
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export async function sealing(options: SealSetOptions, name: string): Promise<Sealing> {
  const asked = readOptions(sealSchema, options, name)
  const { host = platform.hostName(), at, salt, signerTimeoutMs } = asked
  assertSalt(salt)
  const holder = await keyHolderOf(asked.signingKey as SignerInput, signerTimeoutMs)
  const timestamp = timestampAt(receivedMs(at as Date | undefined, 'at') ?? Date.now())
  const commitment = salt && { salt: saltCommitment(salt) }
  return {
    around: { signer: holder.keyId, name: asked.name, host, timestamp, ...commitment },
    salt: salt && new Uint8Array(salt),
    sign: async (identity) => toHex(await holder.sign(identity)),
  }
}

/** With six digits of fraction, as bundles have them. */
function timestampAt(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
