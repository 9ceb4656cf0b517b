import type { Annotation } from '../model/bundle.js'
import type { Statement } from './dossier.js'

/** So many are looked through: signers say the same again and again, of one payload after the other. */
const MOST_KNOWN = 1_024

/** Statements that are alike are one object here, as nearly all are: most memory went into them. */
export class Statements {
  readonly #known = new Map<string, Statement>()

  /** The statement without the ids of its annotations, or one that is alike and was asked for lately. */
  oneOf({ signer, host, layer, annotations }: Statement): Statement {
    const statement = { signer, host, layer, annotations: annotations.map(withoutId) }
    const text = JSON.stringify(statement)
    const known = this.#known.get(text)
    if (known) return known
    this.#known.set(text, statement)
    // The oldest is the first.
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value as string)
    return statement
  }
}

function withoutId({ kind, tag, isSatisfied }: Omit<Annotation, 'id'>): Omit<Annotation, 'id'> {
  return { kind, tag, isSatisfied }
}

/** What was said of one payload, alike said once, in the order in which it was last said. */
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
