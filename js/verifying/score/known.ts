import type { Input } from '../../foundation/model/bundle.js'
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

/** Known facts about a payload. */
export interface Known extends PayloadName {
  readonly said: StatementLog
  /** Inputs of the payload, by each of its bundles. Most payloads have none. */
  inputs?: (readonly Input[])[]
  gap?: Gap
}

/** Payloads, and the statements about them, about builds and about machines. */
export class KnownPayloads {
  readonly #payloads = new Map<string, Known>()
  /** Newest payload with a statement in a lower layer, by layer and tag. */
  readonly #newest = new Map<string, Known>()
  readonly #statements = new Statements()

  /** Returns all payloads, in the order of their first mention. */
  all(): Iterable<Known> {
    return this.#payloads.values()
  }

  get(payload: PayloadName, name = nameOf(payload)): Known | undefined {
    return this.#payloads.get(name)
  }

  /** Returns a payload, and adds it if it is new. */
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

  /** Returns the builds and machines on which payloads stand, in short steps. */
  *environmentsOf(payloads: readonly JudgedPayload[]): Generator<void, Environment[]> {
    const found = new Map<string, Environment>()
    let some: readonly Pick<JudgedPayload, 'statements'>[] = payloads
    // Take two steps down: machines are below hosts, and hosts below applications.
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
