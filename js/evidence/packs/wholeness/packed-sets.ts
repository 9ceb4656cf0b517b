import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { malformed } from '../../../foundation/base/errors.js'
import { addToSet } from '../../../foundation/base/map-of-sets.js'
import { compareTexts, utf8Length } from '../../../foundation/base/text/text.js'
import { runYielding } from '../../../foundation/base/time/turns.js'
import { nameOf, type PayloadName } from '../../../verifying/score/payload-name.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { sortInSteps } from '../../completeness/sort-in-steps.js'
import { EntrySorter } from '../../sets/entry-sorter.js'
import { Tree } from '../../sets/tree.js'
import { verifyAbsent, verifyMember } from '../../sets/verify-proof.js'
import type { VerifiedSet } from '../../sets/verify-set.js'
import type { PackedProof } from '../file/packed-proof.js'
import { count, countWithNoun, type NameOf } from '../words.js'
import { notShown, type WholenessFinding, wholeBy } from './wholeness.js'

const OF_BUNDLES = 'bundles of '

/**
 * Returns the name for a sealed set of all bundles about a payload. A pack with such a set can show that none
 * of these bundles is missing. The items of the set are the bundle ids in upper case.
 *
 * @returns the name, for `sealSet`; undefined if the payload key is too long for a name
 *
 * @example
 * ```ts
 * import { bundlesName } from 'alvarium-sdk/packs'
 * import { sealSet } from 'alvarium-sdk/sets'
 *
 * const name = bundlesName({ hash: 'sha256', key: keyOf(payload) })
 * const bundle = await verifyMessage(message, { keyring })
 * const { message: sealed } = await sealSet([bundle.id.toUpperCase()], { signingKey, name })
 * ```
 */
export function bundlesName(payload: PayloadName): string | undefined {
  const name = OF_BUNDLES + nameOf(payload)
  return utf8Length(name) <= MAX_NAME_BYTES ? name : undefined
}

/** Maximum length of a set's name in bytes (FORMAT.md, set/1). */
const MAX_NAME_BYTES = 255

export interface SignerNamesAndPermits {
  readonly nameOf: NameOf
  mayConfirm(keyId: string): boolean
}

/** Finds out which bundles and payloads the sealed sets of a pack list, and which of these are absent. */
export class PackedSets {
  readonly #sets = new Map<string, VerifiedSet>()
  /** Ids of the bundles in the pack, by the name of the sealed set that lists all bundles about their payload. */
  readonly #bundles = new Map<string, Set<string>>()
  /** Keys of the payloads with a proof of membership, by set id. */
  readonly #provenBySet = new Map<string, Set<string>>()
  /** Keys of the payloads with a proof of membership in any set. */
  readonly #provenKeys = new Set<string>()
  /** Keys of the payloads with both a proof of membership and a bundle. */
  readonly #keysWithBundle = new Set<string>()

  add(set: VerifiedSet): void {
    this.#sets.set(set.id, set)
    if (set.name.startsWith(OF_BUNDLES)) this.#bundles.set(set.name, new Set())
  }

  /** @throws AlvariumError `MESSAGE_MALFORMED`, `PROOF_INVALID` */
  addProof({ set: id, key, proof }: PackedProof): void {
    const set = this.#sets.get(id)
    if (!set) throw malformed('proof', 'the id of a verified set in the pack', id)
    if (set.salt !== undefined)
      throw malformed('proof', 'the id of a set without a salt', `${id}, of a salted set`)
    if (isAbsence(proof)) {
      verifyAbsent(set, proof, key)
      return
    }
    verifyMember(set, proof, key)
    addToSet(this.#provenBySet, id, key)
    this.#provenKeys.add(key)
  }

  addBundle({ hash, key, id }: VerifiedBundle): void {
    if (this.#bundles.size > 0) this.#bundles.get(OF_BUNDLES + nameOf({ hash, key }))?.add(id)
    // All proofs are known here, because they precede the messages in a pack.
    if (hash === 'sha256' && this.#provenKeys.has(key)) this.#keysWithBundle.add(key)
  }

  /** Yields each set of which the pack proves all members, with their payload keys. */
  *wholeSets(): Generator<readonly [set: string, keys: ReadonlySet<string>], void> {
    for (const [id, { size }] of this.#sets) {
      const keys = this.#provenBySet.get(id) ?? new Set()
      if (keys.size === size) yield [id, keys]
    }
  }

  /** Decides by the largest set of bundle ids about the payload, no matter which signer signed the set. */
  async ofPayload(payload: PayloadName, confirming: SignerNamesAndPermits): Promise<WholenessFinding> {
    const name = bundlesName(payload)
    const ids = name === undefined ? undefined : this.#bundles.get(name)
    const seals = [...this.#sets.values()].filter((set) => set.name === name)
    const all = await runYielding(largestSteps(seals))
    const [largest] = all
    if (!ids || !largest) return notShown()
    if (largest.size > ids.size) return incomplete(largest, largest.size - ids.size, confirming)
    if (largest.size < ids.size) {
      const countText = countWithNoun(largest.size, 'bundle')
      return notShown(
        `the largest set that ${confirming.nameOf(largest.signer)} has signed lists only ${countText}`,
      )
    }
    return sealWholeness(all, await rootOver(ids), confirming)
  }

  /**
   * Returns the finding for a pack about a set: complete if it has a proof and a bundle for each payload of
   * the set.
   */
  ofSet(id: string, nameOf: NameOf): WholenessFinding {
    const set = this.#sets.get(id)
    if (!set) {
      const needs = 'Get a pack with the message of the set, and trust the key of its signer.'
      return notShown('no message of the set verifies here', {}, needs)
    }
    const known = [...(this.#provenBySet.get(id) ?? [])].filter((key) => this.#keysWithBundle.has(key)).length
    const signerName = nameOf(set.signer)
    const clause = `${countWithNoun(set.size, 'payload')} of the set that ${signerName} has signed`
    if (known === set.size) {
      return wholeBy('whole by proofs', set.signer, `proofs show that these are all ${clause}`)
    }
    const missing = set.size - known
    return notShown(`${count(missing)} of the ${clause} ${areMissing(missing)}`, { missing })
  }
}

/** Returns the sets of the largest size, sorted by the signer's key id and then by set id. */
function largestSteps(seals: readonly VerifiedSet[]): Generator<void, VerifiedSet[]> {
  const size = seals.reduce((maxSize, one) => Math.max(maxSize, one.size), 0)
  const all = seals.filter((one) => one.size === size)
  return sortInSteps(
    all,
    (one, other) => compareTexts(one.signer, other.signer) || compareTexts(one.id, other.id),
  )
}

/**
 * Compares sets that list as many bundles as the pack has. A set with another root lists at least one bundle
 * that the pack lacks.
 */
function sealWholeness(
  seals: readonly VerifiedSet[],
  root: string,
  confirming: SignerNamesAndPermits,
): WholenessFinding {
  const comparable = seals.filter(({ salt }) => salt === undefined)
  const other = comparable.find((one) => one.root !== root)
  if (other) return incomplete(other, 1, confirming)
  const confirmed = comparable.find(({ signer }) => confirming.mayConfirm(signer))
  const [seal] = confirmed ? [confirmed] : comparable
  if (!seal) return notShown()
  const clause = `a set that ${confirming.nameOf(seal.signer)} has signed lists exactly these bundles`
  if (confirmed) return wholeBy('whole by seal', seal.signer, clause)
  return notShown(`${clause}, but no policy of yours lets its signer confirm that (\`confirms\`)`)
}

function incomplete(
  { signer, size }: VerifiedSet,
  missing: number,
  { nameOf }: SignerNamesAndPermits,
): WholenessFinding {
  const clause = `a set that ${nameOf(signer)} has signed lists ${countWithNoun(size, 'bundle')}, of which`
  return notShown(`${clause} at least ${count(missing)} ${areMissing(missing)}`, { missing })
}

function areMissing(count: number): string {
  return count === 1 ? 'is missing' : 'are missing'
}

const ABSENCE = new TextEncoder().encode('{"messageType":"alvarium.SetProof/1","content":{"says":"absent"')

/** Compares the first bytes, which suffice because proofs have only one spelling. */
function isAbsence(proof: Uint8Array): boolean {
  return ABSENCE.every((byte, at) => proof[at] === byte)
}

async function rootOver(ids: ReadonlySet<string>): Promise<string> {
  const sorting = new EntrySorter()
  for (const id of ids) sorting.add(toBytes(id) as Uint8Array)
  return (await Tree.build(await sorting.sort())).root
}
