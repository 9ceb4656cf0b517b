import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readTrust, type Trust } from 'alvarium-sdk/trust'
import { Keyring, readKey } from 'alvarium-sdk/verify'
import { AlvariumError, conflicts, expected, needs } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { isLease } from '../../verifying/consume/control-messages.js'
import { asUnreadable, inFile, invalid, inWords, onlyWith, pathText } from '../fault.js'
import { isFolder } from '../input/files.js'
import { timeIn } from '../input/time.js'
import { messagesOf } from '../messages/read.js'
import type { Input, Session } from '../session.js'
import type { Output } from '../terminal/output.js'
import { noteSkipped } from '../trust/notes.js'

/** Maximum length of a key file in bytes. Longer files in a folder of keys are skipped. */
const MAX_KEY_BYTES = 65_536

/** Limit of `verifyMessages` on the number of leases. */
const MAX_LEASES_PER_FILE = 1024
/** Maximum number of `--leases` that a subscription uses. If the files contain more, it uses the last ones. */
const MAX_LEASES = 10_000

export interface TrustOptions {
  readonly key?: readonly string[]
  readonly trust?: string
}

/** Opens the trust policy of `--trust`, or the keys of `--key`. */
async function openTrusted({ key, trust }: TrustOptions, err: Output): Promise<Keyring | Trust> {
  if (trust === undefined) return trustedKeys(key)
  if (key !== undefined) throw conflicts('--trust', '--key')
  return openTrust(trust, err)
}

export function trustText({ key = [], trust }: TrustOptions): string {
  if (trust !== undefined) return `the policy ${pathText(trust)}`
  const [first = '', ...others] = key
  return others.length === 0 ? pathText(first) : `${pathText(first)} and ${others.length} more`
}

export interface LeasedOptions extends TrustOptions {
  readonly leases?: readonly string[]
}

export interface TrustedBy {
  readonly keyring: Keyring | Trust
  readonly leases?: readonly Uint8Array[] | undefined
}

/** Opens the keys or the trust policy, and reads the leases. */
export async function trustedBy(
  options: LeasedOptions,
  { input, err }: Pick<Session, 'input' | 'err'>,
): Promise<TrustedBy> {
  return { keyring: await openTrusted(options, err), leases: await leasesOf(options, input) }
}

/**
 * Reads the last {@link MAX_LEASES} leases of `--leases`. Returns an empty list for a policy without
 * `--leases`, because leases may arrive later; undefined would make a subscription reject, acknowledge and
 * lose leased messages.
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

export function assertPolicy({ trust }: TrustOptions, option: string): void {
  if (trust === undefined) throw onlyWith(option, '--trust, which says who may give leases')
}

export interface StoredOptions extends TrustOptions {
  readonly receivedAt?: string
  readonly url?: string
}

export interface TrustedAt {
  readonly keyring: Keyring | Trust
  /** Time of receipt, in milliseconds since 1970. */
  readonly receivedAt: number | undefined
}

/** Opens the keys or the trust policy, and parses `--received-at`, for commands that verify. */
export async function trustedAt(options: StoredOptions, err: Output): Promise<TrustedAt> {
  if (options.receivedAt !== undefined && options.trust === undefined) {
    throw onlyWith('--received-at', '--trust, whose times it is compared with')
  }
  return trustWithOptionalTime(options, err)
}

/**
 * Opens the keys or the trust policy, and parses `--received-at`, for commands that store the time of
 * receipt. Unlike {@link trustedAt}, accepts `--received-at` without a trust policy.
 */
export async function trustWithOptionalTime(options: StoredOptions, err: Output): Promise<TrustedAt> {
  const receivedAt = timeIn('--received-at', options.receivedAt)?.ms
  if (receivedAt !== undefined && options.url !== undefined) {
    throw conflicts('--received-at', '--url, whose messages are received now')
  }
  return { keyring: await openTrusted(options, err), receivedAt }
}

/** Reads the leases in files. Skips other messages. */
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
 * Opens a trust policy, and prints a note about keys in it that cannot be used.
 *
 * @param logger - if given, the policy is reloaded when its file changes, and the logger receives each reload
 */
export async function openTrust(path: string, err: Output, logger?: Logger): Promise<Trust> {
  if (/^\s*[{[]|[\r\n]/.test(path))
    throw invalid('--trust', 'the path of a file', 'what may be the policy itself')
  try {
    const trust = await readTrust(path, { watch: logger !== undefined, logger })
    await noteSkipped(path, trust.skippedKeys, err)
    return trust
  } catch (error) {
    throw inFile('--trust', path, asUnreadable(error))
  }
}

/** Reads the public keys of `--key`: each file, and every public key file in each folder. */
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

function ofKey(path: string, error: unknown): unknown {
  if (!(error instanceof AlvariumError)) return error
  return new AlvariumError(error.code, `${`--key ${pathText(path)}`.trimEnd()}: ${inWords(error.message)}`, {
    cause: error,
  })
}

/** Adds the public keys in a folder. Skips other files, such as private keys and certificates. */
async function addFolder(keyring: Keyring, folder: string): Promise<void> {
  const before = keyring.keyIds.length
  for (const path of await keyFilesIn(folder)) await addFile(keyring, path).catch(unlessNoKey)
  if (keyring.keyIds.length > before) return
  throw invalid(
    '--key',
    'a folder with public keys',
    `${folder}, which has none, or only keys that were given before`,
  )
}

/** Lists the regular files up to 64 KiB in a folder. Skips FIFOs, because opening one would wait for a writer. */
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
