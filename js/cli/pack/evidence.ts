import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Fabric, nameOf, type PayloadName } from 'alvarium-sdk/judge'
import type { PackSubject } from 'alvarium-sdk/packs'
import { extractBundles, type VerifiedBundle } from 'alvarium-sdk/verify'
import { AlvariumError } from '../../base/errors.js'
import { madeFromOf } from '../../model/made-from.js'
import { lineKindOf } from '../../packs/kind.js'
import { unverifiedRow } from '../audit/report.js'
import { invalid } from '../fault.js'
import { isReadable, type ReadableMessage } from '../messages/found.js'
import { messagesOf } from '../messages/read.js'
import { ReadProgress } from '../messages/read-progress.js'
import type { Session } from '../session.js'
import { type Verdict, type VerifyContext, verdictsOn } from '../verify/verdict.js'
import { claimedPayloads } from './claimed.js'

/** What was found in the sources of a pack, before it is made: they are read twice, and not kept. */
export class Evidence {
  readonly leases: Uint8Array[] = []
  readonly checkpoints: Uint8Array[] = []
  readonly sets: Uint8Array[] = []
  /** Whether there was something that is no message. */
  hasOther = false
  /** Messages of which nobody can tell what they are about: those are in no pack about a payload or a set. */
  unreadable = 0
  readonly #sources: readonly string[]
  readonly #out: string
  readonly #session: Session
  readonly #fabric = new Fabric()
  /** Which bundles of which messages are about a payload: their places, two numbers for each. */
  readonly #places = new Map<string, number[]>()
  /** The ids of the sets that a payload was made from. */
  readonly #madeFromSets = new Map<string, Set<string>>()
  /** The payload keys in sets whose lists are known, by the ids of the sets. */
  readonly #members = new Map<string, Iterable<string>>()
  /** The ids of bundles about each payload that may be asked for. */
  readonly #ids = new Map<string, Set<string>>()
  /** Which messages are batches. */
  readonly #batches = new Set<number>()
  #messages = 0

  /** @param out - of the pack, which is no source: it may come into being in a folder that is one */
  constructor(sources: readonly string[], out: string, session: Session) {
    this.#sources = sources
    this.#out = resolve(out)
    this.#session = session
  }

  /**
   * Reads all of it once.
   *
   * @param isPart - whether a part of the messages is asked for: then they are verified, too
   * @param asked - the payloads that may be asked for
   */
  async read(trust: VerifyContext, isPart: boolean, asked: readonly PayloadName[]): Promise<void> {
    for (const one of asked) this.#ids.set(nameOf(one), new Set())
    for (const source of this.#sources)
      if (await isReadOnce(source))
        throw invalid('source', 'files or folders, as they are read twice', 'what is piped in')
    for await (const some of this.#all()) {
      if (this.#session.interrupted.aborted) return
      for (const one of some) this.#keepBeside(one.message)
      const bundles = some.filter(({ message }) => isBundles(message))
      if (isPart) await this.#place(bundles, trust)
    }
  }

  /** Says what is in a set. */
  addMembers(set: string, keys: Iterable<string>): void {
    this.#members.set(set, keys)
    this.#fabric.addMembers(set, keys)
  }

  /** The ids of the sets that a payload was made from, near or far. */
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
    if (kind !== 'messages') this[kind].push(message)
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
    const sets = madeFromOf(bundle).flatMap((input) => ('set' in input ? [input.set] : []))
    if (sets.length === 0) return
    const name = nameOf(bundle)
    const known = this.#madeFromSets.get(name) ?? new Set()
    this.#madeFromSets.set(name, known)
    for (const set of sets) known.add(set)
  }

  /** Returns whether a message is about a payload, or claims to be. */
  has(payload: PayloadName): boolean {
    return this.#places.has(nameOf(payload))
  }

  /** Returns the ids of all bundles about a payload that was asked for, as `sealSet` takes them. */
  bundlesAbout(payload: PayloadName): string[] {
    return Array.from(this.#ids.get(nameOf(payload)) ?? [], (id) => id.toUpperCase())
  }

  /** The messages for a pack. Of a batch, only the bundles that are about the payload and what it was made from, or about those of a set. */
  async *messages(about: PackSubject): AsyncGenerator<Uint8Array, void> {
    const payloads = this.#payloadsOf(about)
    const wanted = payloads && this.#wanted(payloads)
    let at = 0
    for await (const some of this.#all()) {
      for (const { message } of some) {
        if (!isBundles(message)) continue
        const place = at++
        const places = wanted?.get(place)
        if (places && this.#batches.has(place)) yield* takenOut(message, places)
        else if (places || !wanted) yield message
      }
    }
  }

  /** Those whose messages are packed; nothing if all are. */
  #payloadsOf(about: PackSubject): Iterable<PayloadName> | undefined {
    if ('payload' in about) return this.#lineage(about.payload)
    return 'set' in about ? this.#membersOf(about.set) : undefined
  }

  *#membersOf(set: string): Generator<PayloadName, void> {
    for (const key of this.#members.get(set) ?? []) yield { hash: 'sha256', key }
  }

  /** A payload, and what it was made from. */
  #lineage(payload: PayloadName): PayloadName[] {
    return Array.from(this.#fabric.lineage(payload), ({ hash, key }) => ({ hash, key }))
  }

  #wanted(payloads: Iterable<PayloadName>): Map<number, Set<number>> {
    const wanted = new Map<number, Set<number>>()
    for (const name of payloads) {
      const places = this.#places.get(nameOf(name)) ?? []
      for (let at = 0; at < places.length; at += 2) {
        const message = places[at] as number
        wanted.set(message, (wanted.get(message) ?? new Set()).add(places[at + 1] as number))
      }
    }
    return wanted
  }
}

/** Whether nothing is left of it for a second time. */
async function isReadOnce(source: string): Promise<boolean> {
  if (source === '-') return true
  const info = await stat(source).catch(() => undefined)
  return info !== undefined && !info.isFile() && !info.isDirectory()
}

function isBundles(message: Uint8Array): boolean {
  return lineKindOf(message) === 'messages'
}

/** Returns the payloads that a message is about. One that does not verify is about what it claims: it belongs to the pack, which counts it. */
function payloadsOf(verdict: Verdict, message: Uint8Array): readonly PayloadName[] {
  return verdict.format === 'bundle' ? verdict.bundles : claimedPayloads(message)
}

async function* takenOut(batch: Uint8Array, places: ReadonlySet<number>): AsyncGenerator<Uint8Array, void> {
  let index = 0
  for await (const bundle of extractBundles(batch)) if (places.has(index++)) yield bundle
}
