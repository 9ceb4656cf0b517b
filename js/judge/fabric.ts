import { integer, readOptions, strict } from '../base/options/schema.js'
import { atOnce, inTurns } from '../base/time/steps.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { Input } from '../model/bundle.js'
import { madeFromOf } from '../model/made-from.js'
import type { VerifiedBundle } from '../verify/options.js'
import { classicName, nameOf, type PayloadName } from './confidence.js'
import {
  type Dossier,
  type Environment,
  type EnvironmentName,
  environmentKey,
  environmentsOf,
  type Gap,
  type JudgedAncestor,
  type Statement,
} from './dossier.js'
import { Said, Statements } from './statements.js'

/** What is known of a payload. */
interface Known extends PayloadName {
  readonly said: Said
  /** What it was made from, as each of its bundles has it. Of most payloads there is nothing. */
  inputs?: (readonly Input[])[]
  gap?: Gap
}

/** How much of a fabric to look at. */
export interface DossierOptions {
  /** Most ancestors, 0 to 100,000: with more, what the payload was made from is unknown. Default `1_000`. */
  readonly limit?: number | undefined
}

/** The page of limits shows it. */
export const dossierSchema = strict({ limit: integer(0, 100_000, 1_000) })

/**
 * Verified bundles in memory, to judge payloads by. It keeps all that they say; `alvarium-sdk/store` does the same in a database.
 *
 * @example
 * ```ts
 * import { Fabric } from 'alvarium-sdk/judge'
 *
 * const fabric = new Fabric()
 * fabric.add(await verifyMessage(message, { keyring }))
 * console.log(fabric.size) // 1
 * ```
 */
export class Fabric {
  readonly #payloads = new Map<string, Known>()
  /** The last payload of which somebody spoke in a lower layer, under a tag. */
  readonly #newest = new Map<string, Known>()
  readonly #ids = new Set<string>()
  readonly #statements = new Statements()
  /** The payload keys in sets that are listed, by the ids of the sets. */
  readonly #members = new Map<string, Iterable<string>>()

  /** How many bundles it has, and annotations of other SDKs. */
  get size(): number {
    return this.#ids.size
  }

  /**
   * Adds a bundle. Nothing is verified here. A payload that was made from a sealed set gets the gap `set`, unless
   * {@link addMembers} says what is in the set.
   *
   * @returns whether it is new
   */
  add(bundle: VerifiedBundle): boolean {
    const { id, signer, signedBy, hash, key, host, layer, annotations } = bundle
    if (!this.#isNew(id)) return false
    const known = this.#addStatement(
      { hash, key },
      { signer: signedBy?.name ?? signer, host, layer, annotations },
    )
    const inputs = madeFromOf(bundle)
    if (inputs.length > 0) {
      known.inputs ??= []
      known.inputs.push(inputs)
    }
    return true
  }

  /** Adds what was verified of a message of a Go, Java, Rust or Python SDK. Nobody signed what was made from what. */
  addClassic({ annotations }: ClassicMessage): void {
    for (const one of annotations) {
      if (one.status === 'rejected') continue
      const { id, signer, signedBy, host, layer, kind, tag, isSatisfied } = one.value
      if (!this.#isNew(`${signer} ${id}`)) continue
      const annotation = { kind, tag, isSatisfied }
      this.#addStatement(classicName(one.value), {
        signer: signedBy?.name ?? signer,
        host,
        layer,
        annotations: [annotation],
      })
    }
  }

  /**
   * Says what is in a sealed set: what was made from it was made from these payloads. Nothing is verified here.
   *
   * @param set - its id: 64 lower-case hexadecimal digits
   * @param keys - the keys of all payloads in it, by sha256, as `keys()` of its list gives them
   */
  addMembers(set: string, keys: Iterable<string>): void {
    // A generator has nothing for who asks a second time, and what was made from nothing scores well.
    const isOnce = Object.is(keys[Symbol.iterator](), keys)
    this.#members.set(set, isOnce ? [...keys] : keys)
  }

  /** Says that it is not known what all a payload was made from. What was made from it is judged as `unknown`. */
  addGap(payload: PayloadName, gap: Gap): void {
    this.#knownOf(payload).gap = gap
  }

  /** All payloads that something was said about, in the order in which they were first heard of. */
  *payloads(): Generator<PayloadName, void> {
    for (const { key, hash, said } of this.#payloads.values()) {
      if (!said.isEmpty) yield { key, hash }
    }
  }

  /** What was said of a payload itself: alike said once, in the order in which it was last said. */
  statements(payload: PayloadName): Statement[] {
    return this.#payloads.get(nameOf(payload))?.said.statements() ?? []
  }

  /** What bundles say that a payload was made from, one step back. */
  madeFrom(payload: PayloadName): PayloadName[] {
    const known = this.#payloads.get(nameOf(payload))
    const found = new Map<string, PayloadName>()
    for (const one of this.#madeFrom(known, new Set())) if (one) found.set(nameOf(one), one)
    return [...found.values()]
  }

  /**
   * What a payload is judged by. If nobody spoke of it, there are no statements. With very many ancestors, a service takes
   * {@link dossierInTurns}.
   *
   * @throws AlvariumError `CONFIG_INVALID` naming the option
   */
  dossier(payload: PayloadName, options: DossierOptions = {}): Dossier {
    return atOnce(this.#dossierSteps(payload, readOptions(dossierSchema, options)))
  }

  /**
   * The same, and timers and sockets get their turn in between: with 65,536 ancestors, it takes 0.2 to 0.4 s. Bundles that are added meanwhile may
   * be in it or not, one by one: if others add some, ask again.
   *
   * @throws as {@link dossier}
   */
  async dossierInTurns(payload: PayloadName, options: DossierOptions = {}): Promise<Dossier> {
    return inTurns(this.#dossierSteps(payload, readOptions(dossierSchema, options)))
  }

  *#dossierSteps(payload: PayloadName, { limit }: { readonly limit: number }): Generator<void, Dossier> {
    const payloads: JudgedAncestor[] = []
    let isWhole = true
    for (const one of this.lineageSteps(payload)) {
      yield
      isWhole = payloads.length <= limit || one === undefined
      if (!isWhole) break
      if (one) payloads.push(one)
    }
    const [self, ...ancestors] = payloads as [JudgedAncestor, ...JudgedAncestor[]]
    const { depth: _, ...judged } = self
    return {
      payload: isWhole ? judged : { ...judged, gap: 'limit' },
      ancestors,
      environments: yield* this.#environmentsOf(payloads),
      log: { size: this.size },
    }
  }

  /**
   * The payload, what it was made from, and so on: nearest first, each once, with what was said of it. Where one has a `gap`, these are not
   * all.
   */
  *lineage(payload: PayloadName): Generator<JudgedAncestor, void> {
    for (const one of this.lineageSteps(payload)) if (one) yield one
  }

  /**
   * The same in short steps. One that comes to what was told before gives nothing: of very many payloads, each may be made from the same ones.
   *
   * @internal
   */
  *lineageSteps(payload: PayloadName): Generator<JudgedAncestor | undefined, void> {
    const found = new Set([nameOf(payload)])
    const sets = new Set<string>()
    const self = this.#payloads.get(nameOf(payload))
    const going = [{ known: self, depth: 0 }]
    yield this.#judged(payload, self, 0)
    // It grows as it is gone through. Each is told as it is found: of very many, not all at once.
    for (const { known, depth } of going) {
      for (const previous of this.#madeFrom(known, sets)) {
        const name = previous && nameOf(previous)
        if (!previous || !name || found.has(name)) {
          yield undefined
          continue
        }
        found.add(name)
        const its = this.#payloads.get(name)
        if (its?.inputs) going.push({ known: its, depth: depth + 1 })
        yield this.#judged(previous, its, depth + 1)
      }
    }
  }

  #judged({ key, hash }: PayloadName, known: Known | undefined, depth: number): JudgedAncestor {
    const isOfSet = known?.inputs?.some((inputs) => inputs.some((one) => this.#isUnlisted(one)))
    const gap = isOfSet ? 'set' : known?.gap
    return { key, hash, depth, statements: known?.said.statements() ?? [], ...(gap && { gap }) }
  }

  #isUnlisted(input: Input): boolean {
    return 'set' in input && !this.#members.has(input.set)
  }

  /**
   * One may come twice. What is in a set comes once, then nothing in its place: a message of 5 MB may name a set of 100,000 payloads 65,536
   * times.
   *
   * @param sets - those that have come; this adds to them
   */
  *#madeFrom(known: Known | undefined, sets: Set<string>): Generator<PayloadName | undefined, void> {
    for (const inputs of known?.inputs ?? []) {
      for (const input of inputs) {
        if (!('set' in input)) yield input
        else if (sets.has(input.set)) yield undefined
        else {
          sets.add(input.set)
          for (const key of this.#members.get(input.set) ?? []) yield { hash: 'sha256', key }
        }
      }
    }
  }

  *#environmentsOf(payloads: readonly JudgedAncestor[]): Generator<void, Environment[]> {
    const found = new Map<string, Environment>()
    let some: readonly Pick<JudgedAncestor, 'statements'>[] = payloads
    // Machines below hosts below applications: two steps down.
    for (let step = 0; step < 2; step++) {
      const below = new Map<string, Environment>()
      for (const { statements } of some) {
        yield
        for (const name of environmentsOf(statements)) {
          const key = environmentKey(name)
          const known = below.has(key) ? undefined : this.#environment(name)
          if (known) below.set(key, known)
        }
      }
      for (const [key, one] of below) found.set(key, one)
      some = [...below.values()]
    }
    return [...found.values()]
  }

  #environment({ layer, tag }: EnvironmentName): Environment | undefined {
    const known = this.#newest.get(environmentKey({ layer, tag }))
    if (!known) return undefined
    return { layer, tag, statements: known.said.statements().filter((one) => one.layer === layer) }
  }

  #addStatement(payload: PayloadName, statement: Statement): Known {
    const known = this.#knownOf(payload)
    known.said.add(this.#statements.oneOf(statement))
    const { layer, annotations } = statement
    if (layer === 'app') return known
    for (const { tag } of annotations) this.#newest.set(environmentKey({ layer, tag }), known)
    return known
  }

  #knownOf({ key, hash }: PayloadName): Known {
    const name = nameOf({ key, hash })
    const known = this.#payloads.get(name)
    if (known) return known
    const added: Known = { key, hash, said: new Said() }
    this.#payloads.set(name, added)
    return added
  }

  #isNew(id: string): boolean {
    const isNew = !this.#ids.has(id)
    this.#ids.add(id)
    return isNew
  }
}
