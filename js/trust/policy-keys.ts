import { Keyring } from '../keys/keyring.js'
import type { PolicyKey } from './policy.js'

/** The keys of a policy that has been read. */
export interface OpenKeys {
  readonly keyring: Keyring
  /** Their ids by their texts: what is there need not be read again, which takes longest. */
  readonly ids: ReadonlyMap<string, string>
}

/** Reads the keys of a policy, but for those that the policy before it has too. */
export class PolicyKeys {
  readonly #known: OpenKeys | undefined
  readonly #keyring = new Keyring()
  readonly #ids = new Map<string, string>()
  #hasNew = false

  constructor(known: OpenKeys | undefined) {
    this.#known = known
  }

  /**
   * @returns its key id
   * @throws AlvariumError `KEY_INVALID`
   */
  add(key: PolicyKey): string {
    const id = this.#taken(key) ?? this.#added(key)
    if (typeof key === 'string') this.#ids.set(key, id)
    return id
  }

  #taken(key: PolicyKey): string | undefined {
    const id = typeof key === 'string' ? this.#known?.ids.get(key) : undefined
    if (id !== undefined) this.#keyring.take(id, (this.#known as OpenKeys).keyring)
    return id
  }

  #added(key: PolicyKey): string {
    this.#hasNew = true
    return this.#keyring.add(key)
  }

  /** All of them, to verify with: the keyring that there was, if they are the same. */
  async opened(): Promise<OpenKeys> {
    const [known, ids] = [this.#known?.keyring, this.#ids]
    if (known && !this.#hasNew && known.size === this.#keyring.size) return { keyring: known, ids }
    if (!this.#keyring.isReady) await this.#keyring.ready()
    return { keyring: this.#keyring, ids }
  }
}
