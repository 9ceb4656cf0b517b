import { toBytes } from '../../../foundation/base/bytes/hex.js'
import { malformed } from '../../../foundation/base/errors.js'
import { compareTexts, utf8Length } from '../../../foundation/base/text/text.js'
import { runYielding } from '../../../foundation/base/time/turns.js'
import { nameOf, type PayloadName } from '../../../verifying/score/payload-name.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { sortInSteps } from '../../completeness/sort-in-steps.js'
import { EntrySorter } from '../../sets/entry-sorter.js'
import { makeList } from '../../sets/key-list.js'
import { verifyAbsent, verifyMember } from '../../sets/verify-proof.js'
import type { VerifiedSet } from '../../sets/verify-set.js'
import type { PackedProof } from '../file/packed-proof.js'
import { count, countWithNoun, type NameOf } from '../words.js'
import { type FoundWholeness, notShown, wholeBy } from './wholeness.js'

const OF_BUNDLES = 'bundles of '

/**
 * Returns the name for a set of bundles that shows that a pack has all bundles about a payload. The items of the set are the ids of the
 * bundles, in upper case.
 *
 * @returns the name, for `sealSet`; undefined for a payload whose key does not fit into one
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

/** Maximum bytes of a set's name (FORMAT.md, set/1). */
const MAX_NAME_BYTES = 255

/** Names of signers, and the permissions to confirm that nothing was left out. */
export interface Confirmers {
  readonly nameOf: NameOf
  mayConfirm(keyId: string): boolean
}

/** Sets of a pack, and the completeness shown by them. */
export class PackedSets {
  readonly #sets = new Map<string, VerifiedSet>()
  /** Ids of the received bundles about payloads with a sealed set of bundles, by the name of that set. */
  readonly #bundles = new Map<string, Set<string>>()
  /** Payload keys of proven members by the id of their set. */
  readonly #provenBySet = new Map<string, Set<string>>()
  /** Payload keys of the proven members of all sets. */
  readonly #provenKeys = new Set<string>()
  /** Payload keys of proven members that a bundle is about. */
  readonly #keysWithBundle = new Set<string>()

  add(set: VerifiedSet): void {
    this.#sets.set(set.id, set)
    if (set.name.startsWith(OF_BUNDLES)) this.#bundles.set(set.name, new Set())
  }

  /** Verifies and keeps a proof. @throws AlvariumError `MESSAGE_MALFORMED`, `PROOF_INVALID` */
  addProof({ set: id, key, proof }: PackedProof): void {
    const set = this.#sets.get(id)
    if (!set) throw malformed('proof', 'the id of a set in the pack that verifies', id)
    if (set.salt !== undefined) throw malformed('proof', 'the id of a set without a salt', id)
    if (isAbsence(proof)) {
      verifyAbsent(set, proof, key)
      return
    }
    verifyMember(set, proof, key)
    this.#provenBySet.set(id, (this.#provenBySet.get(id) ?? new Set()).add(key))
    this.#provenKeys.add(key)
  }

  addBundle({ hash, key, id }: VerifiedBundle): void {
    if (this.#bundles.size > 0) this.#bundles.get(OF_BUNDLES + nameOf({ hash, key }))?.add(id)
    // Proofs come before messages in a pack, so all of them are known.
    if (hash === 'sha256' && this.#provenKeys.has(key)) this.#keysWithBundle.add(key)
  }

  /** Yields the sets with a proof for every payload, with the payload keys. */
  *wholeSets(): Generator<readonly [set: string, keys: ReadonlySet<string>], void> {
    for (const [id, { size }] of this.#sets) {
      const keys = this.#provenBySet.get(id) ?? new Set()
      if (keys.size === size) yield [id, keys]
    }
  }

  /** Returns whether the bundles about a payload are exactly the sealed ones. The largest seal counts, of any signer. */
  async ofPayload(payload: PayloadName, confirming: Confirmers): Promise<FoundWholeness> {
    const name = bundlesName(payload)
    const ids = name === undefined ? undefined : this.#bundles.get(name)
    const seals = [...this.#sets.values()].filter((set) => set.name === name)
    const all = await runYielding(largestSteps(seals))
    const [largest] = all
    if (!ids || !largest) return notShown()
    if (largest.size > ids.size) return incomplete(largest, largest.size - ids.size, confirming)
    if (largest.size < ids.size) {
      const some = countWithNoun(largest.size, 'bundle')
      return notShown(
        `the largest set that ${confirming.nameOf(largest.signer)} has signed lists only ${some}`,
      )
    }
    return sealWholeness(all, await rootOver(ids), confirming)
  }

  /** Returns whether all payloads of a set are present, each with a bundle about it. */
  ofSet(id: string, nameOf: NameOf): FoundWholeness {
    const set = this.#sets.get(id)
    if (!set) {
      const needs = 'Get a pack with the message of the set, and trust the key of its signer.'
      return notShown('no message of the set verifies here', {}, needs)
    }
    const known = [...(this.#provenBySet.get(id) ?? [])].filter((key) => this.#keysWithBundle.has(key)).length
    const who = nameOf(set.signer)
    const clause = `${countWithNoun(set.size, 'payload')} of the set that ${who} has signed`
    if (known === set.size) {
      return wholeBy('whole by proofs', set.signer, `proofs show that these are all ${clause}`)
    }
    const missing = set.size - known
    return notShown(`${count(missing)} of the ${clause} ${areMissing(missing)}`, { missing })
  }
}

/** Returns the sets of the largest size, in steps. They are in the order of their signers' key ids, then of their own ids. */
function largestSteps(seals: readonly VerifiedSet[]): Generator<void, VerifiedSet[]> {
  const size = seals.reduce((most, one) => Math.max(most, one.size), 0)
  const all = seals.filter((one) => one.size === size)
  return sortInSteps(
    all,
    (one, other) => compareTexts(one.signer, other.signer) || compareTexts(one.id, other.id),
  )
}

/** Returns the verdict by seals of as many bundles as are present. A seal that lists different bundles shows that some are absent. */
function sealWholeness(seals: readonly VerifiedSet[], root: string, confirming: Confirmers): FoundWholeness {
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

function incomplete({ signer, size }: VerifiedSet, missing: number, { nameOf }: Confirmers): FoundWholeness {
  const clause = `a set that ${nameOf(signer)} has signed lists ${countWithNoun(size, 'bundle')}, of which`
  return notShown(`${clause} at least ${count(missing)} ${areMissing(missing)}`, { missing })
}

function areMissing(count: number): string {
  return count === 1 ? 'is missing' : 'are missing'
}

const ABSENCE = new TextEncoder().encode('{"messageType":"alvarium.SetProof/1","content":{"says":"absent"')

/** Returns whether a proof shows absence. Comparing its beginning suffices, because proofs have one spelling. */
function isAbsence(proof: Uint8Array): boolean {
  return ABSENCE.every((byte, at) => proof[at] === byte)
}

async function rootOver(ids: ReadonlySet<string>): Promise<string> {
  const sorting = new EntrySorter()
  for (const id of ids) sorting.add(toBytes(id) as Uint8Array)
  return (await makeList(await sorting.sort(), undefined)).root
}
