import { AlvariumError } from '../base/errors.js'
import { Keyring } from '../keys/keyring.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import { quoted } from './fault.js'

/** Public keys by the names that requests have for them. A name only finds what was put in here: it is never a path. */
export class NamedKeys {
  readonly #keyrings: ReadonlyMap<string, Keyring>

  /** @throws AlvariumError `KEY_INVALID` */
  constructor(keys: Readonly<Record<string, VerifyingKeyInput>>) {
    this.#keyrings = new Map(Object.entries(keys).map(([name, key]) => [name, new Keyring([key])]))
  }

  /**
   * Whether the key of that name signed.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN`
   */
  verifies(name: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    const keyring = this.#keyrings.get(name)
    if (!keyring) {
      const text = `keyid: expected the name of a trusted key, got ${quoted(name)}`
      throw new AlvariumError('SIGNER_UNKNOWN', text)
    }
    // Among one key.
    return keyring.use((verifier) => verifier.signerAmong(bytes, signature, 0, 1)) !== undefined
  }
}
