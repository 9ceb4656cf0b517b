import type * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, readOptions, strict } from '../base/options/schema.js'
import { VERSION } from '../base/version.js'
import type { Received, ReceivedBundle, ReceivedClassic } from './received.js'
import { type Delivered, Settlement } from './settlement.js'
import type { Came, WatchTrust } from './watch.js'

/** Limits of a group: its size, and how long its first bundle waits for others. */
export interface GroupOptions {
  /** Most bundles of a group. Raise `prefetch` with it: no more messages than that are here at a time. Default `256`. */
  readonly max?: number | undefined
  /** Milliseconds for which the first bundle of a group waits for others. Default `100`. */
  readonly maxMs?: number | undefined
  /** @internal */
  readonly [BESIDE]?: TakesBeside | undefined
}

/**
 * @internal Takes what signers publish beside their bundles, leases and checkpoints: a subscription delivers them in its groups then, and acknowledges
 * each with its group. With the version, as what is internal to it is used by whoever is handed one.
 */
export const BESIDE: unique symbol = Symbol.for(`alvarium-sdk.Beside ${VERSION}`)

/** What verifies leases and checkpoints. */
export interface TakesBeside<Verified extends object = object> {
  /** @throws AlvariumError for one that does not verify */
  verify(came: Came, trust: WatchTrust): Promise<Verified | 'passed over'>
}

/** What the options say, with every default filled in. */
export type GroupSettings = v.InferOutput<typeof schema>

/** The page of limits shows it. */
export const schema = strict({
  max: integer(1, 65_536, 256),
  maxMs: integer(1, LONGEST_TIMEOUT, 100),
})

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readGroupOptions({ [BESIDE]: _, ...options }: GroupOptions = {}): GroupSettings {
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
  /** @internal What was verified beside them, for whoever has asked for it; then there may be no bundles. */
  readonly [BESIDE]?: readonly object[] | undefined
}

/** A bundle of a group, and how it is settled once `dedup` knows of it. */
export interface Member {
  readonly bundle: Delivered
  settle(done: boolean): void
}

/** A lease or a checkpoint of a group, and how it is settled. */
export interface BesideMember {
  readonly verified: object
  settle(done: boolean): void
}

/** Tells `dedup` about bundles; a promise only if there is something to wait for. */
type MarkIds = (ids: readonly string[], done: boolean) => Promise<void> | undefined

/** A group that was delivered. */
export class HeldGroup implements Group<ReceivedBundle | ReceivedClassic> {
  readonly bundles: readonly Delivered[]
  readonly [BESIDE]: readonly object[]
  readonly #members: readonly Member[]
  /** Those that nobody has settled. */
  #beside: readonly BesideMember[]
  readonly #mark: MarkIds
  #acking: Promise<void> | undefined

  constructor(members: readonly Member[], beside: readonly BesideMember[], mark: MarkIds) {
    this.bundles = members.map(({ bundle }) => bundle)
    this[BESIDE] = beside.map(({ verified }) => verified)
    this.#members = members
    this.#beside = beside
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
      this.#settleBeside(false)
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
      this.#settleBeside(true)
    } catch (error) {
      for (const { bundle } of left.slice(settled)) Settlement.reopen(bundle)
      throw error
    }
    await Promise.all(this.bundles.map(Settlement.pendingOf))
  }

  /** Once, whoever asks. */
  #settleBeside(done: boolean): void {
    for (const one of this.#beside) one.settle(done)
    this.#beside = []
  }

  /** Those that nobody has settled. They are settled from now on. */
  #unsettled(): Member[] {
    return this.#members.filter(({ bundle }) => Settlement.begin(bundle))
  }
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ bundle }) => bundle.id)
}
