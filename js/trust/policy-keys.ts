import { type AlvariumError, isVerdict } from '../base/errors.js'
import { trustTurns } from '../base/time/turns.js'
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
  readonly #keyring: Keyring
  readonly #ids = new Map<string, string>()
  /** Why keys cannot be read, by their texts. */
  readonly #faults = new Map<string, AlvariumError>()
  #hasNew = false

  constructor(known: OpenKeys | undefined) {
    this.#known = known
    this.#keyring = new Keyring([], { engine: known?.keyring.engine })
  }

  /**
   * Reads keys one by one, so that timers and sockets get their turn in between: {@link add} then takes them as they are.
   *
   * @param keys - the member of a signer, before it was checked
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

  /** All of them, to verify with: the keyring that there was, if they are the same. */
  async opened(): Promise<OpenKeys> {
    const [known, ids] = [this.#known?.keyring, this.#ids]
    if (known && !this.#hasNew && known.size === this.#keyring.size) return { keyring: known, ids }
    if (!this.#keyring.isReady) await this.#keyring.ready()
    return { keyring: this.#keyring, ids }
  }
}

/** Returns the text of a key, or the JSON of an object, which no other form of a key begins like. */
function textOf(key: PolicyKey): string {
  return typeof key === 'string' ? key : JSON.stringify(key)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isEntry(value: unknown): value is { readonly key: unknown } {
  return isObject(value) && 'key' in value
}
