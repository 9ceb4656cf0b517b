import { expected } from '../../base/errors.js'
import { signingAlgorithmOf, verifyingAlgorithmOf } from '../../keys/algorithm-of.js'
import { readKey } from '../../keys/file.js'
import type { Signer, WebCryptoKeyPair } from '../../keys/signer.js'
import { keyPairOf, type SigningKeyInput } from '../../keys/signing.js'
import { keyIdOf, type VerifyingKeyInput } from '../../keys/verifying.js'
import type { Algorithm } from '../../model/algorithm.js'
import type { Config } from './schema.js'

/** Keys that are used instead of a config's files: where there are no files, or other forms of keys. */
export interface ConfigKeys {
  /** Instead of `signature.private`. */
  readonly signingKey?: SigningKeyInput | WebCryptoKeyPair | Signer | undefined
  /** Instead of `signature.public`. */
  readonly verifyingKey?: VerifyingKeyInput | undefined
  /**
   * Public Ed25519 keys of those who sign requests, by the names that requests have for them, beside that of the config: for
   * `pki-http`. The other SDKs look for such names in the folder of `signature.public`.
   */
  readonly requests?: Readonly<Record<string, VerifyingKeyInput>> | undefined
}

/** The public key. The other SDKs read its file only to verify, so it may be missing where nobody does. */
interface PublicHalf {
  readonly verifyingKey: VerifyingKeyInput | undefined
  /** Why its file cannot be read, for whoever needs it. */
  readonly unread?: unknown
}

/** The keys of a config. */
interface OpenedKeys extends PublicHalf {
  readonly signingKey: SigningKeyInput | WebCryptoKeyPair | Signer
  /** How requests may call the public one. */
  readonly keyNames: readonly string[]
}

/** What a config says of a key: its type, and the path of its file. */
type KeyFileEntry = NonNullable<Config['signature']['private']>
type ReadKeyFile = (key: KeyFileEntry) => Promise<Uint8Array>

/**
 * Reads the key files of a config, unless others are given.
 *
 * @param folder - where relative paths begin; without it, where the process does
 * @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` when a key is of another type than the config says
 */
export async function keysOf(
  signature: Config['signature'],
  given: ConfigKeys,
  folder: string | undefined,
): Promise<OpenedKeys> {
  const read: ReadKeyFile = ({ path }) =>
    readKey(folder === undefined || isAbsolute(path) ? path : `${folder}/${path}`)
  const named = signature.public ?? signature.publicKey
  const half = await publicHalf(named, given, read)
  // The schema has seen that there is one of them.
  const own = (signature.private ?? signature.privateKey) as KeyFileEntry
  const signingKey = given.signingKey ?? (await privateKey(own, half, read))
  return { signingKey, ...half, keyNames: namesOf(named?.path ?? 'public.key') }
}

async function publicHalf(
  named: KeyFileEntry | undefined,
  { verifyingKey }: ConfigKeys,
  read: ReadKeyFile,
): Promise<PublicHalf> {
  if (verifyingKey !== undefined || !named) return { verifyingKey }
  try {
    verifyingKey = await read(named)
  } catch (unread) {
    return { verifyingKey, unread }
  }
  assertType('signature.public', named, await verifyingAlgorithmOf(verifyingKey))
  return { verifyingKey }
}

async function privateKey(named: KeyFileEntry, half: PublicHalf, read: ReadKeyFile): Promise<Uint8Array> {
  let key = await read(named)
  try {
    key = withSeedKnown(key, half)
    assertType('signature.private', named, await signingAlgorithmOf(key))
    return key
  } catch (error) {
    key.fill(0)
    throw error
  }
}

/** A key says itself how it signs; that a config says another thing is a mistake in one of the two. */
function assertType(path: string, { type }: KeyFileEntry, algorithm: Algorithm): void {
  const known = algorithm === 'Ed25519' ? 'ed25519' : algorithm
  if (known === type) return
  throw expected('CONFIG_INVALID', `${path}.type`, `${known}, as in that key file`, `${type}`)
}

/** Its file's name, and as Python has it, the path. */
function namesOf(path: string): string[] {
  return [...new Set([path.split(/[/\\]/).at(-1) as string, path])]
}

function isAbsolute(path: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path)
}

/**
 * The Rust SDK's private key is its seed alone, which looks like a public key. The one beside it tells: it is a seed if that is
 * the public key that belongs to it. Of anything else, whoever opens it says what it is not.
 */
function withSeedKnown(privateKey: Uint8Array, { verifyingKey, unread }: PublicHalf): Uint8Array {
  if (!isShort(privateKey)) return privateKey
  if (unread !== undefined) throw unread
  if (verifyingKey === undefined) return privateKey
  const pair = keyPairOf({ seed: privateKey })
  if (pair.keyId === keyIdOf(verifyingKey)) {
    privateKey.fill(0)
    return pair.signingKey
  }
  pair.signingKey.fill(0)
  return privateKey
}

/** 32 bytes, or 64 hexadecimal digits with a line end at most. */
function isShort(key: Uint8Array): boolean {
  return (
    key.length === 32 || /^[0-9a-fA-F]{64}\s*$/.test(new TextDecoder('latin1').decode(key.subarray(0, 70)))
  )
}
