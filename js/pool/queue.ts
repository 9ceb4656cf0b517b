import { expected } from '../base/errors.js'
import { Change } from '../base/time/change.js'
import { Tally } from '../base/time/tally.js'
import type { PoolLimits } from '../model/worker-pool.js'
import { type Context, Group, lastGroup, type OnSettled, type Waiter } from './group.js'

/** Calls and messages on their way to the workers, in groups. */
export class Queue {
  readonly #limits: PoolLimits
  /** Groups that still take calls. */
  readonly #open = new Map<Context, Group[]>()
  /** Groups that take no more. */
  readonly #full: Group[] = []
  readonly #pending = new Tally()
  /** Fewer calls wait than before. */
  readonly #left = new Change()
  #next = 0
  #bytes = 0

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /**
   * Puts a call or a message into a group.
   *
   * @param spread - over how many groups to spread calls: a few calls keep several workers busy too
   * @throws AlvariumError `QUEUE_FULL`
   * @throws TypeError when its buffer was transferred or has shrunk
   */
  add<Item>(context: Context<Item>, item: Item, waiter: Waiter, spread: number): void {
    const { packing } = context
    packing.assertWhole(item)
    this.#assertRoom(waiter.bytes)
    // From here on nothing fails: a group has all of its items or is none.
    const groups = this.#openGroups(context)
    const at = Math.min(this.#next++ % spread, groups.length)
    const group =
      this.#withRoom(groups, at, waiter.bytes) ??
      new Group(context, packing.empty(waiter.bytes), this.#settled)
    groups[at] = group
    group.add(item, waiter)
    if (group.isFull) this.#full.push(...groups.splice(at, 1))
    if (groups.length === 0) this.#open.delete(context)
    this.#pending.begin()
    this.#bytes += waiter.bytes
    context.pending++
  }

  /**
   * The next group that takes no more calls, or before it one that does and is older: where there is always a full
   * one, it would wait for ever.
   */
  takeFull(): Group | undefined {
    const [full] = this.#full
    return full && (this.#takeOpen(full.id) ?? this.#full.shift())
  }

  /** Whatever comes next, full or not. */
  take(): Group | undefined {
    return this.takeFull() ?? this.#takeOpen()
  }

  /**
   * Closes the groups so far: calls go into others from now on.
   *
   * @returns what {@link takeUntil} knows them by
   */
  mark(): number {
    this.#full.push(...[...this.#open.values()].flat())
    this.#open.clear()
    return lastGroup()
  }

  /** All groups up to a mark. */
  takeUntil(mark: number): readonly Group[] {
    const all = this.#full.splice(0)
    this.#full.push(...all.filter(({ id }) => id > mark))
    return all.filter(({ id }) => id <= mark)
  }

  /** Calls that have not settled, and their bytes. */
  get pending(): { readonly calls: number; readonly bytes: number } {
    return { calls: this.#pending.count, bytes: this.#bytes }
  }

  /** Whether so many more calls with so many bytes find room now; else when to ask again. */
  hasRoom(calls: number, bytes: number): true | Promise<void> {
    const { maxQueuedCalls, maxQueuedBytes } = this.#limits
    const isEmpty = this.#pending.count === 0 && calls <= 1
    const fits = this.#pending.count + calls <= maxQueuedCalls && this.#bytes + bytes <= maxQueuedBytes
    return isEmpty || fits || this.#left.next
  }

  /** The oldest group that still takes calls, of those that were begun before that one. */
  #takeOpen(before = Number.POSITIVE_INFINITY): Group | undefined {
    let oldest: Group | undefined
    for (const group of [...this.#open.values()].flat()) {
      if (group.id < (oldest?.id ?? before)) oldest = group
    }
    if (!oldest) return undefined
    const others = this.#openGroups(oldest.context).filter((group) => group !== oldest)
    if (others.length > 0) this.#open.set(oldest.context, others)
    else this.#open.delete(oldest.context)
    return oldest
  }

  /** Puts groups in front of all others. */
  putBack(groups: readonly Group[]): void {
    this.#full.unshift(...groups)
  }

  readonly #settled: OnSettled = (context, calls, bytes) => {
    context.pending -= calls
    this.#bytes -= bytes
    this.#pending.end(calls)
    this.#left.tell()
  }

  /** Resolves when all calls have settled. */
  empty(): Promise<void> {
    return this.#pending.none()
  }

  #withRoom(groups: readonly Group[], at: number, bytes: number): Group | undefined {
    const group = groups[at]
    if (!group || group.hasRoom(bytes)) return group
    this.#full.push(group)
    return undefined
  }

  #openGroups(context: Context): Group[] {
    const groups = this.#open.get(context) ?? []
    this.#open.set(context, groups)
    return groups
  }

  #assertRoom(bytes: number): void {
    const { maxQueuedCalls, maxQueuedBytes } = this.#limits
    const full = (most: string, got: string) =>
      expected('QUEUE_FULL', 'pool', `at most ${most} that have not settled`, got)
    if (this.#pending.count >= maxQueuedCalls) throw full(`${maxQueuedCalls} calls`, 'one more')
    if (this.#pending.count > 0 && this.#bytes + bytes > maxQueuedBytes) {
      throw full(`${maxQueuedBytes} bytes`, `${this.#bytes + bytes}`)
    }
  }
}
