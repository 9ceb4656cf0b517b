import { expected } from '../../../foundation/base/errors.js'
import type { Algorithm } from '../../../foundation/model/algorithm.js'
import { signingAlgorithmOf, verifyingAlgorithmOf } from '../../../signing/keys/algorithm-of.js'
import { readKey } from '../../../signing/keys/file.js'
import type { Signer, WebCryptoKeyPair } from '../../../signing/keys/signer.js'
import { keyPairOf, type SigningKeyInput } from '../../../signing/keys/signing.js'
import { keyIdOf, type VerifyingKeyInput } from '../../../signing/keys/verifying.js'
import type { Config } from './schema.js'

/** Keys that replace the key files of a config. */
export interface ConfigKeys {
  /** Private key instead of `signature.private`. */
  readonly signingKey?: SigningKeyInput | WebCryptoKeyPair | Signer | undefined
  /** Public key instead of `signature.public`. */
  readonly verifyingKey?: VerifyingKeyInput | undefined
  /**
   * Public Ed25519 keys that verify HTTP requests for `pki-http`, by their names in requests, in addition to
   * the config's key. The other SDKs read such keys from the folder of `signature.public`.
   */
  readonly requests?: Readonly<Record<string, VerifyingKeyInput>> | undefined
}

/** Public key of a config. Its file may be missing if nothing is verified, as in the other SDKs. */
interface PublicHalf {
  readonly verifyingKey: VerifyingKeyInput | undefined
  readonly unread?: unknown
}

interface OpenedKeys extends PublicHalf {
  readonly signingKey: SigningKeyInput | WebCryptoKeyPair | Signer
  readonly keyNames: readonly string[]
}

type KeyFileEntry = NonNullable<Config['signature']['private']>
type ReadKeyFile = (key: KeyFileEntry) => Promise<Uint8Array>

/**
 * Reads the key files of a config. Keys in `given` replace key files.
 *
 * @param folder - folder for relative paths. Default: the working directory
 * @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` if a key has another type than the config states
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
  // The schema requires `private` or `privateKey`, unless `given` has the private key.
  const privateEntry = (signature.private ?? signature.privateKey) as KeyFileEntry
  const signingKey = given.signingKey ?? (await privateKey(privateEntry, half, read))
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

function assertType(path: string, { type }: KeyFileEntry, algorithm: Algorithm): void {
  const known = algorithm === 'Ed25519' ? 'ed25519' : algorithm
  if (known === type) return
  throw expected('CONFIG_INVALID', `${path}.type`, `${known}, the algorithm in the key file`, `${type}`)
}

/** Returns the names of a key file in HTTP requests: its file name, and, as in the Python SDK, its path. */
function namesOf(path: string): string[] {
  return [...new Set([path.split(/[/\\]/).at(-1) as string, path])]
}

function isAbsolute(path: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path)
}

/**
 * Returns a 32-byte seed as a full private key. The Rust SDK stores only the seed, which looks like a public
 * key, so a key counts as a seed if the config's public key belongs to it. Returns any other key unchanged;
 * opening that key reports the fault.
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

/** Returns whether a key has 32 bytes, or 64 hexadecimal digits with optional white space at the end. */
function isShort(key: Uint8Array): boolean {
  return (
    key.length === 32 || /^[0-9a-fA-F]{64}\s*$/.test(new TextDecoder('latin1').decode(key.subarray(0, 70)))
  )
}
