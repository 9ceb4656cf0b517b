import type * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../foundation/base/options/schema.js'
import { VERSION } from '../../foundation/base/version.js'
import type { Received, ReceivedBundle, ReceivedClassic } from './received.js'
import { type Delivered, Settlement } from './settlement.js'
import type { ReceivedMessage, WatchTrust } from './watch.js'

/** Limits of a group: its size, and the time for which its first bundle waits for others. */
export interface GroupOptions {
  /**
   * Maximum number of bundles in a group. Raise `prefetch` with it, which limits the unacknowledged messages. Default
   * `256`.
   */
  readonly max?: number | undefined
  /** Milliseconds for which the first bundle of a group waits for others. Default `100`. */
  readonly maxMs?: number | undefined
  /** @internal */
  readonly [CONTROL]?: ControlVerifier | undefined
}

/**
 * @internal Key of the verifier of leases and checkpoints. With it, a subscription delivers them in its groups, and
 * acknowledges each with its group. The symbol contains the version: only copies of the same release may use it on
 * each other's objects.
 */
export const CONTROL: unique symbol = Symbol.for(`alvarium-sdk.Beside ${VERSION}`)

/** A verifier of leases and checkpoints. */
export interface ControlVerifier<Verified extends object = object> {
  /** @throws AlvariumError for a message that does not verify */
  verify(came: ReceivedMessage, trust: WatchTrust): Promise<Verified | 'skipped'>
}

/** Options with every default filled in. */
export type GroupSettings = v.InferOutput<typeof schema>

/** Schema of the options. The page of limits is generated from it. */
export const schema = strict({
  max: integer(1, 65_536, 256),
  maxMs: integer(1, MAX_TIMEOUT_MS, 100),
})

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readGroupOptions({ [CONTROL]: _, ...options }: GroupOptions = {}): GroupSettings {
  return readOptions(schema, options, 'groups')
}

/** Bundles that are processed in one step, for example by one statement of a database. */
export interface Group<One extends Received = ReceivedBundle> {
  /** Bundles in the order of their receipt, at least one. */
  readonly bundles: readonly One[]
  /**
   * Acknowledges all bundles of the group. A request for the next group also acknowledges it, unless `ack` is
   * `'manual'`. Bundles that were acknowledged or redelivered by their own `ack()` or `nack()` stay so. Further calls
   * do nothing.
   *
   * @returns resolves when `dedup` has marked the bundles, and the acknowledgements are being sent. You need not await
   * it: a failure is also logged
   * @throws AlvariumError `STORE_FAILED` when the store of `dedup` fails. The bundles are then neither marked nor
   * acknowledged, and you can retry
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
  /** Redelivers all bundles that were not acknowledged before, like `nack()` of each. */
  nack(): void
  /** @internal Verified leases and checkpoints, if they were requested; then there may be no bundles. */
  readonly [CONTROL]?: readonly object[] | undefined
}

/** A bundle of a group, with its settlement after `dedup` has marked it. */
export interface GroupMember {
  readonly bundle: Delivered
  settle(done: boolean): void
}

/** A lease or a checkpoint of a group, with its settlement. */
export interface ControlMember {
  readonly verified: object
  settle(done: boolean): void
}

/** Marks bundles in `dedup`. Returns a promise only if there is something to wait for. */
type MarkIds = (ids: readonly string[], done: boolean) => Promise<void> | undefined

/** A delivered group. */
export class DeliveredGroup implements Group<ReceivedBundle | ReceivedClassic> {
  readonly bundles: readonly Delivered[]
  readonly [CONTROL]: readonly object[]
  readonly #members: readonly GroupMember[]
  /** Leases and checkpoints that are not settled. */
  #controls: readonly ControlMember[]
  readonly #mark: MarkIds
  #acking: Promise<void> | undefined

  constructor(members: readonly GroupMember[], beside: readonly ControlMember[], mark: MarkIds) {
    this.bundles = members.map(({ bundle }) => bundle)
    this[CONTROL] = beside.map(({ verified }) => verified)
    this.#members = members
    this.#controls = beside
    this.#mark = mark
  }

  ack(): Promise<void> {
    if (!this.#acking) {
      this.#acking = this.#ack()
      // The group can be acknowledged again. The handler also prevents an unhandled rejection in callers that do not
      // await it.
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
      this.#settleControls(false)
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
      this.#settleControls(true)
    } catch (error) {
      for (const { bundle } of left.slice(settled)) Settlement.reopen(bundle)
      throw error
    }
    await Promise.all(this.bundles.map(Settlement.pendingOf))
  }

  /** Settles the leases and checkpoints once. */
  #settleControls(done: boolean): void {
    for (const one of this.#controls) one.settle(done)
    this.#controls = []
  }

  /** Returns the unsettled bundles, and marks them as settled. */
  #unsettled(): GroupMember[] {
    return this.#members.filter(({ bundle }) => Settlement.begin(bundle))
  }
}

function idsOf(members: readonly GroupMember[]): string[] {
  return members.map(({ bundle }) => bundle.id)
}
