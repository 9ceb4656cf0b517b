import { AlvariumError } from '../base/errors.js'
import { readKey } from '../keys/file.js'
import { algorithmOf } from '../keys/other-signing.js'
import { keyPairOf, type SigningKeyInput } from '../keys/signing.js'
import { keyIdOf, type VerifyingKeyInput } from '../keys/verifying.js'
import type { Signer, WebCryptoKeyPair } from '../seal/signer.js'
import type { Config } from './schema.js'

/** Keys that are used instead of a config's files: where there are no files, or other forms of keys. */
export interface ConfigKeys {
  /** Instead of `signature.private`. */
  readonly signingKey?: SigningKeyInput | WebCryptoKeyPair | Signer | undefined
  /** Instead of `signature.public`. */
  readonly verifyingKey?: VerifyingKeyInput | undefined
}

/** The keys of a config. */
interface OpenKeys {
  readonly signingKey: SigningKeyInput | WebCryptoKeyPair | Signer
  readonly verifyingKey: VerifyingKeyInput | undefined
  /** How requests may call the public one. */
  readonly keyNames: readonly string[]
}

/**
 * Reads the key files of a config, unless others are given.
 *
 * @param folder - where relative paths begin; without it, where the process does
 * @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` when there is no private key
 */
export async function keysOf(
  signature: Config['signature'],
  given: ConfigKeys,
  folder: string | undefined,
): Promise<OpenKeys> {
  const files = {
    private: signature.private ?? signature.privateKey,
    public: signature.public ?? signature.publicKey,
  }
  const at = (path: string) => (folder === undefined || isAbsolute(path) ? path : `${folder}/${path}`)
  const verifyingKey = given.verifyingKey ?? (files.public && (await readKey(at(files.public.path))))
  const keyNames = namesOf(files.public?.path ?? 'public.key')
  if (given.signingKey !== undefined) return { signingKey: given.signingKey, verifyingKey, keyNames }
  if (!files.private) {
    const text = 'signature.private: expected the type and path of a key, or keys.signingKey, got neither'
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  const signingKey = withSeedKnown(await readKey(at(files.private.path)), verifyingKey)
  await assertOf(files.private.type, signingKey)
  return { signingKey, verifyingKey, keyNames }
}

/** A key says itself how it signs; that a config says another thing is a mistake in one of the two. */
async function assertOf(type: string, signingKey: Uint8Array): Promise<void> {
  const algorithm = await algorithmOf(signingKey)
  const expected = algorithm === 'Ed25519' ? 'ed25519' : algorithm
  if (expected === type) return
  signingKey.fill(0)
  const text = `signature.private.type: expected ${expected}, as the key in that file is, got ${type}`
  throw new AlvariumError('CONFIG_INVALID', text)
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
function withSeedKnown(privateKey: Uint8Array, publicKey: VerifyingKeyInput | undefined): Uint8Array {
  if (publicKey === undefined || !isShort(privateKey)) return privateKey
  const pair = keyPairOf({ seed: privateKey })
  if (pair.keyId === keyIdOf(publicKey)) {
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
