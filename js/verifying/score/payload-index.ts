import type { Annotation, Input } from '../../foundation/model/bundle.js'
import { nameOf, normalize, type PayloadName } from './payload-name.js'
import {
  type Environment,
  type EnvironmentName,
  environmentKey,
  environmentsOf,
  type Gap,
  type PayloadStatements,
  type Statement,
} from './scoring-input.js'

/**
 * Number of recent statements to compare with a new one, because signers repeat a statement for one payload
 * after another.
 */
const MAX_RECENT_STATEMENTS = 1_024

/** Makes equal statements share one object, because most are equal and separate objects would fill the memory. */
class StatementCache {
  readonly #recent = new Map<string, Statement>()

  share({ signer, host, layer, annotations }: Statement): Statement {
    const statement = { signer, host, layer, annotations: annotations.map(withoutId) }
    const text = JSON.stringify(statement)
    const known = this.#recent.get(text)
    if (known) return known
    this.#recent.set(text, statement)
    if (this.#recent.size > MAX_RECENT_STATEMENTS)
      this.#recent.delete(this.#recent.keys().next().value as string)
    return statement
  }
}

function withoutId({ kind, tag, isSatisfied }: Omit<Annotation, 'id'>): Omit<Annotation, 'id'> {
  return { kind, tag, isSatisfied }
}

/** Counts equal statements about a payload. Lists them in the order in which they were last stated. */
class StatementCounts {
  readonly #counts = new Map<Statement, number>()

  add(statement: Statement): void {
    const count = this.#counts.get(statement) ?? 0
    if (count > 0) this.#counts.delete(statement)
    this.#counts.set(statement, count + 1)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  list(): Statement[] {
    return [...this.#counts].map(([one, count]) => (count === 1 ? one : { ...one, count }))
  }
}

export interface PayloadEntry extends PayloadName {
  readonly statements: StatementCounts
  /** Inputs that each bundle states for the payload; undefined for most payloads. */
  inputs?: (readonly Input[])[]
  gap?: Gap
}

export class PayloadIndex {
  readonly #payloads = new Map<string, PayloadEntry>()
  /** Newest payload with an annotation of a layer below `app`, by the layer and tag of the annotation. */
  readonly #newest = new Map<string, PayloadEntry>()
  readonly #statements = new StatementCache()

  /** Returns all payloads, in the order in which they were first mentioned. */
  all(): Iterable<PayloadEntry> {
    return this.#payloads.values()
  }

  get(payload: PayloadName, name = nameOf(payload)): PayloadEntry | undefined {
    return this.#payloads.get(name)
  }

  /** Returns the entry of a payload. Adds an entry if the payload is new. */
  of(payload: PayloadName): PayloadEntry {
    const name = nameOf(payload)
    const known = this.#payloads.get(name)
    if (known) return known
    const added: PayloadEntry = { ...normalize(payload), statements: new StatementCounts() }
    this.#payloads.set(name, added)
    return added
  }

  add(payload: PayloadName, statement: Statement): PayloadEntry {
    const known = this.of(payload)
    known.statements.add(this.#statements.share(statement))
    const { layer, annotations } = statement
    if (layer === 'app') return known
    for (const { tag } of annotations) this.#newest.set(environmentKey({ layer, tag }), known)
    return known
  }

  *environmentsOf(payloads: readonly PayloadStatements[]): Generator<void, Environment[]> {
    const found = new Map<string, Environment>()
    let dependents: readonly Pick<PayloadStatements, 'statements'>[] = payloads
    // Go down two layers: applications depend on builds and hosts, and hosts on machines.
    for (let step = 0; step < 2; step++) {
      const below = new Map<string, Environment>()
      for (const { statements } of dependents) {
        yield
        for (const name of environmentsOf(statements)) {
          const key = environmentKey(name)
          const known = below.has(key) ? undefined : this.#environment(name)
          if (known) below.set(key, known)
        }
      }
      for (const [key, one] of below) found.set(key, one)
      dependents = [...below.values()]
    }
    return [...found.values()]
  }

  #environment({ layer, tag }: EnvironmentName): Environment | undefined {
    const known = this.#newest.get(environmentKey({ layer, tag }))
    if (!known) return undefined
    return { layer, tag, statements: known.statements.list().filter((one) => one.layer === layer) }
  }
}
