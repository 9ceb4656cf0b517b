import { isInstance } from '../../foundation/base/brand.js'
import { join } from '../../foundation/base/bytes/join.js'
import { describe, isBytes } from '../../foundation/base/errors.js'
import { readOptions } from '../../foundation/base/options/schema.js'
import { trustTurns } from '../../foundation/base/time/turns.js'
import { VERSION } from '../../foundation/base/version.js'
import { hold, type Verifier, withCore } from '../../foundation/core/core.js'
import type { EcKey } from '../../foundation/model/algorithm.js'
import type { Engine } from '../../foundation/model/payload.js'
import { CoreVerifier } from './core-verifier.js'
import { ecKeyIn } from './ec/public-key.js'
import { type Address, addressOf, isAddress } from './ec/recovery.js'
import type { Jwk } from './forms/jwk.js'
import { isJwkSet, type JwkSet, signatureKeysOf } from './forms/jwk-set.js'
import { keyBytes } from './forms/key-bytes.js'
import { fromWebCryptoKey, isWebCryptoKey, type WebCryptoKey } from './forms/web-crypto-key.js'
import { hostSignatures, hostSpki } from './host-verifier.js'
import { type KeyringOptions, schema } from './keyring-options.js'
import { ecVerifier, hostKeysVerifier } from './outside-keys.js'
import type { OutsideVerifier } from './outside-verifier.js'
import { type VerifyingKeyInput, withPublicKey } from './verifying.js'

/** Brand with the version, because only a copy of the package with the same version may use a keyring's internals. */
const BRAND = Symbol.for(`alvarium-sdk.Keyring ${VERSION}`)

/** Maximum number of keys that the first use reads at once. Each takes about 0.1 ms, because its point is checked. */
const MAX_KEYS_IN_ONE_STEP = 64
/** Number of keys that `ready` passes to the core in one call, which takes a few milliseconds. */
const KEY_BATCH = 1024

/**
 * Public keys that a verifier trusts. A message states its key id. A keyring can therefore contain the keys of many
 * signers, and the old and new key of one signer, for any algorithms. A key verifies only by its own algorithm.
 *
 * @example
 * ```ts
 * const keyring = new Keyring([await readKey('edge-7.key'), await readKey('edge-8.key')])
 * const bundle = await verifyMessage(message, { keyring })
 * ```
 */
export class Keyring {
  /** @internal */
  readonly maxTableBytes: number
  /** @internal */
  readonly engine: Engine
  readonly #keys = new Map<string, Uint8Array>()
  readonly #ec = new Map<string, EcKey>()
  readonly #verifier: CoreVerifier
  #outside: OutsideVerifier | undefined
  #list: readonly Uint8Array[] | undefined
  /** Keys as {@link keys} last sorted them, by id. */
  #sorted: readonly (readonly [keyId: string, bytes: Uint8Array])[] = []
  /** True if keys were added since the last read of {@link keys}. */
  #hasNew = false

  /**
   * Reads all keys at once, which takes about 110 ms for 1,000. Use {@link Keyring.from} to read them in parts.
   *
   * @param keys - public keys, or a JSON Web Key Set, in which keys for other purposes are skipped (RFC 7517 §5)
   * @throws AlvariumError `KEY_INVALID`, or `CONFIG_INVALID` naming the option; with engine `host` `CONFIG_INVALID` in
   * browsers and for keys of secp256k1 and SM2
   * @throws TypeError when `keys` is a single key
   */
  constructor(keys: Iterable<VerifyingKeyInput | Address> | JwkSet = [], options: KeyringOptions = {}) {
    const { maxTableBytes, engine } = readOptions(schema, options, 'keyring')
    this.maxTableBytes = maxTableBytes
    this.engine = engine
    if (this.#isByHost) hostSignatures()
    // If the platform verifies, pass no keys to the core, because the core then only decodes messages.
    this.#verifier = new CoreVerifier(this.#isByHost ? { keys: [], maxTableBytes } : this)
    for (const key of listOf(keys)) this.add(key)
  }

  /**
   * Creates a keyring with many keys, and reads them in parts, so that timers and sockets run in between. It also
   * accepts a `CryptoKey` of Ed25519 or ECDSA P-256, which can only be exported asynchronously.
   *
   * @throws the errors of the constructor
   *
   * @example
   * ```ts
   * const devices = Array.from({ length: 100 }, () => generateKey().verifyingKey)
   * const keyring = await Keyring.from(devices)
   * ```
   */
  static async from(
    keys: Iterable<VerifyingKeyInput | Address | WebCryptoKey> | JwkSet,
    options: KeyringOptions = {},
  ): Promise<Keyring> {
    const keyring = new Keyring([], options)
    for (const key of listOf(keys)) {
      await trustTurns.yieldIfDue()
      keyring.add(isWebCryptoKey(key) ? await fromWebCryptoKey(key) : key)
    }
    if (!keyring.isReady) await keyring.ready()
    return keyring
  }

  /**
   * Adds a key, which the keyring trusts from now on.
   *
   * @returns the key id
   * @throws AlvariumError `KEY_INVALID` for an invalid key
   */
  add(verifyingKey: VerifyingKeyInput | Address): string {
    if (isAddress(verifyingKey)) return this.#addEc(addressOf(verifyingKey))
    const bytes = keyBytes(verifyingKey, 'verifyingKey')
    const ecKey = ecKeyIn(bytes)
    return ecKey ? this.#addEc(ecKey) : this.#add(bytes)
  }

  /**
   * Adds an EC key. Ignores an {@link Address} of a known key, because the address has no point, and would
   * replace the known point.
   */
  #addEc(key: EcKey): string {
    if (this.#isByHost) hostSpki(key)
    if (this.#ec.has(key.keyId) && key.point === undefined) return key.keyId
    this.#ec.set(key.keyId, key)
    this.#changed()
    return key.keyId
  }

  #add(bytes: Uint8Array): string {
    return withPublicKey(bytes, (key) => {
      const keyId = key.id()
      if (this.#keys.has(keyId)) return keyId
      this.#keys.set(keyId, key.toBytes())
      this.#hasNew = true
      this.#changed()
      if (!this.#isByHost) this.#verifier.trust(key)
      return keyId
    })
  }

  /** @internal Adds a key that another keyring has read. Call it before this keyring first verifies. */
  addFrom(keyId: string, from: Keyring): void {
    const [key, ecKey] = [from.#keys.get(keyId), from.#ec.get(keyId)]
    if (key) this.#keys.set(keyId, key)
    if (ecKey) this.#ec.set(keyId, ecKey)
    this.#hasNew = true
    this.#changed()
  }

  /** Removes a key, which the keyring no longer trusts. Returns whether the keyring had the key. */
  delete(keyId: string): boolean {
    const key = this.#keys.get(keyId)
    if (!key && !this.#ec.has(keyId)) return false
    this.#keys.delete(keyId)
    this.#ec.delete(keyId)
    this.#changed()
    if (key && !this.#isByHost) this.#verifier.distrust(keyId)
    return true
  }

  /** Ids of all trusted keys. */
  get keyIds(): string[] {
    return [...this.#keys.keys(), ...this.#ec.keys()]
  }

  /** @internal Returns the Ed25519 key with this id, 32 bytes, or undefined. */
  ed25519(keyId: string): Uint8Array | undefined {
    return this.#keys.get(keyId)
  }

  /** @internal Number of trusted keys. */
  get size(): number {
    return this.#keys.size + this.#ec.size
  }

  #changed(): void {
    this.#list = undefined
    this.#outside = undefined
  }

  /** @internal Ed25519 keys, sorted by id. The array is the same until a key is added or removed. */
  get keys(): readonly Uint8Array[] {
    if (!this.#list) {
      // If keys were only removed, filter the sorted keys, because sorting all keys again takes long.
      this.#sorted = this.#hasNew
        ? [...this.#keys].sort(([a], [b]) => (a < b ? -1 : 1))
        : this.#sorted.filter(([keyId]) => this.#keys.has(keyId))
      this.#hasNew = false
      this.#list = this.#sorted.map(([, bytes]) => bytes)
    }
    return this.#list
  }

  /** @internal Returns the EC key with this id, or undefined. */
  ecKey(keyId: string): EcKey | undefined {
    return this.#ec.get(keyId)
  }

  /** @internal All EC keys. */
  get ecKeys(): readonly EcKey[] {
    return [...this.#ec.values()]
  }

  /** @internal Verifier for keys that the core does not support. If `needsAlgorithms`, call `loadAlgorithms` first. */
  get outside(): OutsideVerifier | undefined {
    if (this.#isByHost) this.#outside ??= hostKeysVerifier([...this.#keys, ...this.#ec])
    else if (this.#ec.size > 0) this.#outside ??= ecVerifier(this.#ec.values(), this.#keys.size)
    return this.#outside
  }

  /** @internal True if a key needs the WebAssembly module of ECDSA and SM2. */
  get needsAlgorithms(): boolean {
    return this.#ec.size > 0 && !this.#isByHost
  }

  get #isByHost(): boolean {
    return this.engine === 'host'
  }

  /** @internal Returns whether the Ed25519 key with this id made a signature. */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    const { outside } = this
    if (!this.#isByHost || !outside) return this.use((verifier) => verifier.verifies(keyId, bytes, signature))
    return this.#keys.has(keyId) && outside.verifies(keyId, bytes, signature)
  }

  /** @internal Returns the id of the key that made a signature. Tries {@link keys} from index `from` to before `to`. */
  signerAmong(bytes: Uint8Array, signature: Uint8Array, from: number, to: number): string | undefined {
    if (!this.#isByHost) return this.use((verifier) => verifier.signerAmong(bytes, signature, from, to))
    // An earlier read of `keys` has sorted the keys.
    const candidates = this.#sorted.slice(from, to)
    return candidates.find(([keyId]) => this.verifies(keyId, bytes, signature))?.[0]
  }

  /** @internal Calls a function with the core's verifier of these keys. */
  use<T>(run: (verifier: Verifier) => T): T {
    return this.#verifier.use(run)
  }

  /** @internal True if `use` can start without first reading many keys. */
  get isReady(): boolean {
    return this.#isByHost || this.#keys.size <= MAX_KEYS_IN_ONE_STEP || this.#verifier.isMade
  }

  /** @internal Reads the keys into the core, some at a time. Without this call, `use` reads all of them at once. */
  async ready(): Promise<void> {
    const { keys } = this
    const verifier = hold((core) => new core.Verifier(this.maxTableBytes))
    for (let at = 0; at < keys.length; at += KEY_BATCH) {
      await trustTurns.yieldIfDueLong()
      // Stop if another use has created the verifier meanwhile, the core was restarted, or the keys have changed. The
      // next use creates a verifier from the current keys.
      if (this.isReady || verifier.isLost || this.keys !== keys) return verifier.release()
      withCore(() => verifier.object.trustAll(join(keys.slice(at, at + KEY_BATCH)).bytes))
    }
    this.#verifier.adopt(verifier)
  }

  /** Frees the keyring's memory in the core before the garbage collector does. The keyring can still be used. */
  close(): void {
    this.#verifier.close()
  }

  /** @internal */
  get [BRAND](): true {
    return true
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this method
    return isInstance(value, this, Keyring, BRAND)
  }
}

/** Returns the keys to add. @throws TypeError for a single key, because each byte or character would count as a key */
function listOf<Key>(keys: Iterable<Key> | JwkSet): Iterable<Key | Jwk> {
  if (isJwkSet(keys)) return signatureKeysOf(keys)
  if (!isBytes(keys) && typeof keys !== 'string') return keys
  throw new TypeError(`keys: expected an array of public keys, got ${describe(keys)}`)
}
