import { positionsIn } from '../checkpoint/ranges.js'
import type { LogEntry } from '../checkpoint/text.js'
import type { VerifiedCheckpoint } from '../checkpoint/verify-checkpoint.js'
import { continuationOf, type EndedRun, lostBeginning } from '../continuity.js'
import { Fates } from '../fates.js'
import type { RunName } from '../report.js'
import { clampSpan, msOf } from '../times.js'
import type { Capacity } from './capacity.js'
import type { Counts } from './counts.js'
import { Forks, type StatementCount } from './forks.js'
import type { LiveGap } from './live-gaps.js'
import type { AbsentMessage, MessageMemory, UnlistedMessage } from './message-memory.js'

export interface PendingCheckpoint {
  readonly checkpoint: VerifiedCheckpoint
  readonly receivedAt: number
  /** Number of messages that were received before the checkpoint. */
  readonly count: number
}

export interface RunParts {
  readonly memory: MessageMemory
  readonly capacity: Capacity
  readonly counts: Counts
  readonly statements: StatementCount
  /** True if only a part of the messages arrives at this subscription. */
  readonly isPart: boolean
  /** Time at which the subscription began to listen, in milliseconds since 1970. */
  readonly listeningSince: number
  /** Milliseconds by which the clock of a signer may differ from the subscriber's. */
  readonly toleranceMs: number
  /** Turns the id of a message in a checkpoint's list into a name that is unique among all keys of the signer. */
  nameOf(id: string): string
  onMissing(run: RunName, absent: readonly AbsentMessage[]): void
  onGap(gap: Omit<LiveGap, 'absent' | 'isReported' | 'foundAt'>): void
  onFork(run: RunName, size: number): void
}

type LastCheckpoint = Pick<VerifiedCheckpoint, 'number' | 'size' | 'at' | 'isLast'>

/** Statement of a run about the previous run, and the beginning of the run that states it. */
export type Predecessor = Pick<VerifiedCheckpoint, 'after' | 'from'>

/**
 * Run that receives checkpoints one by one in any order, and evaluates each once, in the order of their
 * numbers.
 */
export class LiveRun implements RunName {
  readonly keyId: string
  readonly run: string
  readonly #parts: RunParts
  readonly #forks: Forks
  /** Checkpoints that wait to be evaluated, in the order of their numbers. */
  readonly #waiting: PendingCheckpoint[] = []
  begin: VerifiedCheckpoint['from'] | undefined
  last: LastCheckpoint | undefined
  /** Time at which the next run began, if that run names this run as its predecessor. */
  nextBeganAt: string | undefined
  /** True if the lost beginning of this run is a gap after a known run. */
  isAfterGap = false
  /** True as long as no known run precedes this run. */
  isBeginning = true
  /** True once a gap was added for a previous run that is known only from this run's statement. */
  namesHiddenRun = false
  /** Statement of this run about the previous run, until the previous run has been compared with it. */
  predecessor: Predecessor | undefined
  /** Final size of this run, as the next run states. 0 if unknown. */
  #endsAt = 0
  /** True once the subscription is known to listen to this run. Absent messages may then count as missing. */
  #wasListening = false
  #isFromBegin = false
  /** True after the search for the lost beginning of this run. */
  #hasBegun = false
  readonly #fates: Fates<AbsentMessage>
  #newlyMissing: AbsentMessage[] = []

  constructor({ keyId, run }: RunName, parts: RunParts) {
    this.keyId = keyId
    this.run = run
    this.#parts = parts
    this.#forks = new Forks(parts.statements)
    this.#fates = new Fates((one, fate) => {
      // Skip a message that is no longer pending: it has arrived late.
      if (one.state !== 'pending') return
      parts.counts.become(one, fate === 'undecided' ? 'unknown' : fate)
      if (fate === 'missing') this.#newlyMissing.push(one)
    })
  }

  get #name(): RunName {
    return { keyId: this.keyId, run: this.run }
  }

  add(waiting: PendingCheckpoint): void {
    const { number } = waiting.checkpoint
    for (const size of this.#forks.add(waiting.checkpoint)) this.#parts.onFork(this.#name, size)
    // Ignore a checkpoint that is a repeat, or that arrived too late to be evaluated.
    if (this.last && number <= this.last.number) return
    let at = this.#waiting.length
    while (at > 0 && numberOf(this.#waiting[at - 1]) > number) at--
    if (numberOf(this.#waiting[at - 1]) === number) return
    if (this.#parts.capacity.reserve(bytesOf(waiting))) this.#waiting.splice(at, 0, waiting)
    else this.#parts.memory.markLostUntil(msOf(waiting.checkpoint.at))
  }

  get hasEnded(): boolean {
    return this.last?.isLast === true || this.nextBeganAt !== undefined
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  *due(isDue: (waiting: PendingCheckpoint) => boolean): Generator<VerifiedCheckpoint, void> {
    for (;;) {
      const [first] = this.#waiting
      if (!first || !isDue(first)) return
      this.#waiting.shift()
      this.#parts.capacity.release(bytesOf(first))
      yield first.checkpoint
    }
  }

  forget(): void {
    for (const one of this.#waiting.splice(0)) this.#parts.capacity.release(bytesOf(one))
    this.#forks.forget()
  }

  evaluate(checkpoint: VerifiedCheckpoint): void {
    const { last } = this
    const { from, number, size, at, isLast } = checkpoint
    // Ignore a late checkpoint of positions below `#endsAt`, the size that the next run states for this run. These
    // positions already count as a gap.
    if (last && from.size < last.size && size <= this.#endsAt) return
    if (!last) this.#start(checkpoint)
    else this.#continue(last, checkpoint)
    this.#wasListening ||= this.#wasListeningAt(from.at)
    this.last = { number, size, at, isLast }
    this.#fates.settle(checkpoint, last?.number === number - 1)
    this.#list(checkpoint)
    this.#parts.onMissing(this.#name, this.#newlyMissing.splice(0))
  }

  #continue(last: LastCheckpoint, checkpoint: VerifiedCheckpoint): void {
    const continuation = continuationOf(last, checkpoint)
    if (continuation === 'forked') this.#fork(checkpoint.from.size)
    else if (continuation === 'gap') this.#gap(last, checkpoint.from)
  }

  /** Reports the lost beginning of this run as a gap, once. @param before - the previous run, if known */
  findLostBeginning(before: LiveRun | undefined): void {
    if (this.#hasBegun || !this.begin) return
    this.#hasBegun = true
    const { isPart, listeningSince } = this.#parts
    const lost = isPart ? undefined : lostBeginning(this.begin, before?.knownEnd, listeningSince)
    if (!lost) return
    const { isMissing: isJudged, ...part } = lost
    this.isAfterGap = isJudged
    this.#parts.onGap({ ...this.#name, ...part, isMissing: isJudged, isOpen: !isJudged })
  }

  get knownEnd(): EndedRun | undefined {
    return this.last && { at: this.last.at, wasListening: this.#wasListening }
  }

  end({ after, from }: Predecessor): void {
    if (!after || !this.last) return
    for (const size of this.#forks.addRoot(after)) this.#parts.onFork(this.#name, size)
    this.nextBeganAt ??= from.at
    if (after.size <= this.last.size) return
    this.#gap(this.last, { size: after.size, at: from.at })
    this.last = { ...this.last, size: after.size }
    this.#endsAt = after.size
  }

  #start({ number, from, after }: VerifiedCheckpoint): void {
    this.begin = from
    this.predecessor = after && { after, from }
    this.#isFromBegin = number === 0
  }

  /**
   * Returns whether the subscription was already listening at `at`, a time by the signer's clock. If it was,
   * all messages signed after that time should have arrived.
   */
  #wasListeningAt(at: string): boolean {
    const { listeningSince, toleranceMs, isPart } = this.#parts
    return msOf(at) >= listeningSince + toleranceMs && !isPart
  }

  #fork(size: number): void {
    for (const one of this.#forks.report(size)) this.#parts.onFork(this.#name, one)
  }

  #gap(before: Pick<LastCheckpoint, 'size' | 'at'>, next: Pick<LastCheckpoint, 'size' | 'at'>): void {
    const [first, last] = [before.size, next.size - 1]
    const isJudged = this.#wasListening || this.#wasListeningAt(before.at)
    this.#parts.onGap({ ...this.#name, first, last, since: before.at, until: next.at, isMissing: isJudged })
  }

  #list(checkpoint: VerifiedCheckpoint): void {
    const { at } = checkpoint
    const { memory, counts, isPart, nameOf } = this.#parts
    const names = checkpoint.entries.map(({ id }) => nameOf(id))
    const received = names.map((name) => memory.take(name))
    const absent = this.#absentIn(checkpoint, names, received)
    const all = [...absent.values()]
    for (const one of all) counts.add(one)
    memory.list(names, at, absent)
    this.#fates.list(
      checkpoint,
      all.filter(({ state }) => state === 'pending'),
    )
    this.#wasListening ||= !isPart && received.some(Boolean)
  }

  /**
   * Returns the absent messages of a checkpoint's list, by message name. A message is pending if this or a
   * later checkpoint can decide its fate. Otherwise it is refused, if the signer states so, or unknown.
   */
  #absentIn(
    { from, at, entries, refused }: VerifiedCheckpoint,
    names: readonly string[],
    received: readonly (UnlistedMessage | undefined)[],
  ): Map<string, AbsentMessage> {
    const places = names.flatMap((name, index) => (this.#isAbsent(name, received[index]) ? [index] : []))
    const isRefused = new Set(
      positionsIn(
        places.map((index) => from.size + index),
        refused,
      ),
    )
    // If the run is known from its beginning, its first received message shows since when the subscription
    // listens.
    const firstReceivedIndex = received.findIndex(Boolean)
    const isKnown = msOf(from.at) >= this.#parts.memory.lostUntil
    const isJudged = (index: number) =>
      isKnown &&
      (this.#wasListening ||
        (this.#isFromBegin && !this.#parts.isPart && firstReceivedIndex >= 0 && index > firstReceivedIndex))
    const timeOf = times(received, from.at, at)
    return new Map(
      places.map((index) => {
        const { bundles } = entries[index] as LogEntry
        const position = from.size + index
        const parts = received[index]?.parts ?? new Set<string>()
        const left = { bundles: bundles - parts.size, parts, size: bundles }
        const state = isJudged(index) ? 'pending' : isRefused.has(position) ? 'refused' : 'unknown'
        return [names[index] as string, { position, ...left, ...timeOf(index), state }]
      }),
    )
  }

  #isAbsent(name: string, received: UnlistedMessage | undefined): boolean {
    return received ? received.parts !== undefined : !this.#parts.memory.isListed(name)
  }
}

function times(received: readonly (UnlistedMessage | undefined)[], from: string, at: string) {
  const [since, until]: [string[], string[]] = [[], []]
  for (let [index, last] = [0, from]; index < received.length; index++) {
    since[index] = last
    last = received[index]?.timestamp ?? last
  }
  for (let [index, next] = [received.length - 1, at]; index >= 0; index--) {
    until[index] = next
    next = received[index]?.timestamp ?? next
  }
  return (index: number) => clampSpan(since[index] as string, until[index] as string)
}

/** Returns the approximate memory of a waiting checkpoint in bytes: its text, and an object per entry. */
function bytesOf({ checkpoint: { note, entries } }: PendingCheckpoint): number {
  return note.length + 128 * entries.length
}

function numberOf(waiting: PendingCheckpoint | undefined): number {
  return waiting?.checkpoint.number ?? -1
}
