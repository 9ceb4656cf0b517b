import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { PackSubject } from 'alvarium-sdk/packs'
import { BundleGraph, nameOf, type PayloadName } from 'alvarium-sdk/score'
import { extractBundles, identityBytes, type VerifiedBundle } from 'alvarium-sdk/verify'
import { lineKindOf } from '../../evidence/packs/file/parts.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { addToSet } from '../../foundation/base/map-of-sets.js'
import { inputsOf } from '../../foundation/model/bundle.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import { unverifiedRow } from '../audit/refusals.js'
import { invalid } from '../fault.js'
import { inspectBundles, inspectClassic } from '../inspect/inspection.js'
import { isReadable, type ReadableMessage } from '../messages/found.js'
import { messagesOf } from '../messages/read.js'
import { ReadProgress } from '../messages/read-progress.js'
import type { Session } from '../session.js'
import { countOf } from '../terminal/words.js'
import { type Verdict, type VerifyContext, verdictsOn } from '../verify/verdict.js'

/** Index of the messages in the sources of a pack. Making the pack reads the sources again. */
export class Evidence {
  readonly leases: Uint8Array[] = []
  readonly checkpoints: Uint8Array[] = []
  readonly sets: Uint8Array[] = []
  hasOther = false
  /** Number of messages from which no payload key can be read. A pack about one payload or set omits them. */
  unreadable = 0
  /** Number of messages that no pack contains: manifests, and proofs and updates of sets. */
  #leftOut = 0
  readonly #sources: readonly string[]
  readonly #out: string
  readonly #session: Session
  readonly #fabric = new BundleGraph()
  /** Places of the bundles about each payload, as pairs of a message number and a bundle index. */
  readonly #places = new Map<string, number[]>()
  /** Ids of the sets that each payload was made from, by the payload's name. */
  readonly #madeFromSets = new Map<string, Set<string>>()
  /** Payload keys in each set whose list was read, by set id. */
  readonly #members = new Map<string, Iterable<string>>()
  readonly #ids = new Map<string, Set<string>>()
  readonly #batches = new Set<number>()
  #messages = 0

  /** @param out - path of the pack, which may be in a source folder and is then skipped */
  constructor(sources: readonly string[], out: string, session: Session) {
    this.#sources = sources
    this.#out = resolve(out)
    this.#session = session
  }

  /**
   * Reads all sources once.
   *
   * @param isPart - true if the pack will contain only some of the messages; `read` then verifies every message
   * @param payloads - payloads that the pack may be about
   */
  async read(trust: VerifyContext, isPart: boolean, payloads: readonly PayloadName[]): Promise<void> {
    for (const one of payloads) this.#ids.set(nameOf(one), new Set())
    for (const source of this.#sources)
      if (await isReadOnce(source))
        throw invalid('source', 'files or folders', 'standard input, which cannot be read twice')
    for await (const group of this.#all()) {
      if (this.#session.interrupted.aborted) return
      for (const one of group) this.#keepBeside(one.message)
      const bundles = group.filter(({ message }) => isBundles(message))
      if (isPart) await this.#place(bundles, trust)
    }
    if (this.#leftOut === 0) return
    const proofs = countOf(
      this.#leftOut,
      'manifest, proof or update of a set',
      'manifests, proofs or updates of sets',
    )
    await this.#session.err.note(`left out, as a pack has no such messages: ${proofs}`)
  }

  addMembers(set: string, keys: Iterable<string>): void {
    this.#members.set(set, keys)
    this.#fabric.addMembers(set, keys)
  }

  setsBehind(payload: PayloadName): Set<string> {
    return new Set(this.#lineage(payload).flatMap((one) => [...(this.#madeFromSets.get(nameOf(one)) ?? [])]))
  }

  async *#all(): AsyncGenerator<ReadableMessage[], void> {
    const progress = await ReadProgress.begin(this.#sources, this.#session)
    const messages = messagesOf(this.#sources, this.#session.input, progress.addBytes)
    for await (const found of progress.count(messages)) {
      for (const { place, message } of found) {
        if (!(message instanceof AlvariumError) || resolve(place) === this.#out) continue
        if (!this.hasOther) await this.#session.err.line(unverifiedRow(place, message))
        this.hasOther = true
      }
      yield found.filter(isReadable)
    }
  }

  #keepBeside(message: Uint8Array): void {
    const kind = lineKindOf(message)
    if (kind === undefined) this.#leftOut++
    else if (kind !== 'messages') this[kind].push(message)
  }

  async #place(found: readonly ReadableMessage[], trust: VerifyContext): Promise<void> {
    for (const [place, verdict] of (await verdictsOn(found, trust)).entries()) {
      const at = this.#messages++
      const { message } = found[place] as ReadableMessage
      for (const [index, name] of payloadsOf(verdict, message).entries()) {
        const places = this.#places.get(nameOf(name)) ?? []
        places.push(at, index)
        this.#places.set(nameOf(name), places)
      }
      if (verdict.format !== 'bundle') {
        if (payloadsOf(verdict, message).length === 0) this.unreadable++
        continue
      }
      if (verdict.bundles.length > 1) this.#batches.add(at)
      for (const bundle of verdict.bundles) {
        this.#fabric.add(bundle)
        this.#keepSets(bundle)
        this.#ids.get(nameOf(bundle))?.add(bundle.id)
      }
    }
  }

  #keepSets(bundle: VerifiedBundle): void {
    const sets = inputsOf(bundle).flatMap((input) => ('set' in input ? [input.set] : []))
    if (sets.length === 0) return
    const name = nameOf(bundle)
    const known = this.#madeFromSets.get(name) ?? new Set()
    this.#madeFromSets.set(name, known)
    for (const set of sets) known.add(set)
  }

  /** Returns whether a message is about a payload. Messages that did not verify count, too. */
  has(payload: PayloadName): boolean {
    return this.#places.has(nameOf(payload))
  }

  /** Returns the ids of all bundles about a requested payload, in the upper case that `sealSet` needs. */
  bundlesAbout(payload: PayloadName): string[] {
    return Array.from(this.#ids.get(nameOf(payload)) ?? [], (id) => id.toUpperCase())
  }

  /**
   * Yields the messages for a pack. Extracts from a batch only the bundles about the payload and its sources,
   * or about the members of the set.
   */
  async *messages(about: PackSubject): AsyncGenerator<Uint8Array, void> {
    const payloads = this.#payloadsOf(about)
    const wanted = payloads && this.#wanted(payloads)
    let at = 0
    for await (const group of this.#all()) {
      for (const { message } of group) {
        if (!isBundles(message)) continue
        const place = at++
        const places = wanted?.get(place)
        if (places && this.#batches.has(place)) yield* takenOut(message, places)
        else if (places || !wanted) yield message
      }
    }
  }

  #payloadsOf(about: PackSubject): Iterable<PayloadName> | undefined {
    if ('payload' in about) return this.#lineage(about.payload)
    return 'set' in about ? this.#membersOf(about.set) : undefined
  }

  *#membersOf(set: string): Generator<PayloadName, void> {
    for (const key of this.#members.get(set) ?? []) yield { hash: 'sha256', key }
  }

  #lineage(payload: PayloadName): PayloadName[] {
    return Array.from(this.#fabric.lineage(payload), ({ hash, key }) => ({ hash, key }))
  }

  #wanted(payloads: Iterable<PayloadName>): Map<number, Set<number>> {
    const wanted = new Map<number, Set<number>>()
    for (const name of payloads) {
      const places = this.#places.get(nameOf(name)) ?? []
      for (let at = 0; at < places.length; at += 2) {
        const message = places[at] as number
        addToSet(wanted, message, places[at + 1] as number)
      }
    }
    return wanted
  }
}

async function isReadOnce(source: string): Promise<boolean> {
  if (source === '-') return true
  const info = await stat(source).catch(() => undefined)
  return info !== undefined && !info.isFile() && !info.isDirectory()
}

function isBundles(message: Uint8Array): boolean {
  return lineKindOf(message) === 'messages'
}

/** Returns the payloads that a message is about, or claims to be about if it did not verify. */
function payloadsOf(verdict: Verdict, message: Uint8Array): readonly PayloadName[] {
  return verdict.format === 'bundle' ? verdict.bundles : claimedPayloads(message)
}

async function* takenOut(batch: Uint8Array, places: ReadonlySet<number>): AsyncGenerator<Uint8Array, void> {
  let index = 0
  for await (const bundle of extractBundles(batch)) if (places.has(index++)) yield bundle
}

/** Returns the payloads that an unverified message claims to be about; none if it is not a message. */
function claimedPayloads(message: Uint8Array): PayloadName[] {
  try {
    const classic = readIfClassic(message)
    const { bundles, annotations } = classic
      ? inspectClassic(classic)
      : inspectBundles(message, identityBytes(message))
    return [...bundles, ...annotations].map(({ hash, key }) => ({
      hash,
      key: hash === 'none' ? key : key.toUpperCase(),
    }))
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED') return []
    throw error
  }
}
