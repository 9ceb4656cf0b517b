import { verifyTurns } from '../../../foundation/base/time/turns.js'
import { unref } from '../../../foundation/base/time/unref.js'
import type { CompletenessStats } from '../../../verifying/consume/findings.js'
import type { ReceivedMessage, WatchContext, Watcher } from '../../../verifying/consume/watch.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { whoOf } from '../known-signer.js'
import { leafOf } from '../leaf.js'
import { msOf } from '../times.js'
import { verifyReceivedCheckpoint } from '../verify-checkpoint.js'
import { BOUNDS, type Bounds } from './bounds.js'
import { silent } from './finding.js'
import { LiveKeys } from './live-keys.js'
import type { PendingCheckpoint } from './live-run.js'
import { LiveSigner } from './live-signer.js'
import { LiveSigners } from './live-signers.js'
import type { WatchSettings } from './options.js'
import { Room } from './room.js'
import { SteadyClock } from './steady-clock.js'

/** Number of later messages after which a checkpoint is evaluated if a loop never waits. */
const MANY = 4096
/** Number of messages between two looks if a loop never waits. */
const OFTEN = 512
/** Bounds of the time between two looks, in milliseconds. */
const [LEAST, MOST] = [10, 5_000]

/** Watches all messages and checkpoints of one subscription. */
export class Watch implements Watcher {
  readonly #settings: WatchSettings
  readonly #context: WatchContext
  readonly #signers: LiveSigners
  readonly #keys: LiveKeys
  readonly #room: Room
  readonly #timer: ReturnType<typeof setInterval>
  readonly #clock = new SteadyClock()
  readonly #everyMs: number
  /** Time of the last look at all messages. */
  #lookedAt = 0
  #listeningSince = Number.POSITIVE_INFINITY
  /** Time since which it listens without a break. */
  #onlineSince = 0
  #isWaiting = false
  #count = 0
  #looking: Promise<void> | undefined
  #isClosed = false

  /** @param bounds - memory bounds for the total of all signers */
  constructor(settings: WatchSettings, context: WatchContext, bounds: Bounds = BOUNDS) {
    this.#settings = settings
    this.#signers = new LiveSigners(bounds)
    this.#keys = new LiveKeys(bounds.signers)
    this.#room = new Room(bounds.waitingBytes)
    this.#context = context
    this.#everyMs = Math.min(MOST, Math.max(LEAST, settings.graceMs / 4))
    this.#timer = unref(setInterval(() => this.#idle(), this.#everyMs))
  }

  async addCheckpoint(came: ReceivedMessage, trust: Parameters<Watcher['addCheckpoint']>[1]): Promise<void> {
    const { message } = came
    const checkpoint = await verifyReceivedCheckpoint(message, { ...trust, receivedAt: came.receivedAt })
    const receivedAt = this.#clock.of(came.receivedAt)
    const { home, owner } = this.#keys.note(checkpoint.signer, whoOf(checkpoint))
    owner.addCheckpoint(checkpoint)
    const known = this.#signer(home)
    const isAhead = msOf(checkpoint.at) > came.receivedAt + this.#settings.toleranceMs
    known.addCheckpoint({ checkpoint, receivedAt, count: this.#count }, isAhead)
    this.#signers.changed(known)
    this.#saw(came.receivedAt)
  }

  addMessage(came: ReceivedMessage, bundles: readonly VerifiedBundle[], codec: Parameters<Watcher['addMessage']>[2]): void {
    const [first] = bundles
    if (!first) return
    const receivedAt = this.#clock.of(came.receivedAt)
    const { home, owner } = this.#keys.note(first.signer, whoOf(first))
    owner.addMessage(first)
    const known = this.#signer(home)
    known.addMessage(leafOf(came.message, first, codec), bundles, receivedAt)
    this.#signers.changed(known)
    this.#count++
    this.#saw(came.receivedAt)
  }

  #saw(receivedAt: number): void {
    if (this.#count % OFTEN === 0 && !this.#looking) void this.look(receivedAt, false)
  }

  #signer(signer: string): LiveSigner {
    return this.#signers.heard(signer, () => this.#begin(signer))
  }

  #begin(signer: string): LiveSigner {
    const { isGroup, report: found } = this.#context
    const { forgottenAt } = this.#signers
    return new LiveSigner(signer, {
      ...this.#settings,
      ...{ isGroup, listeningSince: this.#listeningSince, room: this.#room, forgottenAt, found },
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

  /** Looks at all signers on a timer, unless messages wait that may be the absent ones. */
  #idle(): void {
    if (!this.#looking && this.#isWaiting && !this.#context.isBehind()) void this.look(Date.now(), true)
  }

  /**
   * Evaluates the checkpoints that have waited long enough, and yields in between, because there may be very many.
   *
   * @param wallNow - milliseconds since 1970
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
      const turn = verifyTurns.take()
      if (turn) await turn
      if (this.#isClosed) return
    }
  }

  *#steps(wallNow: number, isIdle: boolean): Generator<void, void> {
    const { graceMs } = this.#settings
    const now = this.#clock.of(wallNow)
    const isDue = ({ receivedAt, count }: PendingCheckpoint) =>
      now - receivedAt >= graceMs && (isIdle || count + MANY <= this.#count)
    const isWhole = isIdle || Math.abs(now - this.#lookedAt) >= this.#everyMs
    if (isWhole) this.#lookedAt = now
    // A snapshot: signers that become active meanwhile move to the end of the map.
    for (const known of this.#signers.now) {
      if (known.isForgotten) continue
      yield* known.look(now, isDue, isWhole)
      this.#signers.changed(known)
      if (isIdle && !this.#context.isGroup) this.#listen(known, now)
      yield
    }
  }

  #listen(known: LiveSigner, now: number): void {
    const { silentMs } = this.#settings
    const { waiting } = known
    const forMs = waiting ? now - Math.max(waiting.since, this.#onlineSince) : 0
    const isSilent = forMs >= silentMs
    if (waiting && isSilent && !known.isSilent) {
      this.#context.report(silent(waiting.signer, waiting.messages, forMs, silentMs))
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
