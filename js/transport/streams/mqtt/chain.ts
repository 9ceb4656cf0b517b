/** A member of a {@link Chain}. It holds links to its neighbours, which are undefined outside of a chain. */
export interface ChainMember<T extends ChainMember<T>> {
  before: T | undefined
  after: T | undefined
  chain: Chain<T> | undefined
}

/** A member that puts a value into a second chain, because the value's own links belong to its first one. */
export class Slot<T> implements ChainMember<Slot<T>> {
  before: Slot<T> | undefined = undefined
  after: Slot<T> | undefined = undefined
  chain: Chain<Slot<T>> | undefined = undefined
  readonly value: T

  constructor(value: T) {
    this.value = value
  }
}

/**
 * A queue that any member can leave in constant time, from any position. An array would shift. A `Set` that is emptied
 * from the front walks over its deleted members: 70,000 messages took seconds. Each table that a `Set` has outgrown
 * also refers to the next one, in V8. Once such a table is among the old objects, everything that was in the set since
 * then stays in memory until the next full collection.
 */
export class Chain<T extends ChainMember<T>> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get first(): T | undefined {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  /** Iterates from the first member to the last. No member may leave during the iteration. */
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

  /** Removes a member. @returns false, without a change, if the member is not in this chain */
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
