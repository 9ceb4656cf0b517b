import { readFile } from '#platform'
import { type KeyringHandle, type SigningKey, type VerifyingKey, withCore } from './core/core.js'
import { AlvariumError, assertBytes, textOf } from './errors.js'
import { keyBytes } from './key-forms.js'

/**
 * A private Ed25519 key in any usual form:
 * - bytes: a seed (32), seed ‖ public key (64), PKCS#8 DER, or the contents of any key file
 * - text: hexadecimal of the first two (the other SDKs' `private.key`), or PKCS#8 in PEM
 * - a JSON Web Key of type OKP with `d` (RFC 8037)
 */
export type SigningKeyInput = Uint8Array | string | JsonWebKey

/**
 * A public Ed25519 key in any usual form: 32 bytes, their hexadecimal (the other SDKs' `public.key`),
 * SubjectPublicKeyInfo as DER or PEM, or a JSON Web Key.
 */
export type VerifyingKeyInput = Uint8Array | string | JsonWebKey

/** A fresh key pair. Wipe `signingKey` with `fill(0)` when it is stored or in use. */
export interface KeyPair {
  /** Seed and public key, 64 bytes; in hexadecimal, the `private.key` of the other SDKs. */
  readonly signingKey: Uint8Array
  /** The public key, 32 bytes; in hexadecimal, the `public.key` of the other SDKs. */
  readonly verifyingKey: Uint8Array
  /** Names the key in messages: 32 hexadecimal digits. */
  readonly keyId: string
}

/**
 * Makes a new Ed25519 key from the platform's cryptographic random numbers.
 *
 * @example
 * ```ts
 * const key = generateKey()
 * await writeFile('private.key', toHex(key.signingKey), { mode: 0o600 })
 * await writeFile('public.key', toHex(key.verifyingKey))
 * ```
 */
export function generateKey(): KeyPair {
  const signingKey = new Uint8Array(64)
  crypto.getRandomValues(signingKey.subarray(0, 32))
  return withSigningKey(signingKey.subarray(0, 32), (key) => {
    const { verifyingKey, keyId } = publicHalf(key)
    signingKey.set(verifyingKey, 32)
    return { signingKey, verifyingKey, keyId }
  })
}

/**
 * Reads a key file in Node, for use as `signingKey` or `verifyingKey`.
 *
 * @throws AlvariumError `KEY_INVALID` when the file cannot be read, or always in a browser
 */
export async function readKey(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (cause) {
    const text = `key file ${path}: expected to read it, got: ${textOf(cause)}`
    throw new AlvariumError('KEY_INVALID', text, { cause })
  }
}

/**
 * Signs bytes with pure Ed25519 (RFC 8032), for example the seed of a payload for the `pki` annotator.
 *
 * @returns 64 bytes
 * @throws AlvariumError `KEY_INVALID`
 */
export function signBytes(signingKey: SigningKeyInput, bytes: Uint8Array): Uint8Array {
  assertBytes(bytes, 'bytes')
  return withSigningKey(signingKey, (key) => withCore(() => key.sign(bytes)))
}

/**
 * Whether a signature of 64 bytes is the key's over these bytes, by the strict rules of `verify_strict` in
 * ed25519-dalek: small-order points and non-canonical encodings are refused.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function verifyBytes(
  verifyingKey: VerifyingKeyInput,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertBytes(bytes, 'bytes')
  assertBytes(signature, 'signature')
  return withVerifyingKey(verifyingKey, (key) => withCore(() => key.verifies(bytes, signature)))
}

/** The key id of a public key: the first 16 bytes of its SHA-256 as 32 hexadecimal digits. */
export function keyIdOf(verifyingKey: VerifyingKeyInput): string {
  return withVerifyingKey(verifyingKey, (key) => key.id())
}

/**
 * The public keys that a verifier trusts. Messages name their key, so a keyring can hold many signers, and
 * the old and new key of one that changes keys.
 *
 * @example
 * ```ts
 * const keyring = new Keyring([await readKey('edge-7.key'), await readKey('edge-8.key')])
 * const bundle = await verifyMessage(message, { keyring })
 * ```
 */
export class Keyring {
  readonly #keys = new Map<string, Uint8Array>()
  #handle: KeyringHandle | undefined

  /** @throws AlvariumError `KEY_INVALID` */
  constructor(keys: Iterable<VerifyingKeyInput> = []) {
    for (const key of keys) this.add(key)
  }

  /**
   * Trusts another key.
   *
   * @returns its key id
   * @throws AlvariumError `KEY_INVALID`
   */
  add(verifyingKey: VerifyingKeyInput): string {
    const { id, bytes } = withVerifyingKey(verifyingKey, (key) => ({ id: key.id(), bytes: key.toBytes() }))
    this.#keys.set(id, bytes)
    this.close()
    return id
  }

  /** Stops trusting a key. */
  delete(keyId: string): boolean {
    this.close()
    return this.#keys.delete(keyId)
  }

  /** The ids of all trusted keys. */
  get keyIds(): string[] {
    return [...this.#keys.keys()]
  }

  /** @internal The core's own keyring, with every key's point at hand; made again after a change. */
  use<T>(run: (handle: KeyringHandle) => T): T {
    try {
      return withCore(() => run(this.#open()))
    } catch (error) {
      // The handle belongs to a core that is gone: the next call makes a new one.
      if (error instanceof AlvariumError && error.code === 'CORE_FAILED') this.#handle = undefined
      throw error
    }
  }

  #open(): KeyringHandle {
    this.#handle ??= withCore((core) => {
      const handle = new core.Keyring()
      for (const bytes of this.#keys.values()) withVerifyingKey(bytes, (key) => handle.add(key))
      return handle
    })
    return this.#handle
  }

  /** Gives the core's memory back; a later use takes it again. The garbage collector does it otherwise. */
  close(): void {
    this.#handle?.free()
    this.#handle = undefined
  }
}

/** @internal The public half of a key that the core holds. */
export function publicHalf(key: SigningKey): { verifyingKey: Uint8Array; keyId: string } {
  const half = withCore(() => key.verifyingKey())
  try {
    return { verifyingKey: half.toBytes(), keyId: half.id() }
  } finally {
    half.free()
  }
}

/** @internal Hands a private key to the core, which wipes it when the handle is freed. */
export function openSigningKey(input: SigningKeyInput): SigningKey {
  const bytes = keyBytes(input, 'signingKey')
  try {
    return withCore((core) => core.SigningKey.read(bytes))
  } finally {
    if (bytes !== input) bytes.fill(0)
  }
}

function withSigningKey<T>(input: SigningKeyInput, use: (key: SigningKey) => T): T {
  const key = openSigningKey(input)
  try {
    return use(key)
  } finally {
    key.free()
  }
}

/** @internal */
export function withVerifyingKey<T>(input: VerifyingKeyInput, use: (key: VerifyingKey) => T): T {
  const bytes = keyBytes(input, 'verifyingKey')
  const key = withCore((core) => core.VerifyingKey.read(bytes))
  try {
    return use(key)
  } finally {
    key.free()
  }
}
