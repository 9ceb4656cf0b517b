import { atOnce } from '../../base/time/steps.js'
import type { Finding } from '../../consume/findings.js'
import type { VerifiedBundle } from '../../verify/options.js'
import { hiddenSpans, isWithin } from '../hidden.js'
import type { Who } from '../known-signer.js'
import type { Leaf } from '../leaf.js'
import { msOf } from '../times.js'
import { Counts } from './counts.js'
import { backdated, forked, missing, missingInGap } from './finding.js'
import { fill, type LiveGap } from './live-gap.js'
import { type ComesAfter, LiveRun, type PendingCheckpoint } from './live-run.js'
import { Passed } from './passed.js'
import { CLOCK_MS, Remembered, type UnlistedMessage } from './remembered.js'
import { Room } from './room.js'

/** Runs of a signer that are remembered, and gaps of its logs. */
const MOST_RUNS = 256
const MOST_GAPS = 256
/** Bytes of checkpoints that wait. */
const MOST_WAITING = 32 * 1024 * 1024

/** How a signer is judged. */
export interface SignerSettings {
  readonly graceMs: number
  readonly silentMs: number
  readonly toleranceMs: number
  readonly maxMessages: number
  readonly isPart: boolean
  readonly isGroup: boolean
  /** Since when we listen, in milliseconds since 1970. */
  readonly listeningSince: number
  /** For the checkpoints of all signers that wait. */
  readonly room: Room
  /** When the last signer was forgotten, which may have been this one: in milliseconds since 1970. */
  readonly forgottenAt: number | undefined
  found(finding: Finding): void
}

/** What is known of a signer while its messages and checkpoints come. */
export class LiveSigner {
  readonly #who: Who
  readonly #settings: SignerSettings
  readonly remembered: Remembered
  readonly counts = new Counts()
  readonly #runs = new Map<string, LiveRun>()
  /** In the order in which they end: so they are filled. */
  readonly #gaps: LiveGap[] = []
  /** When it was last looked at, in milliseconds since 1970. */
  #now = 0
  readonly #passed = new Passed()
  isSilent = false
  readonly #room: Room
  /** How many of its messages count among those of all signers. */
  counted = 0
  isForgotten = false
  readonly #said = { count: 0 }

  constructor(who: Who, settings: SignerSettings) {
    this.#who = who
    this.#settings = settings
    const { maxMessages, toleranceMs, room, forgottenAt } = settings
    this.remembered = new Remembered(maxMessages, toleranceMs)
    this.#room = new Room(MOST_WAITING, room)
    if (forgottenAt === undefined) return
    this.remembered.lose(forgottenAt + toleranceMs)
    this.remembered.forgotten = new Date(forgottenAt).toISOString()
  }

  get name(): string | undefined {
    return this.#who.name
  }

  /** In messages; what runs have said of themselves takes as much. */
  get size(): number {
    return this.remembered.size + this.#said.count
  }

  /** It gives way to others. */
  forget(): void {
    this.isForgotten = true
    this.#room.leaveAll()
  }

  addMessage(leaf: Leaf, bundles: readonly VerifiedBundle[], receivedAt: number): void {
    const late = this.remembered.add(leaf, bundles, receivedAt)
    if (late) this.counts.become(late, 'there')
  }

  /** @param isAhead - whether the clock that signed it was ahead when it came */
  addCheckpoint(waiting: PendingCheckpoint, isAhead: boolean): void {
    const { run, at } = waiting.checkpoint
    const known = this.#runs.get(run) ?? this.#begin(run)
    known.add(waiting)
    this.remembered.hasCheckpoint = true
    this.#passed.add(msOf(at), waiting.receivedAt, isAhead)
  }

  #begin(run: string): LiveRun {
    const { isPart, isGroup, listeningSince, toleranceMs, found } = this.#settings
    const { remembered, counts } = this
    const who = this.#who
    const begun = new LiveRun(run, {
      remembered,
      counts,
      said: this.#said,
      room: this.#room,
      isPart: isPart || isGroup,
      listeningSince: listeningSince + toleranceMs,
      missing: (of, absent) => missing(who, of, absent).forEach(found),
      gap: (gap) =>
        this.#gap({ ...gap, absent: gap.last - gap.first + 1, isTold: false, foundAt: this.#now }),
      forked: (of, size) => {
        counts.forked++
        found(forked(who, of, size))
      },
    })
    this.#runs.set(run, begun)
    if (this.#runs.size > MOST_RUNS) this.#forget()
    return begun
  }

  #forget(): void {
    const [oldest] = this.#runs.values()
    const { run, last } = oldest as LiveRun
    this.#runs.delete(run)
    oldest?.forget()
    if (last && last.at > this.remembered.forgotten) this.remembered.forgotten = last.at
  }

  #gap(gap: LiveGap): void {
    this.#gaps.push(gap)
    this.#gaps.sort((one, other) => (one.until < other.until ? -1 : 1))
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift()
  }

  /**
   * Judges what has waited long enough, a checkpoint at each step.
   *
   * @param isWhole - whether messages are looked at, too, of which no checkpoint says anything new: there may be many
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
    for (const run of this.#runs.values()) if (run.comesAfter) this.#endBefore(run, run.comesAfter)
    this.#fillGaps()
    if (!this.#settings.isGroup) this.#findBackdated(now)
  }

  /** Ends the run that this one comes after, when all that has come of that one is judged: its last checkpoint may come later. */
  #endBefore(run: LiveRun, comesAfter: ComesAfter): void {
    const before = this.#runs.get(comesAfter.after?.run ?? '')
    if (!before?.last || before.isWaiting) return
    run.comesAfter = undefined
    before.endedBy(comesAfter)
  }

  #fillGaps(): void {
    const open = this.#gaps.filter((gap) => gap.absent > 0 && (gap.isTold || this.#isKnownUntil(gap)))
    if (open.length === 0) return
    const unlisted = this.remembered.inOrder()
    for (const gap of open) this.#fill(gap, unlisted)
  }

  #fill(gap: LiveGap, unlisted: readonly UnlistedMessage[]): void {
    if (!gap.isTold) gap.isJudged &&= msOf(gap.since) >= this.remembered.lostUntil
    const what = gap.isJudged ? 'missing' : 'unknown'
    const filled = fill(gap, unlisted, this.remembered, this.#settings.toleranceMs)
    if (gap.isTold) this.counts.addMany(what, -filled)
    else this.counts.addMany(what, gap.absent)
    if (!gap.isTold && gap.isJudged && gap.absent > 0) this.#settings.found(missingInGap(this.#who, gap))
    gap.isTold = true
  }

  /** Whether lists have what was signed about the end of a gap, in any run: so none of it is taken for what was in the gap. */
  #isKnownUntil({ until, foundAt }: LiveGap): boolean {
    if (this.#now - foundAt >= this.#settings.silentMs) return true
    const ms = msOf(until) + CLOCK_MS
    return [...this.#runs.values()].every(({ isOver, last }) => isOver || (last && msOf(last.at) > ms))
  }

  #findBackdated(now: number): void {
    let isHidden: ((ms: number) => boolean) | undefined
    for (const unlisted of this.remembered.unlisted.values()) {
      if (unlisted.isTold || now - unlisted.receivedAt < this.#settings.graceMs) continue
      isHidden ??= this.#hidden()
      if (isHidden(unlisted.ms) || !this.#passed.has(unlisted)) continue
      unlisted.isTold = true
      this.counts.backdated++
      this.#settings.found(backdated(this.#who, unlisted))
    }
  }

  /** Whether there may be messages at that time that no list has. */
  #hidden(): (ms: number) => boolean {
    const runs = [...this.#runs.values()].flatMap(({ begin, last, overAt }) =>
      begin && last ? [{ begin, last, overAt }] : [],
    )
    const { forgotten } = this.remembered
    const spans = [...hiddenSpans(runs, this.#gaps)]
    if (forgotten !== '') spans.push([undefined, forgotten])
    return atOnce(isWithin(spans, this.#settings.toleranceMs))
  }

  /** What no checkpoint has passed, and when the first of it came. */
  get waiting(): { readonly messages: number; readonly since: number } | undefined {
    if (!this.remembered.hasCheckpoint) return undefined
    let first: UnlistedMessage | undefined
    let messages = 0
    // Each look comes here: no array of all of them.
    for (const one of this.remembered.unlisted.values()) {
      if (this.#passed.has(one)) continue
      first ??= one
      messages++
    }
    return first && { messages, since: first.receivedAt }
  }

  get unknown(): number {
    const { unlisted, dropped } = this.remembered
    return this.counts.of('unknown') + unlisted.size - this.counts.backdated + dropped
  }
}
