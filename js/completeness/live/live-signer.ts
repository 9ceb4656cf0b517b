import type { Finding } from '../../consume/findings.js'
import type { VerifiedBundle } from '../../verify/options.js'
import type { Leaf } from '../leaf.js'
import { msOf } from '../times.js'
import type { VerifiedCheckpoint } from '../verify-checkpoint.js'
import { Counts } from './counts.js'
import { backdated, forked, missing, missingInGap, type Who } from './finding.js'
import { CLOCK_MS, fill, type LiveGap } from './live-gap.js'
import { LiveRun, type Waiting } from './live-run.js'
import { Remembered, type Unlisted } from './remembered.js'

/** Runs of a signer that are remembered, and gaps of its logs. */
const MOST_RUNS = 256
const MOST_GAPS = 256

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
  /** When the last checkpoint was signed that came. */
  lastAt: string | undefined
  isSilent = false

  constructor(who: Who, settings: SignerSettings) {
    this.#who = who
    this.#settings = settings
    this.remembered = new Remembered(settings.maxMessages)
  }

  get name(): string | undefined {
    return this.#who.name
  }

  addMessage(leaf: Leaf, bundles: readonly VerifiedBundle[], receivedAt: number): void {
    const late = this.remembered.add(leaf, bundles, receivedAt)
    if (late) this.counts.become(late, 'there')
  }

  addCheckpoint(waiting: Waiting): void {
    const { run, at } = waiting.checkpoint
    const known = this.#runs.get(run) ?? this.#begin(run)
    known.add(waiting)
    if (this.lastAt === undefined || at > this.lastAt) this.lastAt = at
  }

  #begin(run: string): LiveRun {
    const { isPart, isGroup, listeningSince, toleranceMs, found } = this.#settings
    const { remembered, counts } = this
    const who = this.#who
    const begun = new LiveRun(run, {
      ...{ remembered, counts, isPart: isPart || isGroup, listeningSince: listeningSince + toleranceMs },
      missing: (of, absent) => missing(who, of, absent).forEach(found),
      gap: (gap) =>
        this.#gap({ ...gap, ...{ absent: gap.last - gap.first + 1, isTold: false, foundAt: this.#now } }),
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
    if (last && last.at > this.remembered.forgotten) this.remembered.forgotten = last.at
  }

  #gap(gap: LiveGap): void {
    this.#gaps.push(gap)
    this.#gaps.sort((one, other) => (one.until < other.until ? -1 : 1))
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift()
  }

  /** Judges what has waited long enough. */
  look(now: number, isDue: (waiting: Waiting) => boolean): void {
    this.#now = now
    for (const run of this.#runs.values()) {
      for (const checkpoint of run.due(isDue)) {
        if (!run.last) this.#endBefore(checkpoint)
        run.judge(checkpoint)
      }
    }
    for (const gap of this.#gaps) this.#fill(gap)
    if (!this.#settings.isGroup) this.#findBackdated(now)
  }

  /** Ends the run that this one comes after. */
  #endBefore({ after, from }: VerifiedCheckpoint): void {
    if (after) this.#runs.get(after.run)?.endedBy({ after, from })
  }

  #fill(gap: LiveGap): void {
    if (gap.absent === 0) return
    if (!gap.isTold && !this.#isKnownUntil(gap)) return
    const what = gap.isJudged ? 'missing' : 'unknown'
    const filled = fill(gap, this.remembered, this.#settings.toleranceMs)
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
    let hidden: readonly Times[] | undefined
    for (const unlisted of this.remembered.unlisted.values()) {
      if (unlisted.isTold || now - unlisted.receivedAt < this.#settings.graceMs) continue
      hidden ??= this.#hidden()
      const ms = msOf(unlisted.timestamp)
      if (hidden.some(([since, until]) => ms >= since && ms <= until)) continue
      unlisted.isTold = true
      this.counts.backdated++
      this.#settings.found(backdated(this.#who, unlisted))
    }
  }

  /** The times in which there may be messages that no list has. */
  #hidden(): Times[] {
    const runs = [...this.#runs.values()].filter(({ last }) => last)
    const { forgotten } = this.remembered
    const begins = runs.map(({ begin }) => begin?.at ?? '').sort()
    const ends = runs.map(({ last }) => last?.at ?? '').sort()
    const times: [string | undefined, string | undefined][] = [
      [undefined, begins[0]],
      [ends.at(-1), undefined],
      ...this.#gaps.map(({ since, until }): [string, string] => [since, until]),
    ]
    if (forgotten !== '') times.push([undefined, forgotten])
    for (const { begin, last, overAt } of runs) {
      if (begin && begin.size > 0) times.push([undefined, begin.at])
      if (last && !last.isLast) times.push([last.at, overAt])
    }
    const slack = this.#settings.toleranceMs
    return times.map(([since, until]) => [
      since === undefined ? Number.NEGATIVE_INFINITY : msOf(since) - slack,
      until === undefined ? Number.POSITIVE_INFINITY : msOf(until) + slack,
    ])
  }

  /** What came after the last checkpoint was signed, and when the first of it came. */
  get waiting(): { readonly messages: number; readonly since: number } | undefined {
    const { lastAt } = this
    if (lastAt === undefined) return undefined
    const ms = msOf(lastAt)
    const newer = [...this.remembered.unlisted.values()].filter((one: Unlisted) => msOf(one.timestamp) > ms)
    const [first] = newer
    return first && { messages: newer.length, since: first.receivedAt }
  }

  get unknown(): number {
    const { unlisted, dropped } = this.remembered
    return this.counts.of('unknown') + unlisted.size - this.counts.backdated + dropped
  }
}

/** In milliseconds since 1970. */
type Times = readonly [since: number, until: number]
