import * as v from 'valibot'
import { toHex } from '../base/bytes/hex.js'
import { Grouping, join } from '../base/bytes/join.js'
import { describe, isBytes } from '../base/errors.js'
import { integer, LONGEST_TIMEOUT, readOptions, strict } from '../base/options/schema.js'
import { callTurns } from '../base/time/turns.js'
import { digestInputs, keptInput } from '../core/hashing.js'
import { keyHolderOf } from '../keys/key-holder.js'
import type { SignerInput } from '../keys/signer.js'
import { receivedMs } from '../keys/trust-policy.js'
import { platform } from '../platform/platform.js'
import { keyBytesOf, payloadOrKey, type SetItem, salted } from './entry.js'
import { type KeyList, listOver } from './key-list.js'
import {
  assertSalt,
  assertStatement,
  type SetStatement,
  saltCommitment,
  setIdentity,
  setIdOf,
  writeSet,
} from './set-message.js'
import { Sorting } from './sorting.js'

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
  const {
    signingKey,
    name,
    host = platform.hostName(),
    at,
    salt,
    signerTimeoutMs,
  } = readOptions(sealSchema, options, 'sealSet')
  assertSalt(salt)
  const holder = await keyHolderOf(signingKey as SignerInput, signerTimeoutMs)
  const timestamp = timestampAt(receivedMs(at as Date | undefined, 'at') ?? Date.now())
  const around = { signer: holder.keyId, name, host, timestamp, ...(salt && { salt: saltCommitment(salt) }) }
  // What cannot be signed is said before all payloads are read.
  assertStatement({ ...around, rows: 0, size: 0, root: '0'.repeat(64) })
  const { rows, list } = await listOf(items, salt)
  const set: SetStatement = { ...around, rows, size: list.size, root: list.root }
  const signature = toHex(await holder.sign(() => setIdentity(set)))
  return { message: writeSet({ ...set, signature }), set: { ...set, id: setIdOf(set) }, list }
}

/** With six digits of fraction, as bundles have them. */
function timestampAt(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

/** Payloads that are hashed together, and keys that are taken together. */
const TOGETHER = { count: 256, bytes: 1_048_576 }

async function listOf(items: Iterable<SetItem> | AsyncIterable<SetItem>, given: Uint8Array | undefined) {
  // Nobody may change it meanwhile.
  const salt = given && new Uint8Array(given)
  const collecting = new Collecting(salt)
  if (typeof items !== 'object' || items === null) {
    throw new TypeError(`items: expected an iterable of payloads, got ${describe(items)}`)
  }
  if (Symbol.asyncIterator in items) {
    for await (const item of items) if (collecting.add(item)) await callTurns.takeLong()
  } else {
    // To wait for each item of an array would take a third of the time.
    for (const item of items) if (collecting.add(item)) await callTurns.takeLong()
  }
  const sorting = collecting.end()
  return { rows: sorting.rows, list: await listOver(await sorting.sorted(), salt) }
}

/** Items on their way to be sorted, in groups. */
class Collecting {
  readonly #salt: Uint8Array | undefined
  readonly #sorting = new Sorting()
  readonly #payloads = new Grouping(TOGETHER)
  readonly #keys = new Grouping(TOGETHER)

  constructor(salt: Uint8Array | undefined) {
    this.#salt = salt
  }

  /** Whether work was done with it: others may want a turn. */
  add(item: SetItem): boolean {
    const given = payloadOrKey(item)
    // Whoever reads a file may use the memory of a record for the next one.
    const { bytes, isDigest } = isBytes(given) ? keptInput(given, 'sha256', 'auto') : digestIn(given)
    const group = (isDigest ? this.#keys : this.#payloads).add(bytes)
    if (group) this.#take(isDigest ? group : digestsOf(group))
    return group !== undefined
  }

  /** No more items come. */
  end(): Sorting {
    this.#take(digestsOf(this.#payloads.take()))
    this.#take(this.#keys.take())
    return this.#sorting
  }

  #take(keys: readonly Uint8Array[]): void {
    if (keys.length > 0) this.#sorting.add(salted(join(keys).bytes, this.#salt))
  }
}

function digestIn(key: string) {
  return { bytes: keyBytesOf(key), isDigest: true }
}

function digestsOf(payloads: readonly Uint8Array[]): Uint8Array[] {
  return digestInputs(payloads, 'sha256', 'auto').map(({ bytes }) => bytes)
}
