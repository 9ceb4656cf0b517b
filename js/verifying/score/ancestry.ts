import type { Input } from '../../foundation/model/bundle.js'
import type { PayloadEntry, PayloadIndex } from './payload-index.js'
import { nameOf, normalize, type PayloadName } from './payload-name.js'
import type { AncestorStatements } from './scoring-input.js'

/** Finds the ancestors of payloads: the payloads from which they were made, directly or through others. */
export class Ancestry {
  readonly #payloads: PayloadIndex
  /** Payload keys of the members of sealed sets, by the id of the set. Contains only sets with a known list. */
  readonly #members = new Map<string, Iterable<string>>()

  constructor(payloads: PayloadIndex) {
    this.#payloads = payloads
  }

  addMembers(set: string, keys: Iterable<string>): void {
    // Copy the values of a generator, because it yields none on a second read. Missing ancestors would raise a score.
    const isOnce = Object.is(keys[Symbol.iterator](), keys)
    this.#members.set(set, isOnce ? [...keys] : keys)
  }

  parentsOf(payload: PayloadName): PayloadName[] {
    const found = new Map<string, PayloadName>()
    const known = this.#payloads.get(payload)
    for (const one of this.#inputsOf(known, new Set())) if (one) found.set(nameOf(one), one)
    return [...found.values()]
  }

  setsOf(payload: PayloadName): string[] {
    const inputs = this.#payloads.get(payload)?.inputs?.flat() ?? []
    return [...new Set(inputs.flatMap((input) => ('set' in input ? [input.set] : [])))]
  }

  /**
   * Yields the payload and its ancestors, nearest first, each once. Yields undefined for an ancestor that was
   * already yielded. The caller can thus pause during a long series of repeated ancestors.
   */
  *steps(payload: PayloadName): Generator<AncestorStatements | undefined, void> {
    const found = new Set([nameOf(payload)])
    const sets = new Set<string>()
    const self = this.#payloads.get(payload)
    const going = [{ known: self, depth: 0 }]
    yield this.#ancestor(normalize(payload), self, 0)
    // Append to the list during the loop, and yield each payload as soon as it is found.
    for (const { known, depth } of going) {
      for (const previous of this.#inputsOf(known, sets)) {
        const name = previous && nameOf(previous)
        if (!previous || !name || found.has(name)) {
          yield undefined
          continue
        }
        found.add(name)
        const entry = this.#payloads.get(previous, name)
        if (entry?.inputs) going.push({ known: entry, depth: depth + 1 })
        yield this.#ancestor(previous, entry, depth + 1)
      }
    }
  }

  #ancestor({ key, hash }: PayloadName, known: PayloadEntry | undefined, depth: number): AncestorStatements {
    const isOfSet = known?.inputs?.some((inputs) => inputs.some((one) => this.#isUnlisted(one)))
    // Prefer a recorded gap to `set`, as the store does, because the list of the set would not fill the recorded gap.
    const gap = known?.gap ?? (isOfSet ? 'set' : undefined)
    return { key, hash, depth, statements: known?.statements.list() ?? [], ...(gap && { gap }) }
  }

  #isUnlisted(input: Input): boolean {
    return 'set' in input && !this.#members.has(input.set)
  }

  /**
   * Yields the payloads from which a payload was made, possibly with repetitions. Yields undefined if a set
   * is named again. Without this rule, a message of 5 MB could make this function yield 100,000 payloads
   * 65,536 times.
   *
   * @param sets - ids of sets that were already yielded; this function adds to them
   */
  *#inputsOf(known: PayloadEntry | undefined, sets: Set<string>): Generator<PayloadName | undefined, void> {
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
}
