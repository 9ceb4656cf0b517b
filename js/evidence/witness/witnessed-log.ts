import { withNoun } from '../../foundation/base/text/text.js'
import type { Judged } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS, type VerdictWord } from '../../foundation/model/verdict-words.js'
import { readNote } from '../logs/note.js'
import type { LogSize } from '../logs/size.js'
import {
  type CosignedTimes,
  contradictionsOf,
  forksIn,
  shownTime,
  type WitnessedSize,
  withoutContradictory,
} from './contradictions.js'
import { readCosignature } from './cosignature.js'
import type { WitnessVerifier } from './key.js'
import type { ReadQuorum } from './options.js'

/** Verdict on a log, by its witnesses. */
export interface WitnessVerdict extends Judged {
  /**
   * Verdict as a word. `witnessed`: a quorum has seen the log. `contradicted`: the log has two roots at one
   * size, or each note has an invalid line of a known witness. `unwitnessed`: too few witnesses have seen it.
   */
  readonly verdict: Extract<VerdictWord, 'witnessed' | 'contradicted' | 'unwitnessed'>
  /** Largest size of the log that a quorum has seen; 0 if there is none. */
  readonly size: number
  /** Time by which a quorum had seen the log, RFC 3339 with seconds. Undefined without a quorum. */
  readonly by?: string | undefined
  /**
   * Number of witnesses that had seen `size` by the time `by`; without a quorum, the most that have seen one
   * size.
   */
  readonly seen: number
  /** Number of witnesses that the reader trusts. */
  readonly of: number
  readonly quorum: number
  /** Faults of the log, its notes and witnesses, as sentences. Faulty notes and witnesses do not count. */
  readonly faults: readonly string[]
}

/** Cosignatures of one log, and the resulting verdict. The caller verifies the signature of the log itself. */
export class WitnessedLog {
  readonly #reader: ReadQuorum
  /** Witnesses that have seen each pair of size and root. A key is size and root, separated by a space. */
  readonly #sizes = new Map<string, LogSize & { readonly seenAt: Map<string, CosignedTimes> }>()
  readonly #badLines = new Set<string>()
  #counted: ReadonlyMap<string, WitnessedSize> | undefined

  constructor(reader: ReadQuorum) {
    this.#reader = reader
  }

  /** Adds a verified note with its size and root. Rejects a note with an invalid line of a known witness. */
  add(note: string, { size, root }: LogSize): void {
    const { text, signatures } = readNote(note)
    const times: (readonly [vkey: string, time: number])[] = []
    const bad = new Set<string>()
    for (const { name, keyId, signature } of signatures) {
      const witness = this.#reader.witnesses.find((one) => one.name === name && one.keyId === keyId)
      if (!witness) continue
      const time = timeIn(witness, text, signature)
      if (time === undefined) bad.add(`a line of ${name} at size ${size} does not verify`)
      else times.push([witness.vkey, time])
    }
    for (const fault of bad) this.#badLines.add(fault)
    if (bad.size === 0) this.#addTimes({ size, root }, times)
  }

  #addTimes({ size, root }: LogSize, times: readonly (readonly [vkey: string, time: number])[]): void {
    this.#counted = undefined
    const name = `${size} ${root}`
    const known = this.#sizes.get(name) ?? { size, root, seenAt: new Map<string, CosignedTimes>() }
    this.#sizes.set(name, known)
    for (const [vkey, time] of times) {
      const { first, last } = known.seenAt.get(vkey) ?? { first: time, last: time }
      known.seenAt.set(vkey, { first: Math.min(first, time), last: Math.max(last, time) })
    }
  }

  /** Returns the time by which a quorum had seen a size and root of the log, in seconds since 1970. */
  seenAt({ size, root }: LogSize): number | undefined {
    const known = this.#logs.get(`${size} ${root}`)
    return known && quorumTime(known, this.#reader.quorum)
  }

  get largest(): WitnessedSize | undefined {
    let largest: WitnessedSize | undefined
    for (const one of this.#logs.values()) {
      const isSeen = one.seenAt.size >= this.#reader.quorum
      if (isSeen && one.size >= (largest?.size ?? 0)) largest = one
    }
    return largest
  }

  /**
   * Returns the earliest time by which a quorum had seen `size` entries, and how many witnesses had seen them
   * by then.
   */
  firstSeen(size: number): { readonly time: number; readonly seen: number } | undefined {
    let first: { time: number; seen: number } | undefined
    for (const one of this.#logs.values()) {
      const time = one.size >= size ? quorumTime(one, this.#reader.quorum) : undefined
      if (time === undefined || (first && first.time <= time)) continue
      first = { time, seen: countBy(one, time) }
    }
    return first
  }

  /** Faults of the log, of its notes and of witnesses. */
  get faults(): string[] {
    const sizes = [...this.#sizes.values()]
    return [...this.noteFaults, ...this.#reader.witnesses.flatMap((one) => contradictionsOf(one, sizes))]
  }

  /** Faults of the log and its notes: someone has altered the notes, or the log was forked. */
  get noteFaults(): string[] {
    return [...this.#badLines, ...forksIn([...this.#sizes.values()], this.#reader.witnesses)]
  }

  /** True if the log has two roots at one size, or if all of its notes were rejected. */
  get isContradicted(): boolean {
    const sizes = new Set(Array.from(this.#sizes.values(), ({ size }) => size))
    return sizes.size < this.#sizes.size || (this.#badLines.size > 0 && sizes.size === 0)
  }

  /** Same as `#sizes`, but without the cosignatures of witnesses that contradict themselves. */
  get #logs(): ReadonlyMap<string, WitnessedSize> {
    this.#counted ??= withoutContradictory(this.#sizes, this.#reader.witnesses)
    return this.#counted
  }

  /** @param subject - name of the log, for the sentence that asks for more cosignatures */
  verdict(subject = 'this checkpoint'): WitnessVerdict {
    const { quorum, witnesses } = this.#reader
    const { faults, largest, isContradicted } = this
    const by = largest && quorumTime(largest, quorum)
    const seen = largest && by !== undefined ? countBy(largest, by) : this.#maxSeen
    const facts = {
      size: largest?.size ?? 0,
      seen,
      of: witnesses.length,
      quorum,
      faults,
      ...(by !== undefined && { by: shownTime(by) }),
    }
    return { ...verdictOf(facts, isContradicted, subject), ...facts }
  }

  get #maxSeen(): number {
    let max = 0
    for (const { seenAt } of this.#logs.values()) max = Math.max(max, seenAt.size)
    return max
  }
}

type Facts = Omit<WitnessVerdict, 'verdict' | keyof Judged>

function verdictOf(
  facts: Facts,
  isContradicted: boolean,
  subject: string,
): Pick<WitnessVerdict, 'verdict' | keyof Judged> {
  const { by, seen, of, quorum, faults } = facts
  const counted = `seen by ${seen} of ${withNoun(of, 'witness', 'witnesses')}`
  if (isContradicted) return verdictOfFaults(faults)
  if (by !== undefined) return verdictOfQuorum(`${counted} by ${by}`, faults)
  const needs = `get cosignatures of ${withNoun(quorum - seen, 'more witness', 'more witnesses')}: ask them about ${subject}`
  return {
    verdict: 'unwitnessed',
    outcome: VERDICT_WORDS.unwitnessed,
    says: withFaults(`${counted}, of which it takes ${quorum}`, faults),
    needs,
  }
}

export function verdictOfFaults(faults: readonly string[]) {
  return { verdict: 'contradicted', outcome: VERDICT_WORDS.contradicted, says: faults.join('; ') } as const
}

/** Returns the verdict `witnessed`. @param faults - faults of witnesses, whose cosignatures do not count */
export function verdictOfQuorum(says: string, faults: readonly string[]) {
  return { verdict: 'witnessed', outcome: VERDICT_WORDS.witnessed, says: withFaults(says, faults) } as const
}

/** Appends to a sentence the faults of witnesses, whose cosignatures do not count. */
export function withFaults(says: string, faults: readonly string[]): string {
  return [says, ...faults].join('; ')
}

function timeIn(witness: WitnessVerifier, text: string, bytes: Uint8Array): number | undefined {
  const cosignature = readCosignature(bytes)
  return cosignature && witness.verifies(text, cosignature) ? cosignature.time : undefined
}

function quorumTime({ seenAt }: WitnessedSize, quorum: number): number | undefined {
  return Array.from(seenAt.values(), ({ first }) => first).sort((one, other) => one - other)[quorum - 1]
}

function countBy({ seenAt }: WitnessedSize, time: number): number {
  return [...seenAt.values()].filter(({ first }) => first <= time).length
}

/** Logs of signers by origin. Compares all notes of a log, because a witness may contradict itself in two notes. */
export class WitnessedRuns {
  readonly #reader: ReadQuorum
  readonly #logs = new Map<string, WitnessedLog>()

  constructor(reader: ReadQuorum) {
    this.#reader = reader
  }

  add(origin: string, note: string, size: LogSize): void {
    const log = this.#logs.get(origin) ?? new WitnessedLog(this.#reader)
    this.#logs.set(origin, log)
    log.add(note, size)
  }

  get(origin: string): WitnessedLog | undefined {
    return this.#logs.get(origin)
  }
}
