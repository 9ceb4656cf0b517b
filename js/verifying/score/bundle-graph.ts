import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { runSync, runYielding } from '../../foundation/base/time/turns.js'
import { inputsOf } from '../../foundation/model/bundle.js'
import { annotationIdOf } from '../classic/ids.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import type { VerifiedBundle } from '../verify/options.js'
import { Ancestry } from './ancestry.js'
import { PayloadIndex } from './payload-index.js'
import type { PayloadName } from './payload-name.js'
import type { AncestorStatements, Gap, ScoringInput, Statement } from './scoring-input.js'

/** Options of `scoringInput` and `scoringInputInTurns`. */
export interface ScoringInputOptions {
  /** Maximum number of ancestors, 0 to 100,000. With more, the result's payload has `gap: 'limit'`. Default `1_000`. */
  readonly limit?: number | undefined
}

/** Valibot schema of {@link ScoringInputOptions}. Exported because the docs list its limits. */
export const scoringInputSchema = strict({ limit: integer(0, 100_000, 1_000) })

/**
 * Verified bundles in memory, for scoring payloads. For a database, use `alvarium-sdk/store`.
 *
 * @example
 * ```ts
 * import { BundleGraph } from 'alvarium-sdk/score'
 *
 * const graph = new BundleGraph()
 * graph.add(await verifyMessage(message, { keyring }))
 * console.log(graph.size) // 1
 * ```
 */
export class BundleGraph {
  readonly #payloads = new PayloadIndex()
  readonly #ancestry = new Ancestry(this.#payloads)
  readonly #ids = new Set<string>()

  /** Number of bundles, plus the number of annotations in classic messages. */
  get size(): number {
    return this.#ids.size
  }

  /**
   * Adds a verified bundle. Verifies nothing. A payload that was made from a sealed set has `gap: 'set'`,
   * unless {@link addMembers} adds the members of the set.
   *
   * @returns whether the bundle is new
   */
  add(bundle: VerifiedBundle): boolean {
    const { id, signer, signedBy, hash, key, host, layer, annotations } = bundle
    if (!this.#isNew(id)) return false
    const known = this.#payloads.add(
      { hash, key },
      { signer: signedBy?.name ?? signer, host, layer, annotations },
    )
    const inputs = inputsOf(bundle)
    if (inputs.length > 0) {
      known.inputs ??= []
      known.inputs.push(inputs)
    }
    return true
  }

  /** Adds the verified annotations of a classic message. Ignores its inputs, because they are unsigned. */
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
   * Adds the members of a sealed set as ancestors of payloads made from the set. Verifies nothing.
   *
   * @param set - id of the set: 64 lower-case hexadecimal digits
   * @param keys - SHA-256 payload keys of all members, such as `keys()` of the set's list
   */
  addMembers(set: string, keys: Iterable<string>): void {
    this.#ancestry.addMembers(set, keys)
  }

  /** Marks some sources of a payload as unknown. Payloads made from it then score `unknown`, too. */
  addGap(payload: PayloadName, gap: Gap): void {
    this.#payloads.of(payload).gap = gap
  }

  /** Yields all payloads with statements, in the order in which the payloads were first added. */
  *payloads(): Generator<PayloadName, void> {
    for (const { key, hash, statements } of this.#payloads.all()) {
      if (!statements.isEmpty) yield { key, hash }
    }
  }

  /**
   * Returns the statements about a payload, ordered by their last occurrence. Equal statements are listed
   * once, unless many other statements were added in between.
   */
  statements(payload: PayloadName): Statement[] {
    return this.#payloads.get(payload)?.statements.list() ?? []
  }

  /** Returns the payloads from which a payload was directly made, according to its bundles. */
  madeFrom(payload: PayloadName): PayloadName[] {
    return this.#ancestry.parentsOf(payload)
  }

  /** Returns the ids of the sealed sets from which a payload was directly made, according to its bundles. */
  madeFromSets(payload: PayloadName): string[] {
    return this.#ancestry.setsOf(payload)
  }

  /**
   * Gathers everything on which the score of a payload depends. A payload without bundles has no statements.
   * For payloads with many ancestors, a service should call {@link scoringInputInTurns}.
   *
   * @throws AlvariumError `CONFIG_INVALID` naming the option
   */
  scoringInput(payload: PayloadName, options: ScoringInputOptions = {}): ScoringInput {
    return runSync(this.#scoringInputSteps(payload, readOptions(scoringInputSchema, options)))
  }

  /**
   * Gathers the same as {@link scoringInput}, and yields to the event loop. With 65,536 ancestors it takes
   * 0.2 to 0.4 s. Bundles that are added meanwhile may be missing.
   *
   * @throws AlvariumError as {@link scoringInput} does
   */
  async scoringInputInTurns(payload: PayloadName, options: ScoringInputOptions = {}): Promise<ScoringInput> {
    return runYielding(this.#scoringInputSteps(payload, readOptions(scoringInputSchema, options)))
  }

  *#scoringInputSteps(
    payload: PayloadName,
    { limit }: { readonly limit: number },
  ): Generator<void, ScoringInput> {
    const payloads: AncestorStatements[] = []
    let isWhole = true
    for (const one of this.#ancestry.steps(payload)) {
      yield
      isWhole = payloads.length <= limit || one === undefined
      if (!isWhole) break
      if (one) payloads.push(one)
    }
    const [self, ...ancestors] = payloads as [AncestorStatements, ...AncestorStatements[]]
    const { depth: _, ...named } = self
    return {
      payload: isWhole ? named : { ...named, gap: 'limit' },
      ancestors,
      environments: yield* this.#payloads.environmentsOf(payloads),
      log: { size: this.size },
    }
  }

  /** Yields the payload and its ancestors, nearest first. If one has a `gap`, some ancestors are missing. */
  *lineage(payload: PayloadName): Generator<AncestorStatements, void> {
    for (const one of this.#ancestry.steps(payload)) if (one) yield one
  }

  /**
   * Yields the payload and its ancestors in short steps. Yields undefined for a step that found no new ancestor.
   *
   * @internal
   */
  lineageSteps(payload: PayloadName): Generator<AncestorStatements | undefined, void> {
    return this.#ancestry.steps(payload)
  }

  #isNew(id: string): boolean {
    const isNew = !this.#ids.has(id)
    this.#ids.add(id)
    return isNew
  }
}
