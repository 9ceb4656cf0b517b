import type { Annotation } from '../../foundation/model/bundle.js'
import type { Statement } from './dossier.js'

/** Limit of the statements that are compared: signers repeat themselves about one payload after the other. */
const MOST_KNOWN = 1_024

/** Statements, of which equal ones share one object: nearly all are equal, and took most of the memory. */
export class Statements {
  readonly #known = new Map<string, Statement>()

  /** Returns the statement without the ids of its annotations, or a recent equal one. */
  oneOf({ signer, host, layer, annotations }: Statement): Statement {
    const statement = { signer, host, layer, annotations: annotations.map(withoutId) }
    const text = JSON.stringify(statement)
    const known = this.#known.get(text)
    if (known) return known
    this.#known.set(text, statement)
    // Drop the oldest statement, which is the first.
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value as string)
    return statement
  }
}

function withoutId({ kind, tag, isSatisfied }: Omit<Annotation, 'id'>): Omit<Annotation, 'id'> {
  return { kind, tag, isSatisfied }
}

/** Statements about one payload: equal ones once, in the order in which they were last stated. */
export class StatementLog {
  readonly #counts = new Map<Statement, number>()

  add(statement: Statement): void {
    const count = this.#counts.get(statement) ?? 0
    if (count > 0) this.#counts.delete(statement)
    this.#counts.set(statement, count + 1)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  statements(): Statement[] {
    return [...this.#counts].map(([one, count]) => (count === 1 ? one : { ...one, count }))
  }
}
