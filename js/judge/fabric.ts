import { integer, readOptions, strict } from '../base/options/schema.js'
import { atOnce, inTurns } from '../base/time/steps.js'
import { annotationIdOf } from '../classic/annotation-id.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import { madeFromOf } from '../model/made-from.js'
import type { VerifiedBundle } from '../verify/options.js'
import { Ancestry } from './ancestry.js'
import type { Dossier, Gap, JudgedAncestor, Statement } from './dossier.js'
import { KnownPayloads } from './known.js'
import type { PayloadName } from './payload-name.js'

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
  readonly #payloads = new KnownPayloads()
  readonly #ancestry = new Ancestry(this.#payloads)
  readonly #ids = new Set<string>()

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
    const known = this.#payloads.add(
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
  addClassic({ annotations }: Pick<ClassicMessage, 'annotations'>): void {
    for (const one of annotations) {
      if (one.status === 'rejected') continue
      const { signer, signedBy, host, layer, kind, tag, isSatisfied } = one.value
      if (!this.#isNew(annotationIdOf(one.value))) continue
      const annotation = { kind, tag, isSatisfied }
      this.#payloads.add(one.value, {
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
    this.#ancestry.addMembers(set, keys)
  }

  /** Says that it is not known what all a payload was made from. What was made from it is judged as `unknown`. */
  addGap(payload: PayloadName, gap: Gap): void {
    this.#payloads.of(payload).gap = gap
  }

  /** All payloads that something was said about, in the order in which they were first heard of. */
  *payloads(): Generator<PayloadName, void> {
    for (const { key, hash, said } of this.#payloads.all()) {
      if (!said.isEmpty) yield { key, hash }
    }
  }

  /** What was said of a payload itself: alike said once, in the order in which it was last said. */
  statements(payload: PayloadName): Statement[] {
    return this.#payloads.get(payload)?.said.statements() ?? []
  }

  /** What bundles say that a payload was made from, one step back. */
  madeFrom(payload: PayloadName): PayloadName[] {
    return this.#ancestry.parentsOf(payload)
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
    for (const one of this.#ancestry.steps(payload)) {
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
      environments: yield* this.#payloads.environmentsOf(payloads),
      log: { size: this.size },
    }
  }

  /**
   * The payload, what it was made from, and so on: nearest first, each once, with what was said of it. Where one has a `gap`, these are not
   * all.
   */
  *lineage(payload: PayloadName): Generator<JudgedAncestor, void> {
    for (const one of this.#ancestry.steps(payload)) if (one) yield one
  }

  /**
   * The same in short steps, of which some give nothing.
   *
   * @internal
   */
  lineageSteps(payload: PayloadName): Generator<JudgedAncestor | undefined, void> {
    return this.#ancestry.steps(payload)
  }

  #isNew(id: string): boolean {
    const isNew = !this.#ids.has(id)
    this.#ids.add(id)
    return isNew
  }
}
