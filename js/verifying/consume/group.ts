import type * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../foundation/base/options/schema.js'
import { VERSION } from '../../foundation/base/version.js'
import type { Received, ReceivedBundle, ReceivedClassic } from './received.js'
import { type Delivered, Settlement } from './settlement.js'
import type { ReceivedMessage, WatchTrust } from './watch.js'

/** Options that limit the size of a group and the time until its delivery. */
export interface GroupOptions {
  /** Maximum number of bundles in a group. They come from at most `prefetch` messages. Default `256`. */
  readonly max?: number | undefined
  /** Milliseconds for which the first bundle of a group waits for more bundles. Default `100`. */
  readonly maxMs?: number | undefined
  /** @internal */
  readonly [CONTROL]?: ControlVerifier | undefined
}

/**
 * @internal Key of the verifier of leases and checkpoints. With a verifier, groups contain and settle these
 * messages. The symbol contains the version, so that a subscription uses only a verifier of its own release.
 */
export const CONTROL: unique symbol = Symbol.for(`alvarium-sdk.Beside ${VERSION}`)

export interface ControlVerifier<Verified extends object = object> {
  /** Verifies a control message, or skips it. @throws AlvariumError for a message that does not verify */
  verify(received: ReceivedMessage, trust: WatchTrust): Promise<Verified | 'skipped'>
}

export type GroupSettings = v.InferOutput<typeof schema>

/** Valibot schema of {@link GroupOptions}. Exported because the docs list its limits. */
export const schema = strict({
  max: integer(1, 65_536, 256),
  maxMs: integer(1, MAX_TIMEOUT_MS, 100),
})

export function readGroupOptions({ [CONTROL]: _, ...options }: GroupOptions = {}): GroupSettings {
  return readOptions(schema, options, 'groups')
}

/** Bundles to process in one step, for example with one database statement. */
export interface Group<One extends Received = ReceivedBundle> {
  /** Bundles in the order of their receipt. There is at least one. */
  readonly bundles: readonly One[]
  /**
   * Acknowledges all bundles of the group that are not settled yet. Unless `ack` is `'manual'`, the loop does
   * this when it asks for the next group. Further calls do nothing.
   *
   * @returns resolves when `dedup` has recorded the bundles and the acknowledgements are being sent. You need
   * not await the promise: a failure is also logged
   * @throws AlvariumError `STORE_FAILED` when the store of `dedup` fails; you can then retry
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
  /** Redelivers all bundles of the group that are not settled yet. */
  nack(): void
  /** @internal Verified leases and checkpoints, if requested. `bundles` may then be empty. */
  readonly [CONTROL]?: readonly object[] | undefined
}

/**
 * Content of a group, and a function that settles the message of the content. `dedup` must record a bundle
 * before this function is called.
 */
export interface GroupMember<One> {
  readonly content: One
  settle(done: boolean): void
}

/** Function that records bundles in `dedup`. It returns undefined if nothing is asynchronous. */
type MarkIds = (ids: readonly string[], done: boolean) => Promise<void> | undefined

export class DeliveredGroup implements Group<ReceivedBundle | ReceivedClassic> {
  readonly bundles: readonly Delivered[]
  readonly [CONTROL]: readonly object[]
  readonly #members: readonly GroupMember<Delivered>[]
  #controls: readonly GroupMember<object>[]
  readonly #mark: MarkIds
  #acking: Promise<void> | undefined

  constructor(
    members: readonly GroupMember<Delivered>[],
    controls: readonly GroupMember<object>[],
    mark: MarkIds,
  ) {
    this.bundles = members.map(({ content }) => content)
    this[CONTROL] = controls.map(({ content }) => content)
    this.#members = members
    this.#controls = controls
    this.#mark = mark
  }

  ack(): Promise<void> {
    if (!this.#acking) {
      this.#acking = this.#ack()
      // Allow another call after a failure, and prevent an unhandled rejection.
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
      for (const { content } of left.slice(settled)) Settlement.reopen(content)
      throw error
    }
    await Promise.all(this.bundles.map(Settlement.pendingOf))
  }

  #settleControls(done: boolean): void {
    for (const one of this.#controls) one.settle(done)
    this.#controls = []
  }

  #unsettled(): GroupMember<Delivered>[] {
    return this.#members.filter(({ content }) => Settlement.begin(content))
  }
}

function idsOf(members: readonly GroupMember<Delivered>[]): string[] {
  return members.map(({ content }) => content.id)
}
