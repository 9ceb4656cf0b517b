import { AlvariumError } from '../base/errors.js'
import { invalid } from '../keys/fault.js'
import { Keyring } from '../keys/keyring.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import { quoted } from './fault.js'

/**
 * Public keys by the names that requests have for them. A name only finds what was put in here: it is never a path. They
 * share a keyring, and with it the memory that its tables may take, however many they are.
 */
export class NamedKeys {
  readonly #keyring = new Keyring()
  readonly #ids: ReadonlyMap<string, string>

  /** @throws AlvariumError `KEY_INVALID` for a key that cannot be read, or is not for Ed25519 */
  constructor(keys: Readonly<Record<string, VerifyingKeyInput>>) {
    this.#ids = new Map(Object.entries(keys).map(([name, key]) => [name, this.#keyring.add(key)]))
    const [other] = this.#keyring.otherKeys
    if (other) throw invalid('keys', 'Ed25519 keys, as requests are signed here', `one of ${other.algorithm}`)
  }

  /**
   * Whether the key of that name signed.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN`
   */
  verifies(name: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    const id = this.#ids.get(name)
    if (id !== undefined) return this.#keyring.use((verifier) => verifier.verifies(id, bytes, signature))
    const text = `keyid: expected the name of a trusted key, got ${quoted(name)}`
    throw new AlvariumError('SIGNER_UNKNOWN', text)
  }
}
