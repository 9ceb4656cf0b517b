import { runSync } from '../../../foundation/base/time/turns.js'
import type { Finding } from '../../../verifying/consume/findings.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import type { Leaf } from '../checkpoint/leaf.js'
import { hiddenSpans, testWithin } from '../hidden-spans.js'
import type { SignerName } from '../key-owner.js'
import type { RunName } from '../report.js'
import { msOf } from '../times.js'
import { Capacity } from './capacity.js'
import { Counts } from './counts.js'
import { Coverage } from './coverage.js'
import { backdatedFinding, forkFinding, missingFindings } from './findings.js'
import { firstOfLargestKey, LiveGaps } from './live-gaps.js'
import { LiveRun, type PendingCheckpoint, type Predecessor } from './live-run.js'
import { MessageMemory, type UnlistedMessage } from './message-memory.js'

const MAX_RUNS = 256
const MAX_WAITING_BYTES = 32 * 1024 * 1024

export interface SignerSettings {
  readonly graceMs: number
  readonly silentMs: number
  readonly toleranceMs: number
  readonly maxMessages: number
  readonly isPart: boolean
  readonly isGroup: boolean
  /** Time at which the subscription began to listen, in milliseconds since 1970. */
  readonly listeningSince: number
  /** Memory limit for the checkpoints that wait to be evaluated, of all signers together. */
  readonly capacity: Capacity
  /** Time in milliseconds since 1970 at which any signer was last dropped to free memory. */
  readonly forgottenAt: number | undefined
  ownerOf(keyId: string): SignerName
  found(finding: Finding): void
}

/**
 * A signer that is evaluated while its messages and checkpoints arrive. Each key of the signer has separate
 * runs. The checkpoints of a key list only messages that this key signed.
 */
export class LiveSigner {
  readonly #signer: string
  readonly #settings: SignerSettings
  readonly memory: MessageMemory
  readonly counts = new Counts()
  readonly #runs = new Map<string, LiveRun>()
  readonly #gaps: LiveGaps
  /** Time of the last call of `evaluateDue`, in milliseconds by the clock of `Watch`. */
  #now = 0
  readonly #coverage = new Coverage()
  readonly #coverageByKey = new Map<string, Coverage>()
  isSilent = false
  readonly #capacity: Capacity
  /** Value of `size` when this signer was last added to the total of all signers. */
  counted = 0
  isForgotten = false
  readonly #statements = { count: 0 }

  constructor(signer: string, settings: SignerSettings) {
    this.#signer = signer
    this.#settings = settings
    const { maxMessages, toleranceMs, capacity, forgottenAt } = settings
    this.memory = new MessageMemory(maxMessages, toleranceMs)
    this.#capacity = new Capacity(MAX_WAITING_BYTES, capacity)
    this.#gaps = new LiveGaps({ ...settings, memory: this.memory, counts: this.counts })
    if (forgottenAt === undefined) return
    this.memory.markLostUntil(forgottenAt + toleranceMs)
    this.memory.forgottenUntil = new Date(forgottenAt).toISOString()
  }

  /** Number of remembered messages, checkpoint texts and roots. Each takes about the same memory. */
  get size(): number {
    return this.memory.size + this.#statements.count
  }

  forget(): void {
    this.isForgotten = true
    this.#capacity.releaseAll()
  }

  addMessage(leaf: Leaf, bundles: readonly VerifiedBundle[], receivedAt: number): void {
    const key = this.#nameOf((bundles[0] as VerifiedBundle).signer, leaf.key)
    const late = this.memory.add({ ...leaf, key }, bundles, receivedAt)
    if (late) this.counts.become(late, 'arrived')
  }

  /**
   * Returns the name of a message: its id. For a leased key, the key id follows, so that messages of
   * different keys never have the same name.
   */
  #nameOf(keyId: string, id: string): string {
    return keyId === this.#signer ? id : id + keyId
  }

  /** @param isAhead - true if the clock that signed the checkpoint was ahead when the checkpoint arrived */
  addCheckpoint(waiting: PendingCheckpoint, isAhead: boolean): void {
    const { signer: keyId, run, at } = waiting.checkpoint
    const known = this.#runs.get(placeOf({ keyId, run })) ?? this.#begin({ keyId, run })
    known.add(waiting)
    this.memory.hasCheckpoint = true
    const passed = this.#coverageByKey.get(keyId) ?? new Coverage()
    this.#coverageByKey.set(keyId, passed)
    for (const one of [passed, this.#coverage]) one.add(msOf(at), waiting.receivedAt, isAhead)
  }

  #begin(name: RunName): LiveRun {
    const { isPart, isGroup, listeningSince, toleranceMs, ownerOf, found } = this.#settings
    const { memory, counts } = this
    this.#gaps.removeHidden(name)
    const begun = new LiveRun(name, {
      memory,
      counts,
      statements: this.#statements,
      capacity: this.#capacity,
      isPart: isPart || isGroup,
      listeningSince,
      toleranceMs,
      nameOf: (id) => this.#nameOf(name.keyId, id),
      onMissing: (of, absent) => missingFindings(ownerOf(of.keyId), of, absent).forEach(found),
      onGap: (gap) => this.#gaps.add({ ...gap, foundAt: this.#now }),
      onFork: (of, size) => {
        counts.forked++
        found(forkFinding(ownerOf(of.keyId), of, size))
      },
    })
    this.#runs.set(placeOf(name), begun)
    if (this.#runs.size > MAX_RUNS) this.#forget()
    return begun
  }

  #forget(): void {
    const oldest = firstOfLargestKey(this.#runs.values())
    const { keyId, last } = oldest
    this.#runs.delete(placeOf(oldest))
    oldest.forget()
    if (last && last.at > this.memory.forgottenUntil) this.memory.forgottenUntil = last.at
    if (!this.#runsOf(keyId).length) this.#coverageByKey.delete(keyId)
  }

  #runsOf(keyId: string): LiveRun[] {
    return [...this.#runs.values()].filter((run) => run.keyId === keyId)
  }

  /**
   * Evaluates the checkpoints that are due, and yields after each.
   *
   * @param isWhole - true to examine all messages, even if no checkpoint is due; this may take long
   */
  *evaluateDue(
    now: number,
    isDue: (waiting: PendingCheckpoint) => boolean,
    isWhole: boolean,
  ): Generator<void, void> {
    this.#now = now
    let hasNews = isWhole && this.#runs.size > 0
    for (const run of this.#runs.values()) {
      for (const checkpoint of run.due(isDue)) {
        run.evaluate(checkpoint)
        hasNews = true
        yield
      }
    }
    if (!hasNews) return
    for (const run of this.#runs.values()) this.#beginRun(run)
    this.#gaps.fill(now, (keyId) => this.#runsOf(keyId))
    if (!this.#settings.isGroup) this.#findBackdated(now)
  }

  /**
   * Compares `run` with its predecessor, and ends the predecessor. Does nothing as long as received
   * checkpoints of the predecessor wait to be evaluated.
   */
  #beginRun(run: LiveRun): void {
    const { keyId, predecessor } = run
    const before = predecessor?.after && this.#runs.get(placeOf({ keyId, run: predecessor.after.run }))
    if (before?.isWaiting) return
    run.findLostBeginning(before)
    if (before) run.isBeginning = false
    if (!before && predecessor) this.#findHidden(run, predecessor)
    if (!predecessor || !before?.last) return
    run.predecessor = undefined
    before.end(predecessor)
  }

  /**
   * Adds a gap, only once, for the predecessor of `next`, if no checkpoint of the predecessor has arrived.
   */
  #findHidden(next: LiveRun, { after, from }: Predecessor): void {
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
    for (const unlisted of this.memory.unlisted.values()) {
      const { keyId, ms, receivedAt } = unlisted
      if (unlisted.isReported || now - receivedAt < this.#settings.graceMs) continue
      const isHidden = hidden.get(keyId) ?? this.#hidden(keyId)
      hidden.set(keyId, isHidden)
      if (isHidden(ms) || !this.#coverageByKey.get(keyId)?.covers(unlisted)) continue
      unlisted.isReported = true
      this.counts.backdated++
      const { ownerOf, found } = this.#settings
      found(backdatedFinding(ownerOf(keyId), unlisted))
    }
  }

  /** Returns a function that tells whether known checkpoints may lack messages that a key signed at a given time. */
  #hidden(keyId: string): (ms: number) => boolean {
    const runs = this.#runsOf(keyId).flatMap(({ begin, isAfterGap, last, nextBeganAt }) =>
      begin && last ? [{ begin, isAfterGap, last, nextBeganAt }] : [],
    )
    const { forgottenUntil } = this.memory
    const spans = [...hiddenSpans(runs, this.#gaps.of(keyId))]
    if (forgottenUntil !== '') spans.push([undefined, forgottenUntil])
    return runSync(testWithin(spans, this.#settings.toleranceMs))
  }

  /** Messages that no checkpoint covers: their number, the time of the first arrival, and the signer. */
  get waiting():
    | { readonly messages: number; readonly since: number; readonly signer: SignerName }
    | undefined {
    if (!this.memory.hasCheckpoint) return undefined
    let first: UnlistedMessage | undefined
    let messages = 0
    // Loop without an array of all messages, because this getter runs often.
    for (const one of this.memory.unlisted.values()) {
      // Skip a message that a later checkpoint of any key of the signer covers, because a new key may have
      // replaced the message's key. At least one checkpoint must be from the message's own key.
      if (this.#coverageByKey.has(one.keyId) && this.#coverage.covers(one)) continue
      first ??= one
      messages++
    }
    if (!first) return undefined
    return { messages, since: first.receivedAt, signer: this.#settings.ownerOf(first.keyId) }
  }

  get unknown(): number {
    const { unlisted, droppedCount } = this.memory
    return this.counts.of('unknown') + unlisted.size - this.counts.backdated + droppedCount
  }
}

function placeOf({ keyId, run }: RunName): string {
  return `${keyId} ${run}`
}
