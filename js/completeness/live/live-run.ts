import { among } from '../ranges.js'
import type { LogEntry } from '../text.js'
import { msOf, orderly } from '../times.js'
import type { VerifiedCheckpoint } from '../verify-checkpoint.js'
import type { Counts } from './counts.js'
import { Forks, type RememberedCount } from './forks.js'
import type { LiveGap } from './live-gap.js'
import type { Absent, Remembered, UnlistedMessage } from './remembered.js'
import type { Room } from './room.js'

/** A checkpoint that came and is not judged yet. */
export interface PendingCheckpoint {
  readonly checkpoint: VerifiedCheckpoint
  readonly receivedAt: number
  /** How many messages had come by then. */
  readonly count: number
}

/** What a run has of its signer. */
export interface RunParts {
  readonly remembered: Remembered
  /** For the checkpoints that wait. */
  readonly room: Room
  readonly counts: Counts
  /** What it has said of itself is counted here. */
  readonly said: RememberedCount
  /** Whether only a part of the messages comes here. */
  readonly isPart: boolean
  /** From when on, by a signer's clock, a run is sure to have begun while we listened: in milliseconds. */
  readonly listeningSince: number
  missing(run: string, absent: readonly Absent[]): void
  gap(gap: Omit<LiveGap, 'absent' | 'isTold' | 'foundAt'>): void
  forked(run: string, size: number): void
}

/** What is left of a checkpoint that was judged. */
type LastCheckpoint = Pick<VerifiedCheckpoint, 'number' | 'size' | 'at' | 'isLast'>

/** What a run says of the one before it, and when it began itself. */
export type ComesAfter = Pick<VerifiedCheckpoint, 'after' | 'from'>

/** A run as its checkpoints come: each is judged once, in the order of their numbers. */
export class LiveRun {
  readonly run: string
  readonly #parts: RunParts
  readonly #forks: Forks
  /** In the order of their numbers. */
  readonly #waiting: PendingCheckpoint[] = []
  /** When what is known of it begins, and how much there was before. */
  begin: VerifiedCheckpoint['from'] | undefined
  last: LastCheckpoint | undefined
  /** When the next run began, where that one says that this one is over. */
  overAt: string | undefined
  /** What it says of the run before it, as long as nobody has looked whether that is so. */
  comesAfter: ComesAfter | undefined
  /** How much there is, as the next run says. */
  #endsAt = 0
  /** Whether what does not come is missing: we have listened when it was published. */
  #isJudged = false
  #isFromBegin = false
  #pending: Absent[] = []

  constructor(run: string, parts: RunParts) {
    this.run = run
    this.#parts = parts
    this.#forks = new Forks(parts.said)
  }

  add(waiting: PendingCheckpoint): void {
    const { number } = waiting.checkpoint
    for (const size of this.#forks.add(waiting.checkpoint)) this.#parts.forked(this.run, size)
    // It came too late to be judged, or again.
    if (this.last && number <= this.last.number) return
    let at = this.#waiting.length
    while (at > 0 && numberOf(this.#waiting[at - 1]) > number) at--
    if (numberOf(this.#waiting[at - 1]) === number) return
    if (this.#parts.room.take(bytesOf(waiting))) this.#waiting.splice(at, 0, waiting)
    else this.#parts.remembered.lose(msOf(waiting.checkpoint.at))
  }

  /** Whether it signs nothing more. */
  get isOver(): boolean {
    return this.last?.isLast === true || this.overAt !== undefined
  }

  /** Whether checkpoints have come that are not judged yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Those that are judged now, from the first. */
  *due(isDue: (waiting: PendingCheckpoint) => boolean): Generator<VerifiedCheckpoint, void> {
    for (;;) {
      const [first] = this.#waiting
      if (!first || !isDue(first)) return
      this.#waiting.shift()
      this.#parts.room.leave(bytesOf(first))
      yield first.checkpoint
    }
  }

  /** It is not looked at any more. */
  forget(): void {
    for (const one of this.#waiting.splice(0)) this.#parts.room.leave(bytesOf(one))
    this.#forks.forget()
  }

  judge(checkpoint: VerifiedCheckpoint): void {
    const { last } = this
    const { from, number, size, at, isLast } = checkpoint
    // The next run has told of it before, and it counts as a gap.
    if (last && from.size < last.size && size <= this.#endsAt) return
    const isNext = last?.number === number - 1
    if (!last) this.#join(checkpoint)
    else if (from.size < last.size || (isNext && from.size > last.size)) this.#fork(from.size)
    else if (from.size > last.size) this.#gap(last, from)
    this.last = { number, size, at, isLast }
    this.#settle(checkpoint, isNext)
    this.#list(checkpoint)
  }

  /** The run after it knows of so much. */
  endedBy({ after, from }: ComesAfter): void {
    if (!after || !this.last) return
    for (const size of this.#forks.addRoot(after)) this.#parts.forked(this.run, size)
    this.overAt ??= from.at
    if (after.size <= this.last.size) return
    this.#gap(this.last, { size: after.size, at: from.at })
    this.last = { ...this.last, size: after.size }
    this.#endsAt = after.size
  }

  #join({ number, from, after }: VerifiedCheckpoint): void {
    this.begin = from
    this.comesAfter = after && { after, from }
    this.#isFromBegin = number === 0
    this.#isJudged = this.#isFromBegin && msOf(from.at) >= this.#parts.listeningSince && !this.#parts.isPart
  }

  #fork(size: number): void {
    for (const one of this.#forks.tell(size)) this.#parts.forked(this.run, one)
  }

  #gap(before: Pick<LastCheckpoint, 'size' | 'at'>, next: Pick<LastCheckpoint, 'size' | 'at'>): void {
    const [first, last] = [before.size, next.size - 1]
    const isJudged = this.#isJudged
    this.#parts.gap({ run: this.run, first, last, since: before.at, until: next.at, isJudged })
  }

  /** What has become of those that were pending. */
  #settle({ pending, refused }: VerifiedCheckpoint, isNext: boolean): void {
    const open = this.#pending.filter(({ is }) => is === 'pending')
    const positions = open.map(({ position }) => position)
    const [stay, gone] = [new Set(among(positions, pending)), new Set(among(positions, refused))]
    this.#pending = open.filter(({ position }) => stay.has(position) && !gone.has(position))
    const over = open.filter(({ position }) => gone.has(position) || !stay.has(position))
    // Only the next checkpoint says all that was refused.
    for (const one of over) {
      this.#parts.counts.become(one, gone.has(one.position) ? 'refused' : isNext ? 'missing' : 'unknown')
    }
    this.#parts.missing(
      this.run,
      over.filter(({ is }) => is === 'missing'),
    )
  }

  #list(checkpoint: VerifiedCheckpoint): void {
    const { entries, at } = checkpoint
    const { remembered, counts, isPart } = this.#parts
    const there = entries.map(({ id }) => remembered.take(id))
    const absent = this.#absentIn(checkpoint, there)
    for (const one of absent.values()) counts.add(one)
    remembered.list(entries, at, absent)
    const list = [...absent.values()]
    for (const one of list) if (one.is === 'pending') this.#pending.push(one)
    this.#isJudged ||= !isPart && there.some(Boolean)
    this.#parts.missing(
      this.run,
      list.filter(({ is }) => is === 'missing'),
    )
  }

  /** What is not there, by key, and what that means. */
  #absentIn(
    { entries, from, at, pending, refused }: VerifiedCheckpoint,
    there: readonly (UnlistedMessage | undefined)[],
  ): Map<string, Absent> {
    const places = entries.flatMap((entry, index) => (this.#isAbsent(entry, there[index]) ? [index] : []))
    const positions = places.map((index) => from.size + index)
    const [isPending, isRefused] = [new Set(among(positions, pending)), new Set(among(positions, refused))]
    // Of a run that began about when we did, what came first shows since when we have listened.
    const firstCame = there.findIndex(Boolean)
    const isKnown = msOf(from.at) >= this.#parts.remembered.lostUntil
    const isJudged = (index: number) =>
      isKnown &&
      (this.#isJudged || (this.#isFromBegin && !this.#parts.isPart && firstCame >= 0 && index > firstCame))
    const what = (index: number) => {
      const position = from.size + index
      if (isRefused.has(position)) return 'refused'
      if (!isJudged(index)) return 'unknown'
      return isPending.has(position) ? 'pending' : 'missing'
    }
    const timeOf = times(there, from.at, at)
    return new Map(
      places.map((index) => {
        const { id, bundles } = entries[index] as LogEntry
        const parts = there[index]?.parts ?? new Set<string>()
        const left = { bundles: bundles - parts.size, parts, size: bundles }
        return [id, { position: from.size + index, ...left, ...timeOf(index), is: what(index) }]
      }),
    )
  }

  #isAbsent({ id }: LogEntry, there: UnlistedMessage | undefined): boolean {
    return there ? there.parts !== undefined : !this.#parts.remembered.isListed(id)
  }
}

/** The times of what came before and after each place. */
function times(there: readonly (UnlistedMessage | undefined)[], from: string, at: string) {
  const [since, until]: [string[], string[]] = [[], []]
  for (let [index, last] = [0, from]; index < there.length; index++) {
    since[index] = last
    last = there[index]?.timestamp ?? last
  }
  for (let [index, next] = [there.length - 1, at]; index >= 0; index--) {
    until[index] = next
    next = there[index]?.timestamp ?? next
  }
  return (index: number) => orderly(since[index] as string, until[index] as string)
}

/** About what a checkpoint takes while it waits: its text, and an object for each entry. */
function bytesOf({ checkpoint: { note, entries } }: PendingCheckpoint): number {
  return note.length + 128 * entries.length
}

function numberOf(waiting: PendingCheckpoint | undefined): number {
  return waiting?.checkpoint.number ?? -1
}
