import { readOptions } from '../../../foundation/base/options/schema.js'
import { unref } from '../../../foundation/base/time/timeout.js'
import { verifyTurns } from '../../../foundation/base/time/turns.js'
import { controlTopics } from '../../../verifying/consume/control-messages.js'
import type { CompletenessStats } from '../../../verifying/consume/findings.js'
import {
  type CompletenessWatch,
  type ReceivedMessage,
  WATCH,
  type WatchContext,
  type Watcher,
} from '../../../verifying/consume/watch.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { leafOf } from '../checkpoint/leaf.js'
import { verifyReceivedCheckpoint } from '../checkpoint/verify-checkpoint.js'
import { signerNameOf } from '../key-owner.js'
import { msOf } from '../times.js'
import { Capacity } from './capacity.js'
import { silentFinding } from './findings.js'
import type { PendingCheckpoint } from './live-run.js'
import { LiveSigner } from './live-signer.js'
import { BOUNDS, type Bounds, LiveKeys, LiveSigners } from './live-signers.js'
import { schema, type WatchOptions, type WatchSettings } from './options.js'

/** Minimum change in milliseconds that counts as a jump of the wall clock. */
const JUMP_MS = 2000

/**
 * Clock without the jumps of the wall clock, which occur when a clock is set or a machine sleeps. Use its
 * times for durations, not for dates.
 */
class SteadyClock {
  #offset = offsetNow()
  #jumps = 0

  of(wallMs: number): number {
    const offset = offsetNow()
    const moved = offset - this.#offset
    // Small changes do not count as jumps, because the system slows down or speeds up a clock to correct it.
    this.#offset = offset
    if (Math.abs(moved) >= JUMP_MS) this.#jumps += moved
    return wallMs - Math.round(this.#jumps)
  }
}

function offsetNow(): number {
  return Date.now() - performance.now()
}

/**
 * Minimum number of later messages before a checkpoint is evaluated, while messages arrive without a pause.
 */
const MAX_LATER_MESSAGES = 4096
/** Number of messages between two evaluations, while messages arrive without a pause. */
const MESSAGES_PER_LOOK = 512
const [MIN_LOOK_MS, MAX_LOOK_MS] = [10, 5_000]

export class Watch implements Watcher {
  readonly #settings: WatchSettings
  readonly #context: WatchContext
  readonly #signers: LiveSigners
  readonly #keys: LiveKeys
  readonly #capacity: Capacity
  readonly #timer: ReturnType<typeof setInterval>
  readonly #clock = new SteadyClock()
  readonly #everyMs: number
  #lookedAt = 0
  #listeningSince = Number.POSITIVE_INFINITY
  /** Time since which the subscription listens without a break, in milliseconds by `#clock`. */
  #onlineSince = 0
  #isWaiting = false
  #count = 0
  #looking: Promise<void> | undefined
  #isClosed = false

  constructor(settings: WatchSettings, context: WatchContext, bounds: Bounds = BOUNDS) {
    this.#settings = settings
    this.#signers = new LiveSigners(bounds)
    this.#keys = new LiveKeys(bounds.signers)
    this.#capacity = new Capacity(bounds.waitingBytes)
    this.#context = context
    this.#everyMs = Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, settings.graceMs / 4))
    this.#timer = unref(setInterval(() => this.#idle(), this.#everyMs))
  }

  async addCheckpoint(
    received: ReceivedMessage,
    trust: Parameters<Watcher['addCheckpoint']>[1],
  ): Promise<void> {
    const { message } = received
    const checkpoint = await verifyReceivedCheckpoint(message, { ...trust, receivedAt: received.receivedAt })
    const receivedAt = this.#clock.of(received.receivedAt)
    const { storedWith, owner } = this.#keys.touch(checkpoint.signer, signerNameOf(checkpoint))
    owner.addCheckpoint(checkpoint)
    const known = this.#signer(storedWith)
    const isAhead = msOf(checkpoint.at) > received.receivedAt + this.#settings.toleranceMs
    known.addCheckpoint({ checkpoint, receivedAt, count: this.#count }, isAhead)
    this.#signers.recount(known)
    this.#lookIfDue(received.receivedAt)
  }

  addMessage(
    received: ReceivedMessage,
    bundles: readonly VerifiedBundle[],
    codec: Parameters<Watcher['addMessage']>[2],
  ): void {
    const [first] = bundles
    if (!first) return
    const receivedAt = this.#clock.of(received.receivedAt)
    const { storedWith, owner } = this.#keys.touch(first.signer, signerNameOf(first))
    owner.addMessage(first)
    const known = this.#signer(storedWith)
    known.addMessage(leafOf(received.message, first, codec), bundles, receivedAt)
    this.#signers.recount(known)
    this.#count++
    this.#lookIfDue(received.receivedAt)
  }

  #lookIfDue(receivedAt: number): void {
    if (this.#count % MESSAGES_PER_LOOK === 0 && !this.#looking) void this.look(receivedAt, false)
  }

  #signer(signer: string): LiveSigner {
    return this.#signers.touch(signer, () => this.#newSigner(signer))
  }

  #newSigner(signer: string): LiveSigner {
    const { isGroup, report: found } = this.#context
    const { forgottenAt } = this.#signers
    return new LiveSigner(signer, {
      ...this.#settings,
      isGroup,
      listeningSince: this.#listeningSince,
      capacity: this.#capacity,
      forgottenAt,
      found,
      ownerOf: (keyId) => this.#keys.ownerOf(keyId) ?? { signer },
    })
  }

  setWaiting(isWaiting: boolean): void {
    this.#isWaiting = isWaiting
  }

  setListening(): void {
    const now = Date.now()
    this.#onlineSince = this.#clock.of(now)
    this.#listeningSince = Math.min(this.#listeningSince, now)
  }

  /**
   * Evaluates all signers, on a timer. Does nothing offline, or while received messages wait, because absent
   * messages may be among them.
   */
  #idle(): void {
    if (!this.#looking && this.#isWaiting && !this.#context.isBehind()) void this.look(Date.now(), true)
  }

  /**
   * Evaluates the checkpoints that are due. Yields to timers and sockets, because there may be very many.
   *
   * @param wallNow - time of the wall clock, in milliseconds since 1970
   * @param isIdle - true if all received messages have been processed
   */
  async look(wallNow: number, isIdle: boolean): Promise<void> {
    while (this.#looking) await this.#looking
    this.#looking = this.#lookInTurns(wallNow, isIdle).finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  async #lookInTurns(wallNow: number, isIdle: boolean): Promise<void> {
    for (const _ of this.#steps(wallNow, isIdle)) {
      const turn = verifyTurns.yieldIfDue()
      if (turn) await turn
      if (this.#isClosed) return
    }
  }

  *#steps(wallNow: number, isIdle: boolean): Generator<void, void> {
    const { graceMs } = this.#settings
    const now = this.#clock.of(wallNow)
    const isDue = ({ receivedAt, count }: PendingCheckpoint) =>
      now - receivedAt >= graceMs && (isIdle || count + MAX_LATER_MESSAGES <= this.#count)
    const isWhole = isIdle || Math.abs(now - this.#lookedAt) >= this.#everyMs
    if (isWhole) this.#lookedAt = now
    // Use a snapshot, because signers that become active meanwhile move to the end of the map.
    for (const known of this.#signers.current) {
      if (known.isForgotten) continue
      yield* known.evaluateDue(now, isDue, isWhole)
      this.#signers.recount(known)
      if (isIdle && !this.#context.isGroup) this.#checkSilence(known, now)
      yield
    }
  }

  #checkSilence(known: LiveSigner, now: number): void {
    const { silentMs } = this.#settings
    const { waiting } = known
    const forMs = waiting ? now - Math.max(waiting.since, this.#onlineSince) : 0
    const isSilent = forMs >= silentMs
    if (waiting && isSilent && !known.isSilent) {
      this.#context.report(silentFinding(waiting.signer, waiting.messages, forMs, silentMs))
    }
    known.isSilent = isSilent
  }

  stats(): CompletenessStats {
    return this.#signers.stats()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }
}

/**
 * Finds signed messages that do not arrive at a running subscription, in bounded memory. Each finding is an
 * event `incomplete` of the subscription, and is counted in `stats()`.
 *
 * Remembers at most 65,536 signers of about 2 KB each, 65,536 public keys, and 1,000,000 messages of about
 * 150 bytes each. Checkpoints that wait to be evaluated take at most 256 MiB, and at most 32 MiB for one
 * signer. Beyond these limits, the least recently active signer or the new checkpoint is forgotten, and its
 * messages count as `unknown`.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { subscribe } from 'alvarium-sdk'
 * import { completeness } from 'alvarium-sdk/completeness'
 *
 * const bundles = subscribe({ url, topic: 'alvarium-topic', keyring, clientId: 'archive-1', completeness: completeness() })
 * bundles.addEventListener('incomplete', ({ finding }) => console.warn(finding.text))
 * for await (const { id } of bundles) console.log(id)
 * ```
 */
export function completeness(options: WatchOptions = {}): CompletenessWatch {
  const settings = readOptions(schema, options, 'completeness')
  const { topic, graceMs, onCheckpoint } = settings
  return {
    graceMs,
    [WATCH]: {
      topics: (filters) => topic ?? controlTopics(filters),
      begin: (context) => new Watch(settings, context),
      onCheckpoint,
    },
  }
}
