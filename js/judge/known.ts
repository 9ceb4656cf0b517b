import type { Input } from '../model/bundle.js'
import {
  type Environment,
  type EnvironmentName,
  environmentKey,
  environmentsOf,
  type Gap,
  type JudgedPayload,
  type Statement,
} from './dossier.js'
import { nameOf, type PayloadName, spelled } from './payload-name.js'
import { StatementLog, Statements } from './statements.js'

/** What is known of a payload. */
export interface Known extends PayloadName {
  readonly said: StatementLog
  /** What it was made from, by each of its bundles. Most payloads were made from nothing. */
  inputs?: (readonly Input[])[]
  gap?: Gap
}

/** Payloads, and what was said of them, of builds and of machines. */
export class KnownPayloads {
  readonly #payloads = new Map<string, Known>()
  /** The last payload of which somebody spoke in a lower layer, under a tag. */
  readonly #newest = new Map<string, Known>()
  readonly #statements = new Statements()

  /** All of them, in the order in which they were first heard of. */
  all(): Iterable<Known> {
    return this.#payloads.values()
  }

  get(payload: PayloadName, name = nameOf(payload)): Known | undefined {
    return this.#payloads.get(name)
  }

  /** The same, of a payload that may be new. */
  of(payload: PayloadName): Known {
    const name = nameOf(payload)
    const known = this.#payloads.get(name)
    if (known) return known
    const added: Known = { ...spelled(payload), said: new StatementLog() }
    this.#payloads.set(name, added)
    return added
  }

  add(payload: PayloadName, statement: Statement): Known {
    const known = this.of(payload)
    known.said.add(this.#statements.oneOf(statement))
    const { layer, annotations } = statement
    if (layer === 'app') return known
    for (const { tag } of annotations) this.#newest.set(environmentKey({ layer, tag }), known)
    return known
  }

  /** The builds and machines that payloads stand on, in short steps. */
  *environmentsOf(payloads: readonly JudgedPayload[]): Generator<void, Environment[]> {
    const found = new Map<string, Environment>()
    let some: readonly Pick<JudgedPayload, 'statements'>[] = payloads
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
}
