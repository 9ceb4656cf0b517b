import { toBytes } from '../base/bytes/hex.js'
import { malformed } from '../base/errors.js'
import { utf8Length } from '../base/text/text.js'
import { nameOf, type PayloadName } from '../judge/payload-name.js'
import { listOver } from '../sets/key-list.js'
import { Sorting } from '../sets/sorting.js'
import { verifyAbsent, verifyMember } from '../sets/verify-proof.js'
import type { VerifiedSet } from '../sets/verify-set.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { PackedProof } from './proof-line.js'
import type { PackWholeness } from './verdict.js'

const OF_BUNDLES = 'bundles of '

/**
 * What a set of bundles has to be called, so that it shows that a pack has all bundles about a payload. Its items are the ids of the
 * bundles, in upper case.
 *
 * @returns the name, for `sealSet`; nothing for a payload whose key does not fit into one
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
  return utf8Length(name) <= LONGEST_NAME ? name : undefined
}

/** FORMAT.md, set/1. */
const LONGEST_NAME = 255

/** The sets of a pack, and what is shown by them. */
export class PackedSets {
  readonly #sets = new Map<string, VerifiedSet>()
  /** The ids of bundles about payloads of which the bundles were sealed, by the name of that set. */
  readonly #bundles = new Map<string, Set<string>>()
  /** By the id of the set. */
  readonly #members = new Map<string, Set<string>>()
  /** All of those together. */
  readonly #shown = new Set<string>()
  /** Payload keys of members that a bundle is about. */
  readonly #known = new Set<string>()

  add(set: VerifiedSet): void {
    this.#sets.set(set.id, set)
    if (set.name.startsWith(OF_BUNDLES)) this.#bundles.set(set.name, new Set())
  }

  /** @throws AlvariumError `MESSAGE_MALFORMED`, `PROOF_INVALID` */
  addProof({ set: id, key, proof }: PackedProof): void {
    const set = this.#sets.get(id)
    if (!set) throw malformed('proof', 'one about a set of the pack that verifies', id)
    if (set.salt !== undefined) throw malformed('proof', 'one about a set without a salt', id)
    if (isAbsence(proof)) {
      verifyAbsent(set, proof, key)
      return
    }
    verifyMember(set, proof, key)
    this.#members.set(id, (this.#members.get(id) ?? new Set()).add(key))
    this.#shown.add(key)
  }

  addBundle({ hash, key, id }: VerifiedBundle): void {
    if (this.#bundles.size > 0) this.#bundles.get(OF_BUNDLES + nameOf({ hash, key }))?.add(id)
    // Proofs stand before the messages.
    if (hash === 'sha256' && this.#shown.has(key)) this.#known.add(key)
  }

  /** The sets all of whose payloads are shown, with the keys of those. */
  *listed(): Generator<readonly [set: string, keys: ReadonlySet<string>], void> {
    for (const [id, { size }] of this.#sets) {
      const keys = this.#members.get(id) ?? new Set()
      if (keys.size === size) yield [id, keys]
    }
  }

  /** Whether the bundles about a payload are those that somebody has sealed. Of several sets, one is enough. */
  async ofPayload(payload: PayloadName): Promise<PackWholeness> {
    const name = bundlesName(payload)
    const ids = name === undefined ? undefined : this.#bundles.get(name)
    if (!ids) return NOTHING
    const root = await rootOver(ids)
    const sets = [...this.#sets.values()].filter((set) => set.name === name && set.salt === undefined)
    if (sets.some((set) => set.size === ids.size && set.root === root)) return { by: 'sealed', missing: 0 }
    const most = sets.reduce((largest, { size }) => Math.max(largest, size), 0)
    return { by: 'nothing', missing: Math.max(0, most - ids.size) }
  }

  /** Whether all payloads of a set are here, with a bundle about each. */
  ofSet(id: string): PackWholeness {
    const set = this.#sets.get(id)
    if (!set) return NOTHING
    const known = [...(this.#members.get(id) ?? [])].filter((key) => this.#known.has(key)).length
    return known === set.size ? { by: 'members', missing: 0 } : { by: 'nothing', missing: set.size - known }
  }
}

/** Nothing shows that these are all. */
export const NOTHING: PackWholeness = { by: 'nothing', missing: 0 }

const ABSENCE = new TextEncoder().encode('{"messageType":"alvarium.SetProof/1","content":{"says":"absent"')

/** Proofs have one spelling. */
function isAbsence(proof: Uint8Array): boolean {
  return ABSENCE.every((byte, at) => proof[at] === byte)
}

async function rootOver(ids: ReadonlySet<string>): Promise<string> {
  const sorting = new Sorting()
  for (const id of ids) sorting.add(toBytes(id) as Uint8Array)
  return (await listOver(await sorting.sorted(), undefined)).root
}
