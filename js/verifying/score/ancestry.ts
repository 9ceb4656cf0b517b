import type { Input } from '../../foundation/model/bundle.js'
import type { PayloadEntry, PayloadIndex } from './payload-index.js'
import { nameOf, normalize, type PayloadName } from './payload-name.js'
import type { JudgedAncestor } from './scoring-input.js'

/** Payloads from which other payloads were made, directly or through others. */
export class Ancestry {
  readonly #payloads: PayloadIndex
  /** Payload keys in listed sets, by the ids of the sets. */
  readonly #members = new Map<string, Iterable<string>>()

  constructor(payloads: PayloadIndex) {
    this.#payloads = payloads
  }

  addMembers(set: string, keys: Iterable<string>): void {
    // Copy a generator: it would be empty the second time, and a payload that was made from nothing scores well.
    const isOnce = Object.is(keys[Symbol.iterator](), keys)
    this.#members.set(set, isOnce ? [...keys] : keys)
  }

  /** Returns the payloads from which a payload was directly made, each once. */
  parentsOf(payload: PayloadName): PayloadName[] {
    const found = new Map<string, PayloadName>()
    const known = this.#payloads.get(payload)
    for (const one of this.#inputsOf(known, new Set())) if (one) found.set(nameOf(one), one)
    return [...found.values()]
  }

  /**
   * Yields the payload and its ancestors: nearest first, each once, in short steps. A step that meets a known payload
   * yields undefined, because very many payloads may all be made from the same ones.
   */
  *steps(payload: PayloadName): Generator<JudgedAncestor | undefined, void> {
    const found = new Set([nameOf(payload)])
    const sets = new Set<string>()
    const self = this.#payloads.get(payload)
    const going = [{ known: self, depth: 0 }]
    yield this.#ancestor(normalize(payload), self, 0)
    // Let the list grow during the loop, and yield each payload when it is found: there may be very many.
    for (const { known, depth } of going) {
      for (const previous of this.#inputsOf(known, sets)) {
        const name = previous && nameOf(previous)
        if (!previous || !name || found.has(name)) {
          yield undefined
          continue
        }
        found.add(name)
        const its = this.#payloads.get(previous, name)
        if (its?.inputs) going.push({ known: its, depth: depth + 1 })
        yield this.#ancestor(previous, its, depth + 1)
      }
    }
  }

  #ancestor({ key, hash }: PayloadName, known: PayloadEntry | undefined, depth: number): JudgedAncestor {
    const isOfSet = known?.inputs?.some((inputs) => inputs.some((one) => this.#isUnlisted(one)))
    // Prefer the known gap, as the store does: a list of the set would not close it.
    const gap = known?.gap ?? (isOfSet ? 'set' : undefined)
    return { key, hash, depth, statements: known?.statements.list() ?? [], ...(gap && { gap }) }
  }

  #isUnlisted(input: Input): boolean {
    return 'set' in input && !this.#members.has(input.set)
  }

  /**
   * Yields the payloads from which a payload was made, possibly the same one twice. The members of a set come once, and
   * `undefined` when it is named again: a message of 5 MB may name a set of 100,000 payloads 65,536 times.
   *
   * @param sets - sets that were yielded; this adds to them
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
