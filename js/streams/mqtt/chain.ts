/** What can be a member of a {@link Chain}: it carries its own neighbours, and has none outside of one. */
export interface Chained<T extends Chained<T>> {
  before: T | undefined
  after: T | undefined
  /** The chain that it is in. */
  chain: Chain<T> | undefined
}

/** Holds something in a chain that is in another one already. */
export class Slot<T> implements Chained<Slot<T>> {
  before: Slot<T> | undefined = undefined
  after: Slot<T> | undefined = undefined
  chain: Chain<Slot<T>> | undefined = undefined
  readonly of: T

  constructor(of: T) {
    this.of = of
  }
}

/**
 * A queue that any member can leave at once, wherever it stands. An array would shift, and a `Set` that is
 * emptied from the front walks over its deleted members: 70,000 messages took seconds. And each table that a `Set` has
 * outgrown refers to the next one, in V8: once one of them is among the old objects, all that was in the set since then is
 * kept until the next full collection.
 */
export class Chain<T extends Chained<T>> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get first(): T | undefined {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  /** From the first to the last; none may leave meanwhile. */
  *[Symbol.iterator](): Generator<T, void> {
    for (let member = this.#first; member; member = member.after) yield member
  }

  append(member: T): void {
    this.#size++
    member.chain = this
    member.before = this.#last
    if (this.#last) this.#last.after = member
    else this.#first = member
    this.#last = member
  }

  prepend(member: T): void {
    this.#size++
    member.chain = this
    member.after = this.#first
    if (this.#first) this.#first.before = member
    else this.#last = member
    this.#first = member
  }

  /** @returns whether it was in this chain; one that was not stays where it is */
  remove(member: T): boolean {
    if (member.chain !== this) return false
    this.#size--
    member.chain = undefined
    if (member.before) member.before.after = member.after
    else this.#first = member.after
    if (member.after) member.after.before = member.before
    else this.#last = member.before
    member.before = undefined
    member.after = undefined
    return true
  }
}
