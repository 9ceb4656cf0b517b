import { withNoun } from '../../foundation/base/text/text.js'
import { type Judged, worstOf } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { originOf } from '../logs/run-origin.js'
import type { LogSize } from '../logs/size.js'
import { shownTime } from '../witness/contradictions.js'
import type { ReadQuorum } from '../witness/options.js'
import { verdictOfFaults, verdictOfQuorum, WitnessedRuns, withFaults } from '../witness/witnessed-log.js'
import type { RunName, SeenRuns, SignerReport } from './report.js'

type NotedCheckpoint = LogSize & { readonly signer: string; readonly run: string; readonly note: string }

export class Sightings {
  readonly #reader: ReadQuorum
  readonly #runs: WitnessedRuns

  constructor(reader: ReadQuorum) {
    this.#reader = reader
    this.#runs = new WitnessedRuns(reader)
  }

  add(checkpoint: NotedCheckpoint): void {
    const { signer, run, note } = checkpoint
    this.#runs.add(originOf(signer, run), note, checkpoint)
  }

  /** Returns whether, and since when, a quorum of witnesses has seen the given runs, each up to its `size`. */
  verdict(runs: readonly (RunName & { readonly size: number })[]): SeenRuns {
    const { quorum, witnesses } = this.#reader
    const found = runs.filter(({ size }) => size > 0).map((run) => this.#seen(run))
    const faults = found.flatMap((one) => one.faults)
    const unseen = found.reduce((sum, one) => sum + one.unseen, 0)
    const times = found.map(({ time }) => time)
    const since = unseen === 0 && times.length > 0 ? Math.max(...times) : undefined
    const seen = found.length === 0 ? 0 : Math.min(...found.map((one) => one.seen))
    const facts = { seen, of: witnesses.length, quorum, unseen, faults }
    const isContradicted = found.some((one) => one.isContradicted)
    return {
      ...verdictOf(facts, since, isContradicted),
      ...facts,
      ...(since !== undefined && { since: shownTime(since) }),
    }
  }

  #seen({ size, keyId, run }: RunName & { readonly size: number }) {
    const log = this.#runs.get(originOf(keyId, run))
    const { time, seen } = log?.firstSeen(size) ?? { time: 0, seen: 0 }
    const faults = (log?.faults ?? []).map((fault) => `run ${run.slice(0, 8)}…: ${fault}`)
    const unseen = size - Math.min(size, log?.largest?.size ?? 0)
    return { faults, isContradicted: log?.isContradicted === true, unseen, time, seen }
  }
}

function verdictOf(
  { seen, of, quorum, unseen, faults }: Pick<SeenRuns, 'seen' | 'of' | 'quorum' | 'unseen' | 'faults'>,
  since: number | undefined,
  isContradicted: boolean,
): Pick<SeenRuns, 'verdict' | keyof Judged> {
  const witnesses = withNoun(of, 'witness', 'witnesses')
  if (isContradicted) return verdictOfFaults(faults)
  if (since !== undefined)
    return verdictOfQuorum(`its lists were seen by ${seen} of ${witnesses} by ${shownTime(since)}`, faults)
  const subject =
    unseen === 0
      ? 'none of its lists was'
      : `${withNoun(unseen, 'message')} that it lists ${unseen === 1 ? 'was' : 'were'} not`
  const says = withFaults(`${subject} seen by ${quorum} of ${witnesses}`, faults)
  const needs = 'add its checkpoints with the lines of the witnesses'
  return { verdict: 'unwitnessed', outcome: VERDICT_WORDS.unwitnessed, says, needs }
}

/**
 * Adds to a report how far witnesses have seen its runs. The report stays `complete` only if a quorum has seen
 * every listed message.
 */
export function withSightings(report: SignerReport, sightings: Sightings): SignerReport {
  const witnessed = sightings.verdict(report.runs)
  const outcome = worstOf([report.outcome, witnessed.outcome])
  const verdict = WORDS[outcome]
  const says = `${report.says}; ${outcome === 'holds' ? completeSince(witnessed) : witnessed.says}`
  const needs = outcome === 'cannot tell' ? (report.needs ?? witnessed.needs) : undefined
  const { needs: _, ...rest } = report
  return { ...rest, verdict, outcome, says, ...(needs !== undefined && { needs }), witnessed }
}

function completeSince({ since, seen, of, faults }: SeenRuns): string {
  return withFaults(`complete since ${since} by ${seen} of ${withNoun(of, 'witness', 'witnesses')}`, faults)
}

const WORDS = { holds: 'complete', 'does not hold': 'incomplete', 'cannot tell': 'unknown' } as const
