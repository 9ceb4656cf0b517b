import { AlvariumError, isVerdict } from '../../../foundation/base/errors.js'
import { readAllFaults } from '../../../foundation/base/options/schema.js'
import { trustTurns } from '../../../foundation/base/time/turns.js'
import { Keyring } from '../../../signing/keys/keyring.js'
import { readQuorumIfAny } from '../../witness/options.js'
import type { PolicyKey } from './policy.js'
import {
  MAX_FAULTS,
  MAX_KEYS,
  policySchema,
  type ReadPolicy,
  type ReadSigner,
  signerSchema,
} from './policy-schema.js'

export interface CheckedPolicy extends OpenKeys {
  readonly policy: ReadPolicy
}

/**
 * Validates a policy and reads its keys, in steps, so that timers and sockets get their turn in between.
 *
 * @param known - keys of the previous policy, which are not read again
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member, at most 50
 */
export async function readPolicy(given: unknown, known?: OpenKeys): Promise<CheckedPolicy> {
  const faults: string[] = []
  const outer = collectFaults(faults, () => readAllFaults(policySchema, given, ''))
  const keys = new PolicyKeyReader(known)
  const schema = signerSchema(keys)
  const signers: ReadSigner[] = []
  const owners = new UniqueNamesAndKeys()
  for (const [at, one] of signersIn(given).entries()) {
    if (faults.length >= MAX_FAULTS) break
    await trustTurns.yieldIfDue()
    const place = `signers.${at}`
    await keys.readAhead(keysIn(one))
    const signer = collectFaults(faults, () => readAllFaults(schema, one, place))
    if (!signer) continue
    signers.push(signer)
    faults.push(...owners.faultsOf(signer, place))
  }
  if (!outer || faults.length > 0) {
    throw new AlvariumError('CONFIG_INVALID', faults.slice(0, MAX_FAULTS).join('\n'))
  }
  const { acceptLateMs, maxLeaseMs, witnesses: vkeys, quorum } = outer
  const witnesses = readQuorumIfAny({ witnesses: vkeys, quorum }, 'trust')
  return { policy: { signers, acceptLateMs, maxLeaseMs, witnesses }, ...(await keys.open()) }
}

function signersIn(given: unknown): readonly unknown[] {
  const signers: unknown = Reflect.get(Object(given), 'signers')
  return Array.isArray(signers) ? signers : []
}

/** Returns the keys of a signer that the schema will read; none if there are too many for the schema. */
function keysIn(signer: unknown): readonly unknown[] {
  const keys: unknown = Reflect.get(Object(signer), 'keys')
  return Array.isArray(keys) && keys.length <= MAX_KEYS ? keys : []
}

/** Returns the result of `read`, or adds its faults to the list and returns undefined. */
function collectFaults<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'CONFIG_INVALID') throw error
    faults.push(...error.message.split('\n'))
    return undefined
  }
}

class UniqueNamesAndKeys {
  readonly #names = new Map<string, string>()
  readonly #keys = new Map<string, string>()

  faultsOf({ name, keys }: ReadSigner, place: string): string[] {
    const faults = []
    const other = this.#names.get(name)
    if (other)
      faults.push(`${place}.name: expected a name that no other signer has, got the name of ${other}`)
    this.#names.set(name, place)
    for (const [at, { id }] of keys.entries()) {
      const key = `${place}.keys.${at}`
      const owner = this.#keys.get(id)
      if (owner) faults.push(`${key}: expected a public key that stands only once, got the key of ${owner}`)
      this.#keys.set(id, key)
    }
    return faults
  }
}

export interface OpenKeys {
  readonly keyring: Keyring
  /** Key ids by the text of the public key. Known keys are not read again, because reading a key is slow. */
  readonly ids: ReadonlyMap<string, string>
}

class PolicyKeyReader {
  readonly #previous: OpenKeys | undefined
  readonly #keyring: Keyring
  readonly #ids = new Map<string, string>()
  readonly #faults = new Map<string, AlvariumError>()
  #hasNew = false

  constructor(known: OpenKeys | undefined) {
    this.#previous = known
    this.#keyring = new Keyring([], { engine: known?.keyring.engine })
  }

  /**
   * Reads and caches keys in advance, and yields regularly, so that timers and sockets get their turn.
   * {@link add} then uses the cached keys.
   */
  async readAhead(keys: readonly unknown[]): Promise<void> {
    for (const one of keys) {
      await trustTurns.yieldIfDueLong()
      const key = isEntry(one) ? one.key : one
      if (typeof key !== 'string' && !isObject(key)) continue
      try {
        this.add(key as PolicyKey)
      } catch (error) {
        if (!isVerdict(error)) throw error
      }
    }
  }

  /** Reads a key, unless it is known, and returns its key id. @throws AlvariumError `KEY_INVALID` */
  add(key: PolicyKey): string {
    const text = textOf(key)
    const [known, fault] = [this.#ids.get(text) ?? this.#keyBefore(text), this.#faults.get(text)]
    if (fault) throw fault
    const id = known ?? this.#readKey(key, text)
    this.#ids.set(text, id)
    return id
  }

  #keyBefore(text: string): string | undefined {
    const id = this.#previous?.ids.get(text)
    if (id !== undefined) this.#keyring.addFrom(id, (this.#previous as OpenKeys).keyring)
    return id
  }

  #readKey(key: PolicyKey, text: string): string {
    this.#hasNew = true
    try {
      return this.#keyring.add(key)
    } catch (error) {
      if (isVerdict(error)) this.#faults.set(text, error)
      throw error
    }
  }

  /** Returns the policy's keys, ready to verify. Returns the previous policy's keyring if the keys are the same. */
  async open(): Promise<OpenKeys> {
    const [known, ids] = [this.#previous?.keyring, this.#ids]
    if (known && !this.#hasNew && known.size === this.#keyring.size) return { keyring: known, ids }
    if (!this.#keyring.isReady) await this.#keyring.ready()
    return { keyring: this.#keyring, ids }
  }
}

/** Returns the text of a key, or the JSON of an object. No other form of a key begins like JSON. */
function textOf(key: PolicyKey): string {
  return typeof key === 'string' ? key : JSON.stringify(key)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isEntry(value: unknown): value is { readonly key: unknown } {
  return isObject(value) && 'key' in value
}
