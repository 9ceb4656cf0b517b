import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readTrust, type Trust } from 'alvarium-sdk/trust'
import { Keyring, readKey } from 'alvarium-sdk/verify'
import { AlvariumError, expected } from '../../base/errors.js'
import type { Logger } from '../../base/logger.js'
import { isLease } from '../../consume/beside.js'
import { instantOf } from '../../trust/instant.js'
import { asUnreadable, inFile, invalid, inWords, named, notWith, onlyWith } from '../fault.js'
import { isFolder } from '../input/files.js'
import { messagesOf } from '../messages/read.js'
import type { Input, Session } from '../session.js'
import type { Output } from '../terminal/output.js'
import { noteSkipped } from '../trust/skipped.js'

/** Longest key file: a folder of keys may hold anything. */
const LONGEST_KEY = 65_536

/** As `verifyMessages` takes. */
const MOST_LEASES = 1024
/** As a subscription keeps: an archive of years has more, and those that came last are those that are needed. */
const MOST_KEPT = 10_000

/** Whom to trust, as it was asked for. */
export interface TrustOptions {
  readonly key?: readonly string[]
  readonly trust?: string
}

/**
 * The policy that `--trust` names, or the keys of `--key`.
 *
 * @throws AlvariumError `CONFIG_INVALID` when there is neither, or both; `KEY_INVALID`
 */
async function openTrusted({ key, trust }: TrustOptions, err: Output): Promise<Keyring | Trust> {
  if (trust === undefined) return trustedKeys(key)
  if (key !== undefined) throw notWith('--trust', '--key')
  return openTrust(trust, err)
}

/** Names whom the reader trusts, for people. */
export function trustText({ key = [], trust }: TrustOptions): string {
  if (trust !== undefined) return `the policy ${named(trust)}`
  const [first = '', ...others] = key
  return others.length === 0 ? named(first) : `${named(first)} and ${others.length} more`
}

/** The same, with leases by which others may sign. */
export interface LeasedOptions extends TrustOptions {
  readonly leases?: readonly string[]
}

/** Whom to trust, and by which leases too. */
export interface TrustedBy {
  readonly keyring: Keyring | Trust
  readonly leases?: readonly Uint8Array[] | undefined
}

/** @throws AlvariumError `CONFIG_INVALID`, also for leases without a policy; `KEY_INVALID` */
export async function trustedBy(
  options: LeasedOptions,
  { input, err }: Pick<Session, 'input' | 'err'>,
): Promise<TrustedBy> {
  return { keyring: await openTrusted(options, err), leases: await leasesOf(options, input) }
}

/**
 * The leases that `--leases` names: of more than a subscription keeps, the last ones. With a policy alone none yet, as those that it is
 * about may sign by leases that still come: what it cannot name would be rejected, acknowledged and gone.
 *
 * @throws AlvariumError `CONFIG_INVALID` without a policy; for a file that cannot be read
 */
export async function leasesOf(options: LeasedOptions, input: Input): Promise<Uint8Array[] | undefined> {
  if (options.leases === undefined) return options.trust === undefined ? undefined : []
  assertPolicy(options, '--leases')
  const last: Uint8Array[] = []
  for await (const lease of leasesAmong(options.leases, input)) {
    last.push(lease)
    if (last.length > 2 * MOST_KEPT) last.splice(0, MOST_KEPT)
  }
  return last.slice(-MOST_KEPT)
}

/** @throws AlvariumError `CONFIG_INVALID` for what counts by a policy alone */
export function assertPolicy({ trust }: TrustOptions, option: string): void {
  if (trust === undefined) throw onlyWith(option, '--trust, which says who may give leases')
}

/** The same for messages that may lie in files, where nobody knows any more when they were received. */
export interface StoredOptions extends TrustOptions {
  readonly receivedAt?: string
  readonly url?: string
}

/** Whom to trust, and when messages were received. */
export interface TrustedAt {
  readonly keyring: Keyring | Trust
  /** In milliseconds since 1970. */
  readonly receivedAt: number | undefined
}

/**
 * Whom to trust, and when the messages were received, where `--received-at` says so: for what verifies.
 *
 * @throws AlvariumError `CONFIG_INVALID` also where that has no effect; `KEY_INVALID`
 */
export async function trustedAt(options: StoredOptions, err: Output): Promise<TrustedAt> {
  if (options.receivedAt !== undefined && options.trust === undefined) {
    throw onlyWith('--received-at', '--trust, whose times it is compared with')
  }
  return keptAt(options, err)
}

/**
 * The same for what keeps when messages were received, whoever is trusted.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `KEY_INVALID`
 */
export async function keptAt(options: StoredOptions, err: Output): Promise<TrustedAt> {
  const receivedAt = receivedAtOf(options.receivedAt)
  if (receivedAt !== undefined && options.url !== undefined) {
    throw notWith('--received-at', '--url: these messages are received now')
  }
  return { keyring: await openTrusted(options, err), receivedAt }
}

/**
 * The leases of files, which may have others among them.
 *
 * @throws AlvariumError for a file that cannot be read, and a line that is no message; `CONFIG_INVALID` for more than 1,024
 */
export async function leasesIn(paths: readonly string[], input: Input): Promise<Uint8Array[]> {
  const leases: Uint8Array[] = []
  for await (const lease of leasesAmong(paths, input)) {
    if (leases.push(lease) > MOST_LEASES) throw invalid('--leases', `at most ${MOST_LEASES}`, 'more')
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
 * @param logger - hears of updates, if the policy follows its file
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
 * The keys that `--key` names: files, and folders in which every file that is a public key counts.
 *
 * @throws AlvariumError `CONFIG_INVALID` when there is none, `KEY_INVALID` when a file that was named is none
 */
export async function trustedKeys(paths: readonly string[] = []): Promise<Keyring> {
  if (paths.length === 0) {
    throw invalid(
      '--key',
      'the file of a public key',
      'none (alvarium inspect shows messages without a public key)',
    )
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

/** Of which of the keys it is. */
function ofKey(path: string, error: unknown): unknown {
  if (!(error instanceof AlvariumError)) return error
  return new AlvariumError(error.code, `${`--key ${named(path)}`.trimEnd()}: ${inWords(error.message)}`, {
    cause: error,
  })
}

/** Adds the public keys of a folder, which may have private keys, notes and certificates, too. */
async function addFolder(keyring: Keyring, folder: string): Promise<void> {
  const before = keyring.keyIds.length
  for (const path of await keyFilesIn(folder)) await addFile(keyring, path).catch(unlessNoKey)
  if (keyring.keyIds.length > before) return
  throw invalid('--key', 'a folder with public keys', `${folder}, which has no new public key`)
}

/** Lists the files of a folder that may be keys: opening a FIFO would wait for a program that writes to it. */
export async function keyFilesIn(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name)
    const info = await stat(path).catch(() => undefined)
    if (info?.isFile() && info.size <= LONGEST_KEY) paths.push(path)
  }
  return paths
}

function unlessNoKey(error: unknown): void {
  if (!(error instanceof AlvariumError && error.code === 'KEY_INVALID')) {
    throw expected('KEY_INVALID', '--key', 'a folder that can be read', undefined, error)
  }
}

/**
 * What `--received-at` says, in milliseconds since 1970.
 *
 * @throws AlvariumError `CONFIG_INVALID` for what is no time of RFC 3339: one without an offset differs elsewhere
 */
export function receivedAtOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const instant = instantOf(text)
  if (instant) return instant.ms
  throw invalid('--received-at', 'a time such as 2026-11-20T10:00:00Z', named(text))
}
