import { AlvariumError } from '../../foundation/base/errors.js'
import { readAllFaults } from '../../foundation/base/options/schema.js'
import { trustTurns } from '../../foundation/base/time/turns.js'
import { readQuorumIfAny } from '../witness/options.js'
import { type OpenKeys, PolicyKeys } from './policy-keys.js'
import {
  MAX_KEYS,
  MOST_FAULTS,
  policySchema,
  type ReadPolicy,
  type ReadSigner,
  signerSchema,
} from './policy-schema.js'

/** Policy with all of its keys in a keyring. */
export interface OpenPolicy extends OpenKeys {
  readonly policy: ReadPolicy
}

/**
 * Checks a policy and reads its keys, in parts, so that timers and sockets get their turn in between.
 *
 * @param known - keys of the previous policy, which need not be read again
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member
 */
export async function readPolicy(given: unknown, known?: OpenKeys): Promise<OpenPolicy> {
  const faults: string[] = []
  const around = told(faults, () => readAllFaults(policySchema, given, ''))
  const keys = new PolicyKeys(known)
  const schema = signerSchema(keys)
  const signers: ReadSigner[] = []
  const owners = new Owners()
  for (const [at, one] of signersIn(given).entries()) {
    if (faults.length >= MOST_FAULTS) break
    await trustTurns.take()
    const place = `signers.${at}`
    await keys.readAhead(keysIn(one))
    const signer = told(faults, () => readAllFaults(schema, one, place))
    if (!signer) continue
    signers.push(signer)
    faults.push(...owners.faultsOf(signer, place))
  }
  if (!around || faults.length > 0) {
    throw new AlvariumError('CONFIG_INVALID', faults.slice(0, MOST_FAULTS).join('\n'))
  }
  const { acceptLateMs, maxLeaseMs, witnesses: vkeys, quorum } = around
  const witnesses = readQuorumIfAny({ witnesses: vkeys, quorum }, 'trust')
  return { policy: { signers, acceptLateMs, maxLeaseMs, witnesses }, ...(await keys.opened()) }
}

function signersIn(given: unknown): readonly unknown[] {
  const signers: unknown = Reflect.get(Object(given), 'signers')
  return Array.isArray(signers) ? signers : []
}

/** Returns the keys of a signer that the schema will read; none of a longer list, which it refuses unread. */
function keysIn(signer: unknown): readonly unknown[] {
  const keys: unknown = Reflect.get(Object(signer), 'keys')
  return Array.isArray(keys) && keys.length <= MAX_KEYS ? keys : []
}

/** Returns the value; or undefined, and adds the faults to the list. */
function told<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'CONFIG_INVALID') throw error
    faults.push(...error.message.split('\n'))
    return undefined
  }
}

/** Names and keys of all signers so far. */
class Owners {
  readonly #names = new Map<string, string>()
  readonly #keys = new Map<string, string>()

  faultsOf({ name, keys }: ReadSigner, place: string): string[] {
    const faults = []
    const other = this.#names.get(name)
    if (other) faults.push(`${place}.name: expected a name of its own, got that of ${other}`)
    this.#names.set(name, place)
    for (const [at, { id }] of keys.entries()) {
      const key = `${place}.keys.${at}`
      const owner = this.#keys.get(id)
      if (owner) faults.push(`${key}: expected a public key of its own, got that of ${owner}`)
      this.#keys.set(id, key)
    }
    return faults
  }
}
