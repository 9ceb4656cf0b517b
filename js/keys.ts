import { readFile } from '#platform'
import {
  borrow,
  type Core,
  type Held,
  hold,
  type SigningKey,
  type Verifier,
  type VerifyingKey,
  withCore,
} from './core/core.js'
import { AlvariumError, assertBytes, describe, textOf } from './errors.js'
import { type Jwk, keyBytes } from './key-forms.js'

/**
 * A private Ed25519 key in any usual form:
 * - bytes: a seed (32), seed ‖ public key (64), PKCS#8 DER, or the contents of any key file
 * - text: hexadecimal of the first two (the other SDKs' `private.key`), or PKCS#8 in PEM
 * - a JSON Web Key of type OKP with `d` (RFC 8037)
 */
export type SigningKeyInput = Uint8Array | string | Jwk

/**
 * A public Ed25519 key in any usual form: 32 bytes, their hexadecimal (the other SDKs' `public.key`),
 * SubjectPublicKeyInfo as DER or PEM, or a JSON Web Key.
 */
export type VerifyingKeyInput = Uint8Array | string | Jwk

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
    const { bytes: verifyingKey, keyId } = publicHalf(key)
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
    // Who passes the key instead of its path must not find it in a log.
    if (/-----BEGIN|[0-9a-f]{64}|\n/i.test(path)) throw unreadable('', 'what looks like a key itself')
    throw unreadable(` ${path}`, textOf(cause), { cause })
  }
}

function unreadable(file: string, got: string, options?: ErrorOptions): AlvariumError {
  const text = `key file${file}: expected the path of a readable file, got: ${got}`
  return new AlvariumError('KEY_INVALID', text, options)
}

/**
 * Signs bytes with pure Ed25519 (RFC 8032), for example the seed of a payload for the `pki` annotator.
 *
 * @param bytes - at most 16 MiB; hash what is longer and sign the digest
 * @returns 64 bytes
 * @throws AlvariumError `KEY_INVALID`
 * @throws TypeError, RangeError for other `bytes`
 */
export function signBytes(signingKey: SigningKeyInput, bytes: Uint8Array): Uint8Array {
  assertSignable(bytes)
  return withSigningKey(signingKey, (key) => key.sign(bytes))
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
  assertSignable(bytes)
  assertBytes(signature, 'signature')
  return signature.length === 64 && withVerifyingKey(verifyingKey, (key) => key.verifies(bytes, signature))
}

/** The key id of a public key: the first 16 bytes of its SHA-256 as 32 hexadecimal digits. */
export function keyIdOf(verifyingKey: VerifyingKeyInput): string {
  return readVerifyingKey(verifyingKey).keyId
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
  #held: Held<Verifier> | undefined
  #list: readonly Uint8Array[] | undefined

  /**
   * @throws AlvariumError `KEY_INVALID`
   * @throws TypeError when `keys` is a single key
   */
  constructor(keys: Iterable<VerifyingKeyInput> = []) {
    if (keys instanceof Uint8Array || typeof keys === 'string') {
      throw new TypeError(`keys: expected an array of keys, got ${describe(keys)}`)
    }
    for (const key of keys) this.add(key)
  }

  /**
   * Trusts another key.
   *
   * @returns its key id
   * @throws AlvariumError `KEY_INVALID`
   */
  add(verifyingKey: VerifyingKeyInput): string {
    const { bytes, keyId } = readVerifyingKey(verifyingKey)
    this.#keys.set(keyId, bytes)
    this.#list = undefined
    this.close()
    return keyId
  }

  /** Stops trusting a key. */
  delete(keyId: string): boolean {
    const wasThere = this.#keys.delete(keyId)
    this.#list = undefined
    this.close()
    return wasThere
  }

  /** The ids of all trusted keys. */
  get keyIds(): string[] {
    return [...this.#keys.keys()]
  }

  /** @internal The trusted public keys; the same array until one is added or taken out. */
  get keys(): readonly Uint8Array[] {
    this.#list ??= [...this.#keys.values()]
    return this.#list
  }

  /** @internal Runs on the core's own verifier, which has every key's point and the last batches' roots at hand. */
  use<T>(run: (verifier: Verifier) => T): T {
    if (!this.#held || this.#held.isLost) this.#held = hold((core) => this.#build(core))
    const { object } = this.#held
    return withCore(() => run(object))
  }

  #build(core: Core): Verifier {
    const verifier = new core.Verifier()
    for (const bytes of this.#keys.values()) withVerifyingKey(bytes, (key) => verifier.trust(key))
    return verifier
  }

  /** Gives the core's memory back; a later use takes it again. The garbage collector does it otherwise. */
  close(): void {
    const held = this.#held
    this.#held = undefined
    held?.release()
  }
}

/**
 * @internal The keyring itself, or one of the keys.
 *
 * @throws TypeError when it is neither; whoever forgets it would trust nobody, and never see a message
 */
export function keyringOf(keyring: Keyring | readonly VerifyingKeyInput[]): Keyring {
  if (keyring instanceof Keyring) return keyring
  if (Array.isArray(keyring)) return new Keyring(keyring)
  throw new TypeError(`keyring: expected a Keyring or an array of keys, got ${describe(keyring)}`)
}

/** @internal A public key read once: its 32 bytes and its id. */
export interface PublicKey {
  readonly bytes: Uint8Array
  readonly keyId: string
}

/** @internal @throws AlvariumError `KEY_INVALID` */
export function readVerifyingKey(input: VerifyingKeyInput): PublicKey {
  return withVerifyingKey(input, (key) => ({ bytes: key.toBytes(), keyId: key.id() }))
}

/** @internal The public half of a private key. */
export function publicHalf(key: SigningKey): PublicKey {
  return borrow(
    () => key.verifyingKey(),
    (half) => ({ bytes: half.toBytes(), keyId: half.id() }),
  )
}

/**
 * @internal Hands a private key to the core, which wipes it when it is released; then `wipe` what is left of
 * it on the stack.
 */
export function openSigningKey(input: SigningKeyInput): Held<SigningKey> {
  const bytes = keyBytes(input, 'signingKey')
  try {
    return hold((core) => core.SigningKey.read(bytes))
  } finally {
    if (bytes !== input) bytes.fill(0)
    wipeStack()
  }
}

/** @internal Overwrites what calls that had to do with a private key have left on the core's stack. */
export function wipeStack(): void {
  withCore((core) => core.wipeStack())
}

function withSigningKey<T>(input: SigningKeyInput, use: (key: SigningKey) => T): T {
  const key = openSigningKey(input)
  try {
    return withCore(() => use(key.object))
  } finally {
    key.release()
    wipeStack()
  }
}

/** @internal */
export function withVerifyingKey<T>(input: VerifyingKeyInput, use: (key: VerifyingKey) => T): T {
  const bytes = keyBytes(input, 'verifyingKey')
  return borrow((core) => core.VerifyingKey.read(bytes), use)
}

const MOST_SIGNABLE = 16 * 1024 * 1024

function assertSignable(bytes: Uint8Array): void {
  assertBytes(bytes, 'bytes')
  if (bytes.length > MOST_SIGNABLE) {
    throw new RangeError(`bytes: expected at most ${MOST_SIGNABLE} bytes, got ${bytes.length}`)
  }
}
