import { type AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import { trustTurns } from '../../foundation/base/time/turns.js'
import { Keyring } from '../../signing/keys/keyring.js'
import type { PolicyKey } from './policy.js'

/** Keys of a policy that was read. */
export interface OpenKeys {
  readonly keyring: Keyring
  /** Key ids by the texts of the keys: a known key need not be read again, which takes longest. */
  readonly ids: ReadonlyMap<string, string>
}

/** Reader of a policy's keys. It does not read keys of the previous policy again. */
export class PolicyKeys {
  readonly #known: OpenKeys | undefined
  readonly #keyring: Keyring
  readonly #ids = new Map<string, string>()
  /** Errors of keys that cannot be read, by their texts. */
  readonly #faults = new Map<string, AlvariumError>()
  #hasNew = false

  constructor(known: OpenKeys | undefined) {
    this.#known = known
    this.#keyring = new Keyring([], { engine: known?.keyring.engine })
  }

  /**
   * Reads keys one by one, so that timers and sockets get their turn in between. {@link add} then finds them.
   *
   * @param keys - member of a signer, not checked yet
   */
  async readAhead(keys: readonly unknown[]): Promise<void> {
    for (const one of keys) {
      await trustTurns.takeLong()
      const key = isEntry(one) ? one.key : one
      if (typeof key !== 'string' && !isObject(key)) continue
      try {
        this.add(key as PolicyKey)
      } catch (error) {
        if (!isVerdict(error)) throw error
      }
    }
  }

  /**
   * @returns its key id
   * @throws AlvariumError `KEY_INVALID`
   */
  add(key: PolicyKey): string {
    const text = textOf(key)
    const [known, fault] = [this.#ids.get(text) ?? this.#keyBefore(text), this.#faults.get(text)]
    if (fault) throw fault
    const id = known ?? this.#added(key, text)
    this.#ids.set(text, id)
    return id
  }

  #keyBefore(text: string): string | undefined {
    const id = this.#known?.ids.get(text)
    if (id !== undefined) this.#keyring.take(id, (this.#known as OpenKeys).keyring)
    return id
  }

  #added(key: PolicyKey, text: string): string {
    this.#hasNew = true
    try {
      return this.#keyring.add(key)
    } catch (error) {
      if (isVerdict(error)) this.#faults.set(text, error)
      throw error
    }
  }

  /** Returns all keys, ready to verify: in the previous keyring, if they are the same. */
  async opened(): Promise<OpenKeys> {
    const [known, ids] = [this.#known?.keyring, this.#ids]
    if (known && !this.#hasNew && known.size === this.#keyring.size) return { keyring: known, ids }
    if (!this.#keyring.isReady) await this.#keyring.ready()
    return { keyring: this.#keyring, ids }
  }
}

/** Returns the text of a key, or the JSON of an object: no other form of a key begins like JSON. */
function textOf(key: PolicyKey): string {
  return typeof key === 'string' ? key : JSON.stringify(key)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isEntry(value: unknown): value is { readonly key: unknown } {
  return isObject(value) && 'key' in value
}
