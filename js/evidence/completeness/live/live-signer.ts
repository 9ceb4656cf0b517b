import { runSync } from '../../../foundation/base/time/turns.js'
import type { Finding } from '../../../verifying/consume/findings.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { hiddenSpans, isWithin } from '../hidden.js'
import type { Who } from '../known-signer.js'
import type { Leaf } from '../leaf.js'
import type { RunName } from '../report.js'
import { msOf } from '../times.js'
import { Counts } from './counts.js'
import { backdated, forkFinding, missing } from './finding.js'
import { LiveGaps, takeOfMost } from './live-gaps.js'
import { type ComesAfter, LiveRun, type PendingCheckpoint } from './live-run.js'
import { Passed } from './passed.js'
import { Remembered, type UnlistedMessage } from './remembered.js'
import { Room } from './room.js'

/** Largest number of remembered runs of a signer. */
const MOST_RUNS = 256
/** Bytes of checkpoints of one signer that wait. */
const MOST_WAITING = 32 * 1024 * 1024

/** Settings by which a signer is evaluated. */
export interface SignerSettings {
  readonly graceMs: number
  readonly silentMs: number
  readonly toleranceMs: number
  readonly maxMessages: number
  readonly isPart: boolean
  readonly isGroup: boolean
  /** Time at which the subscription began to listen, in milliseconds since 1970. */
  readonly listeningSince: number
  /** Capacity for checkpoints of all signers that wait. */
  readonly room: Room
  /** Time at which the last signer was forgotten, perhaps this one, in milliseconds since 1970. */
  readonly forgottenAt: number | undefined
  /** Returns the signer for whom a key counts, by all that was received of the key. */
  ownerOf(keyId: string): Who
  found(finding: Finding): void
}

/**
 * A signer whose messages and checkpoints arrive. Each of its keys has its own runs, and lists only messages that it
 * signed.
 */
export class LiveSigner {
  readonly #signer: string
  readonly #settings: SignerSettings
  readonly remembered: Remembered
  readonly counts = new Counts()
  /** Runs by key id and run id. */
  readonly #runs = new Map<string, LiveRun>()
  readonly #gaps: LiveGaps
  /** Time of the last look, in milliseconds since 1970. */
  #now = 0
  readonly #passed = new Passed()
  /** Messages that checkpoints have passed, by key id. */
  readonly #passedBy = new Map<string, Passed>()
  isSilent = false
  readonly #room: Room
  /** Number of its messages that are included in the count of all signers. */
  counted = 0
  isForgotten = false
  readonly #said = { count: 0 }

  constructor(signer: string, settings: SignerSettings) {
    this.#signer = signer
    this.#settings = settings
    const { maxMessages, toleranceMs, room, forgottenAt } = settings
    this.remembered = new Remembered(maxMessages, toleranceMs)
    this.#room = new Room(MOST_WAITING, room)
    this.#gaps = new LiveGaps({ ...settings, remembered: this.remembered, counts: this.counts })
    if (forgottenAt === undefined) return
    this.remembered.lose(forgottenAt + toleranceMs)
    this.remembered.forgotten = new Date(forgottenAt).toISOString()
  }

  /** Number of remembered messages and statements of runs: a statement takes as much memory as a message. */
  get size(): number {
    return this.remembered.size + this.#said.count
  }

  /** Frees the capacity of the signer, which is forgotten in favor of others. */
  forget(): void {
    this.isForgotten = true
    this.#room.leaveAll()
  }

  addMessage(leaf: Leaf, bundles: readonly VerifiedBundle[], receivedAt: number): void {
    const key = this.#nameOf((bundles[0] as VerifiedBundle).signer, leaf.key)
    const late = this.remembered.add({ ...leaf, key }, bundles, receivedAt)
    if (late) this.counts.become(late, 'there')
  }

  /**
   * Returns the name of a message: its id, with the key id unless the key is the signer's own. No list of another key
   * has this name.
   */
  #nameOf(keyId: string, id: string): string {
    return keyId === this.#signer ? id : id + keyId
  }

  /** @param isAhead - true if the clock that signed the checkpoint was ahead when the checkpoint arrived */
  addCheckpoint(waiting: PendingCheckpoint, isAhead: boolean): void {
    const { signer: keyId, run, at } = waiting.checkpoint
    const known = this.#runs.get(placeOf({ keyId, run })) ?? this.#begin({ keyId, run })
    known.add(waiting)
    this.remembered.hasCheckpoint = true
    const passed = this.#passedBy.get(keyId) ?? new Passed()
    this.#passedBy.set(keyId, passed)
    for (const one of [passed, this.#passed]) one.add(msOf(at), waiting.receivedAt, isAhead)
  }

  #begin(name: RunName): LiveRun {
    const { isPart, isGroup, listeningSince, toleranceMs, ownerOf, found } = this.#settings
    const { remembered, counts } = this
    this.#gaps.takeBackHidden(name)
    const begun = new LiveRun(name, {
      remembered,
      counts,
      said: this.#said,
      room: this.#room,
      isPart: isPart || isGroup,
      ...{ listeningSince, toleranceMs },
      nameOf: (id) => this.#nameOf(name.keyId, id),
      missing: (of, absent) => missing(ownerOf(of.keyId), of, absent).forEach(found),
      gap: (gap) => this.#gaps.add({ ...gap, foundAt: this.#now }),
      forked: (of, size) => {
        counts.forked++
        found(forkFinding(ownerOf(of.keyId), of, size))
      },
    })
    this.#runs.set(placeOf(name), begun)
    if (this.#runs.size > MOST_RUNS) this.#forget()
    return begun
  }

  #forget(): void {
    const oldest = takeOfMost(this.#runs.values())
    const { keyId, last } = oldest
    this.#runs.delete(placeOf(oldest))
    oldest.forget()
    if (last && last.at > this.remembered.forgotten) this.remembered.forgotten = last.at
    if (!this.#runsOf(keyId).length) this.#passedBy.delete(keyId)
  }

  #runsOf(keyId: string): LiveRun[] {
    return [...this.#runs.values()].filter((run) => run.keyId === keyId)
  }

  /**
   * Evaluates the checkpoints that have waited long enough, one at each step.
   *
   * @param isWhole - true to look also at messages about which no checkpoint states anything new: there may be many
   */
  *look(
    now: number,
    isDue: (waiting: PendingCheckpoint) => boolean,
    isWhole: boolean,
  ): Generator<void, void> {
    this.#now = now
    let hasNews = isWhole && this.#runs.size > 0
    for (const run of this.#runs.values()) {
      for (const checkpoint of run.due(isDue)) {
        run.judge(checkpoint)
        hasNews = true
        yield
      }
    }
    if (!hasNews) return
    for (const run of this.#runs.values()) this.#beginRun(run)
    this.#gaps.fill(now, (keyId) => this.#runsOf(keyId))
    if (!this.#settings.isGroup) this.#findBackdated(now)
  }

  /** Ends the run before this one, once all its received checkpoints are evaluated: its last checkpoint may arrive later. */
  #beginRun(run: LiveRun): void {
    const { keyId, comesAfter } = run
    const before = comesAfter?.after && this.#runs.get(placeOf({ keyId, run: comesAfter.after.run }))
    if (before?.isWaiting) return
    run.beginAfter(before)
    if (before) run.isBeginning = false
    if (!before && comesAfter) this.#findHidden(run, comesAfter)
    if (!comesAfter || !before?.last) return
    run.comesAfter = undefined
    before.endedBy(comesAfter)
  }

  /** Adds a gap for a hidden run that a run names, once: its checkpoints were lost, or the sender hides them. */
  #findHidden(next: LiveRun, { after, from }: ComesAfter): void {
    const { isPart, isGroup, listeningSince } = this.#settings
    if (isPart || isGroup || next.namesHiddenRun || msOf(from.at) < listeningSince) return
    const { keyId } = next
    const runs = this.#runsOf(keyId).filter(({ begin }) => begin)
    if (!after || after.size === 0 || runs.filter(({ isBeginning }) => isBeginning).length < 2) return
    const [since = from.at] = runs.map(({ begin }) => begin?.at).sort()
    next.namesHiddenRun = true
    this.#gaps.addHidden(
      { keyId, run: after.run, first: 0, last: after.size - 1, since, until: from.at },
      this.#now,
    )
  }

  #findBackdated(now: number): void {
    const hidden = new Map<string, (ms: number) => boolean>()
    for (const unlisted of this.remembered.unlisted.values()) {
      const { keyId, ms, receivedAt } = unlisted
      if (unlisted.isTold || now - receivedAt < this.#settings.graceMs) continue
      const isHidden = hidden.get(keyId) ?? this.#hidden(keyId)
      hidden.set(keyId, isHidden)
      if (isHidden(ms) || !this.#passedBy.get(keyId)?.has(unlisted)) continue
      unlisted.isTold = true
      this.counts.backdated++
      const { ownerOf, found } = this.#settings
      found(backdated(ownerOf(keyId), unlisted))
    }
  }

  /** Returns a test whether there may be messages of a key at a time that no list has. */
  #hidden(keyId: string): (ms: number) => boolean {
    const runs = this.#runsOf(keyId).flatMap(({ begin, isAfterGap, last, overAt }) =>
      begin && last ? [{ begin, isAfterGap, last, overAt }] : [],
    )
    const { forgotten } = this.remembered
    const spans = [...hiddenSpans(runs, this.#gaps.of(keyId))]
    if (forgotten !== '') spans.push([undefined, forgotten])
    return runSync(isWithin(spans, this.#settings.toleranceMs))
  }

  /** Messages that no checkpoint has passed: their number, the time at which the first one arrived, and its signer. */
  get waiting(): { readonly messages: number; readonly since: number; readonly signer: Who } | undefined {
    if (!this.remembered.hasCheckpoint) return undefined
    let first: UnlistedMessage | undefined
    let messages = 0
    // Loop without an array of all messages, because each look calls this getter.
    for (const one of this.remembered.unlisted.values()) {
      // Checkpoints of the next key pass the last messages of a key that was replaced. No checkpoint passes messages of
      // a key without checkpoints.
      if (this.#passedBy.has(one.keyId) && this.#passed.has(one)) continue
      first ??= one
      messages++
    }
    if (!first) return undefined
    return { messages, since: first.receivedAt, signer: this.#settings.ownerOf(first.keyId) }
  }

  get unknown(): number {
    const { unlisted, dropped } = this.remembered
    return this.counts.of('unknown') + unlisted.size - this.counts.backdated + dropped
  }
}

function placeOf({ keyId, run }: RunName): string {
  return `${keyId} ${run}`
}
