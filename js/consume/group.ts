import type * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, readOptions, strict } from '../base/options/schema.js'
import type { Received, ReceivedBundle, ReceivedClassic } from './received.js'
import { type Delivered, Settlement } from './settlement.js'

/** How large a group may get, and how long its first bundle waits for others. */
export interface GroupOptions {
  /** Most bundles of a group. Raise `prefetch` with it: no more messages than that are here at a time. Default `256`. */
  readonly max?: number | undefined
  /** Milliseconds for which the first bundle of a group waits for others. Default `100`. */
  readonly maxMs?: number | undefined
}

/** What the options say, with every default filled in. */
export type GroupSettings = v.InferOutput<typeof schema>

/** The page of limits shows it. */
export const schema = strict({
  max: integer(1, 65_536, 256),
  maxMs: integer(1, LONGEST_TIMEOUT, 100),
})

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readGroupOptions(options: GroupOptions = {}): GroupSettings {
  return readOptions(schema, options, 'groups')
}

/** Bundles that are processed together, for example by one statement of a database. */
export interface Group<One extends Received = ReceivedBundle> {
  /** At least one; in the order in which they came. */
  readonly bundles: readonly One[]
  /**
   * Acknowledges all of them. Asking for the next group does it too, unless `ack` is `'manual'`. A bundle whose own `ack()` or
   * `nack()` was called before keeps that. Further calls do nothing.
   *
   * @returns resolves when `dedup` has marked the bundles, and the acknowledgements are being sent. Nobody has to wait for it: a
   * failure is logged as well
   * @throws AlvariumError `STORE_FAILED` when the store of `dedup` fails; the bundles are then neither marked nor acknowledged, and
   * it may be tried again
   *
   * @example
   * ```ts
   * for await (const group of bundles.groups({ max: 1_000 })) {
   *   for (const { id, key } of group.bundles) console.log(id, key)
   *   await group.ack() // with `break` alone, the group would be redelivered
   *   break
   * }
   * ```
   */
  ack(): Promise<void>
  /** Has them redelivered, except those that were acknowledged before, as `nack()` of each does. */
  nack(): void
}

/** A bundle of a group, and how it is settled once `dedup` knows of it. */
export interface Member {
  readonly bundle: Delivered
  settle(done: boolean): void
}

/** Tells `dedup` about bundles; a promise only if there is something to wait for. */
type MarkIds = (ids: readonly string[], done: boolean) => Promise<void> | undefined

/** A group that was delivered. */
export class HeldGroup implements Group<ReceivedBundle | ReceivedClassic> {
  readonly bundles: readonly Delivered[]
  readonly #members: readonly Member[]
  readonly #mark: MarkIds
  #acking: Promise<void> | undefined

  constructor(members: readonly Member[], mark: MarkIds) {
    this.bundles = members.map(({ bundle }) => bundle)
    this.#members = members
    this.#mark = mark
  }

  ack(): Promise<void> {
    if (!this.#acking) {
      this.#acking = this.#ack()
      // It may be tried again. A caller that does not wait for it must not lose the process over it.
      this.#acking.catch(() => {
        this.#acking = undefined
      })
    }
    return this.#acking
  }

  nack(): void {
    const left = this.#unsettled()
    const settle = () => {
      for (const one of left) one.settle(false)
    }
    const marking = this.#mark(idsOf(left), false)
    if (marking) void marking.then(settle)
    else settle()
  }

  async #ack(): Promise<void> {
    const left = this.#unsettled()
    let settled = 0
    try {
      await this.#mark(idsOf(left), true)
      for (const one of left) {
        one.settle(true)
        settled++
      }
    } catch (error) {
      for (const { bundle } of left.slice(settled)) Settlement.reopen(bundle)
      throw error
    }
    await Promise.all(this.bundles.map(Settlement.pendingOf))
  }

  /** Those that nobody has settled. They are settled from now on. */
  #unsettled(): Member[] {
    return this.#members.filter(({ bundle }) => Settlement.begin(bundle))
  }
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ bundle }) => bundle.id)
}
