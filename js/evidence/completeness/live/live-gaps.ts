import type { Finding } from '../../../verifying/consume/findings.js'
import { CLOCK_MS, GapFilling } from '../gap-filling.js'
import type { SignerName } from '../key-owner.js'
import { byEnd } from '../known-key.js'
import type { Gap, RunName } from '../report.js'
import { msOf } from '../times.js'
import type { Counts } from './counts.js'
import { gapFinding } from './findings.js'
import type { MessageMemory, UnlistedMessage } from './message-memory.js'

const MAX_GAPS = 256

/** Part of a log that no known checkpoint lists, and the state of the messages in it. */
export interface LiveGap extends Gap {
  /** True if absent messages of the gap count as missing. Otherwise they count as unknown. */
  isMissing: boolean
  /**
   * True for a run without known checkpoints, and for a lost beginning whose messages do not count as
   * missing: nobody knows when their messages were signed. Received messages that fit the gap count as
   * unknown, just like absent messages.
   */
  readonly isOpen?: boolean | undefined
  /** Time at which the gap was found, in milliseconds by the clock of `Watch`. */
  readonly foundAt: number
  /** True for a gap that `addHidden` added: a run of which no checkpoint is known. */
  readonly isHidden?: boolean | undefined
  /** Last position in the gap. For a hidden run, it grows when another run states a larger size. */
  last: number
  /**
   * Times between which the messages were signed. For a hidden run, they move apart when further runs become
   * known.
   */
  since: string
  until: string
  absent: number
  isReported: boolean
}

export interface GapParts {
  readonly memory: MessageMemory
  readonly counts: Counts
  readonly toleranceMs: number
  readonly silentMs: number
  ownerOf(keyId: string): SignerName
  found(finding: Finding): void
}

interface RunEnd {
  readonly hasEnded: boolean
  readonly last: { readonly at: string } | undefined
}

export class LiveGaps {
  readonly #parts: GapParts
  /** Gaps in the order of their ends, because {@link GapFilling} needs this order. */
  readonly #gaps: LiveGap[] = []

  constructor(parts: GapParts) {
    this.#parts = parts
  }

  of(keyId: string): LiveGap[] {
    return this.#gaps.filter((gap) => gap.keyId === keyId)
  }

  add(gap: Omit<LiveGap, 'absent' | 'isReported'>): void {
    this.#gaps.push({ ...gap, absent: gap.last - gap.first + 1, isReported: false })
    this.#gaps.sort(byEnd)
    if (this.#gaps.length > MAX_GAPS) this.#gaps.splice(this.#gaps.indexOf(firstOfLargestKey(this.#gaps)), 1)
  }

  /**
   * Adds one gap for a run of which no checkpoint is known, or enlarges the gap. A later run states the name
   * and size of this run.
   */
  addHidden(gap: Gap, foundAt: number): void {
    const known = this.#hidden(gap)
    if (known) this.#enlarge(known, gap)
    else this.add({ ...gap, isMissing: false, isOpen: true, isHidden: true, foundAt })
  }

  #enlarge(known: LiveGap, { last, since, until }: Gap): void {
    const more = Math.max(0, last - known.last)
    known.last += more
    known.absent += more
    if (since < known.since) known.since = since
    if (until > known.until) known.until = until
    this.#gaps.sort(byEnd)
    if (known.isReported) this.#parts.counts.addMany('unknown', more)
  }

  /** Removes the gap that `addHidden` added for a run. Call it when the first checkpoint of the run arrives. */
  removeHidden(name: RunName): void {
    const gap = this.#hidden(name)
    if (!gap) return
    this.#gaps.splice(this.#gaps.indexOf(gap), 1)
    if (gap.isReported) this.#parts.counts.addMany('unknown', -gap.absent)
  }

  /** Returns the only gap of a hidden run: a run that a later run names, and that has no known checkpoint. */
  #hidden({ keyId, run }: RunName): LiveGap | undefined {
    return this.#gaps.find((gap) => gap.isHidden && gap.keyId === keyId && gap.run === run)
  }

  /**
   * Fills gaps with received messages. Reports the absent messages of a gap as soon as no further message can
   * lie in it.
   */
  fill(now: number, runsOf: (keyId: string) => readonly RunEnd[]): void {
    const { memory, toleranceMs } = this.#parts
    const isDue = (gap: LiveGap) => gap.isReported || this.#isKnownUntil(gap, now, runsOf(gap.keyId))
    const due = this.#gaps.filter((gap) => gap.absent > 0 && isDue(gap))
    for (const keyId of new Set(due.map((gap) => gap.keyId))) {
      const unlisted = memory.unlistedOf(keyId)
      const times = unlisted.map(({ ms }) => ms)
      const filling = new GapFilling(times, toleranceMs)
      for (const gap of due) if (gap.keyId === keyId) this.#fill(gap, unlisted, filling)
    }
  }

  #fill(gap: LiveGap, unlisted: readonly UnlistedMessage[], filling: GapFilling): void {
    const { memory, counts, ownerOf, found } = this.#parts
    if (!gap.isReported) gap.isMissing &&= msOf(gap.since) >= memory.lostUntil
    const state = gap.isMissing ? 'missing' : 'unknown'
    const places = [...filling.take(gap, gap.absent)]
    const filled = places.map((place) => (unlisted[place] as UnlistedMessage).key)
    for (const name of filled) memory.take(name)
    if (filled.length > 0) memory.list(filled, gap.until, new Map())
    gap.absent -= filled.length
    counts.addMany(state, gap.isReported ? -filled.length : gap.absent)
    if (gap.isOpen) counts.addMany('unknown', filled.length)
    if (!gap.isReported && gap.isMissing && gap.absent > 0) found(gapFinding(ownerOf(gap.keyId), gap))
    gap.isReported = true
  }

  /**
   * Returns whether no further message can lie in a gap: each run of the key has ended, or its lists extend
   * past the end of the gap; or `silentMs` have passed.
   */
  #isKnownUntil({ until, foundAt }: LiveGap, now: number, runs: readonly RunEnd[]): boolean {
    if (now - foundAt >= this.#parts.silentMs) return true
    const ms = msOf(until) + CLOCK_MS
    return runs.every(({ hasEnded, last }) => hasEnded || (last && msOf(last.at) > ms))
  }
}

/**
 * Returns the item to remove from a full list: the first item of the key with the most items. No key can then
 * displace the items of a key with fewer items.
 */
export function firstOfLargestKey<T extends { readonly keyId: string }>(all: Iterable<T>): T {
  const ofKeys = new Map<string, { readonly first: T; count: number }>()
  for (const one of all) {
    const entry = ofKeys.get(one.keyId)
    if (entry) entry.count++
    else ofKeys.set(one.keyId, { first: one, count: 1 })
  }
  const [largest] = [...ofKeys.values()].sort((one, other) => other.count - one.count)
  return (largest as { readonly first: T }).first
}
