import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readTrust, type Trust } from 'alvarium-sdk/trust'
import { Keyring, readKey } from 'alvarium-sdk/verify'
import { instantOf } from '../../evidence/trust/policy/instant.js'
import { AlvariumError, conflicts, expected, needs } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { isLease } from '../../verifying/consume/control-messages.js'
import { asUnreadable, inFile, invalid, inWords, onlyWith, pathText } from '../fault.js'
import { isFolder } from '../input/files.js'
import { messagesOf } from '../messages/read.js'
import type { Input, Session } from '../session.js'
import type { Output } from '../terminal/output.js'
import { noteSkipped } from '../trust/notes.js'

/** Maximum length of a key file: a folder of keys may also have other files. */
const MAX_KEY_BYTES = 65_536

/** Limit of `verifyMessages`. */
const MAX_LEASES_PER_FILE = 1024
/** Limit of a subscription. An archive of years has more leases, and the newest ones are needed. */
const MAX_LEASES = 10_000

/** Options that say which signers to trust. */
export interface TrustOptions {
  readonly key?: readonly string[]
  readonly trust?: string
}

/**
 * Opens the policy of `--trust`, or the keys of `--key`.
 *
 * @throws AlvariumError `CONFIG_INVALID` when there is neither, or both; `KEY_INVALID`
 */
async function openTrusted({ key, trust }: TrustOptions, err: Output): Promise<Keyring | Trust> {
  if (trust === undefined) return trustedKeys(key)
  if (key !== undefined) throw conflicts('--trust', '--key')
  return openTrust(trust, err)
}

/** Names the policy or the keys that the reader trusts, for people. */
export function trustText({ key = [], trust }: TrustOptions): string {
  if (trust !== undefined) return `the policy ${pathText(trust)}`
  const [first = '', ...others] = key
  return others.length === 0 ? pathText(first) : `${pathText(first)} and ${others.length} more`
}

/** Options that say which signers to trust, and by which leases their subjects may sign. */
export interface LeasedOptions extends TrustOptions {
  readonly leases?: readonly string[]
}

/** Trusted keys or policy, and leases. */
export interface TrustedBy {
  readonly keyring: Keyring | Trust
  readonly leases?: readonly Uint8Array[] | undefined
}

/**
 * Opens the keys or the policy, and the leases.
 *
 * @throws AlvariumError `CONFIG_INVALID`, also for leases without a policy; `KEY_INVALID`
 */
export async function trustedBy(
  options: LeasedOptions,
  { input, err }: Pick<Session, 'input' | 'err'>,
): Promise<TrustedBy> {
  return { keyring: await openTrusted(options, err), leases: await leasesOf(options, input) }
}

/**
 * Reads the leases of `--leases`: the last ones, if there are more than a subscription keeps. With only a
 * policy, returns an empty list, because its signers may lease to keys whose leases arrive later. Without a
 * list, messages signed by those keys would be rejected, acknowledged and lost.
 *
 * @throws AlvariumError `CONFIG_INVALID` without a policy; for a file that cannot be read
 */
export async function leasesOf(options: LeasedOptions, input: Input): Promise<Uint8Array[] | undefined> {
  if (options.leases === undefined) return options.trust === undefined ? undefined : []
  assertPolicy(options, '--leases')
  const last: Uint8Array[] = []
  for await (const lease of leasesAmong(options.leases, input)) {
    last.push(lease)
    if (last.length > 2 * MAX_LEASES) last.splice(0, MAX_LEASES)
  }
  return last.slice(-MAX_LEASES)
}

/**
 * Refuses an option that needs a policy.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function assertPolicy({ trust }: TrustOptions, option: string): void {
  if (trust === undefined) throw onlyWith(option, '--trust, which says who may give leases')
}

/** Options that say which signers to trust, for messages from files, whose time of receipt may be unknown. */
export interface StoredOptions extends TrustOptions {
  readonly receivedAt?: string
  readonly url?: string
}

/** Trusted keys or policy, and the time of receipt. */
export interface TrustedAt {
  readonly keyring: Keyring | Trust
  /** Time of receipt, in milliseconds since 1970. */
  readonly receivedAt: number | undefined
}

/**
 * Opens the keys or the policy, with the time of `--received-at`, for commands that verify.
 *
 * @throws AlvariumError `CONFIG_INVALID`, also for a time that has no effect; `KEY_INVALID`
 */
export async function trustedAt(options: StoredOptions, err: Output): Promise<TrustedAt> {
  if (options.receivedAt !== undefined && options.trust === undefined) {
    throw onlyWith('--received-at', '--trust, whose times it is compared with')
  }
  return keptAt(options, err)
}

/**
 * Opens the keys or the policy, with the time of `--received-at`, for commands that store the time of
 * receipt. It does not need a policy.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export async function keptAt(options: StoredOptions, err: Output): Promise<TrustedAt> {
  const receivedAt = receivedAtOf(options.receivedAt)
  if (receivedAt !== undefined && options.url !== undefined) {
    throw conflicts('--received-at', '--url: these messages are received now')
  }
  return { keyring: await openTrusted(options, err), receivedAt }
}

/**
 * Reads the leases of files, which may have other messages too.
 *
 * @throws AlvariumError for a file that cannot be read, and a line that is no message; `CONFIG_INVALID` for
 * more than 1,024
 */
export async function leasesIn(paths: readonly string[], input: Input): Promise<Uint8Array[]> {
  const leases: Uint8Array[] = []
  for await (const lease of leasesAmong(paths, input)) {
    if (leases.push(lease) > MAX_LEASES_PER_FILE)
      throw invalid('--leases', `at most ${MAX_LEASES_PER_FILE} leases`, 'more')
  }
  return leases
}

async function* leasesAmong(paths: readonly string[], input: Input): AsyncGenerator<Uint8Array, void> {
  for await (const found of messagesOf(paths, input)) {
    for (const { message } of found) {
      if (message instanceof AlvariumError) {
        throw new AlvariumError(message.code, `--leases: ${message.message}`, { cause: message })
      }
      if (isLease(message)) yield message
    }
  }
}

/**
 * Opens a trust policy, and warns of its keys that cannot be used.
 *
 * @param logger - receives updates; with a logger, the policy follows its file
 * @throws AlvariumError `CONFIG_INVALID`, `FILE_UNREADABLE`
 */
export async function openTrust(path: string, err: Output, logger?: Logger): Promise<Trust> {
  if (/^\s*[{[]|[\r\n]/.test(path)) throw invalid('--trust', 'the path of a file', 'a text')
  try {
    const trust = await readTrust(path, { watch: logger !== undefined, logger })
    await noteSkipped(path, trust.skippedKeys, err)
    return trust
  } catch (error) {
    throw inFile('--trust', path, asUnreadable(error))
  }
}

/**
 * Reads the keys of `--key`: files, and folders, of which every file with a public key is read.
 *
 * @throws AlvariumError `CONFIG_INVALID` when there is none, `KEY_INVALID` when a named file has none
 */
export async function trustedKeys(paths: readonly string[] = []): Promise<Keyring> {
  if (paths.length === 0) {
    throw needs('--key', 'the file of a public key (alvarium inspect shows messages without a public key)')
  }
  const keyring = new Keyring()
  for (const path of paths) {
    if (await isFolder(path)) await addFolder(keyring, path)
    else await addFile(keyring, path)
  }
  return keyring
}

async function addFile(keyring: Keyring, path: string): Promise<void> {
  const key = await readKey(path).catch((error) => {
    throw ofKey(path, error)
  })
  try {
    keyring.add(key)
  } catch (error) {
    throw ofKey(path, error)
  }
}

/** Adds the path of a key to its error. */
function ofKey(path: string, error: unknown): unknown {
  if (!(error instanceof AlvariumError)) return error
  return new AlvariumError(error.code, `${`--key ${pathText(path)}`.trimEnd()}: ${inWords(error.message)}`, {
    cause: error,
  })
}

/** Adds the public keys of a folder, which may also have private keys, notes and certificates. */
async function addFolder(keyring: Keyring, folder: string): Promise<void> {
  const before = keyring.keyIds.length
  for (const path of await keyFilesIn(folder)) await addFile(keyring, path).catch(unlessNoKey)
  if (keyring.keyIds.length > before) return
  throw invalid('--key', 'a folder with public keys', `${folder}, which has no new public key`)
}

/**
 * Lists the regular files of a folder that may be keys. Opening a FIFO would wait for a program that writes
 * to it.
 */
export async function keyFilesIn(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name)
    const info = await stat(path).catch(() => undefined)
    if (info?.isFile() && info.size <= MAX_KEY_BYTES) paths.push(path)
  }
  return paths
}

function unlessNoKey(error: unknown): void {
  if (!(error instanceof AlvariumError && error.code === 'KEY_INVALID')) {
    throw expected('KEY_INVALID', '--key', 'a folder that can be read', undefined, error)
  }
}

/**
 * Parses `--received-at` into milliseconds since 1970.
 *
 * @throws AlvariumError `CONFIG_INVALID` for a text that is no time of RFC 3339: a time without an offset
 * depends on the machine
 */
export function receivedAtOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const instant = instantOf(text)
  if (instant) return instant.ms
  throw invalid('--received-at', 'a time such as 2026-11-20T10:00:00Z', pathText(text))
}
