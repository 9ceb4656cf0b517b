import { Completeness } from '../completeness/judge.js'
import type { RunName, RunReport, SignerReport } from '../completeness/report.js'
import type { VerifiedCheckpoint } from '../completeness/verify-checkpoint.js'
import type { VerifiedBundle } from '../verify/options.js'
import { NOTHING } from './sealed.js'
import type { LogRange } from './subject.js'
import type { PackedLog, PackWholeness } from './verdict.js'

/** The checkpoints of a pack, and what they show of its messages. */
export class PackedLogs {
  readonly #completeness = new Completeness()
  readonly #checkpoints: VerifiedCheckpoint[] = []
  #report: Promise<readonly SignerReport[]> | undefined

  /** Those that were verified, for leases that have stated a log. */
  get checkpoints(): readonly VerifiedCheckpoint[] {
    return this.#checkpoints
  }

  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    this.#checkpoints.push(checkpoint)
    this.#completeness.addCheckpoint(checkpoint)
  }

  addMessage(message: Uint8Array, bundles: readonly VerifiedBundle[]): void {
    // Nothing lists them.
    if (this.#checkpoints.length > 0) this.#completeness.addMessage(message, bundles)
  }

  /** In the order of their key ids. */
  async logs(): Promise<PackedLog[]> {
    return (await this.#reports())
      .filter(({ runs }) => runs.length > 0)
      .map(({ signer, verdict, missing, missingInGaps, unlisted }) => ({
        signer,
        verdict,
        missing: missing.reduce((sum, { first, last }) => sum + last - first + 1, missingInGaps),
        unlisted: unlisted.length,
      }))
      .sort((one, other) => (one.signer < other.signer ? -1 : 1))
  }

  /** Whether each message of a part of a log is here: checkpoints list all of them, and the log was told in one way. */
  async ofRange({ signer: keyId, run, from, until }: LogRange): Promise<PackWholeness> {
    const isRun = (one: RunName) => one.keyId === keyId && one.run === run
    const report = (await this.#reports()).find(({ runs }) => runs.some(isRun))
    const found = report?.runs.find(isRun)
    if (!report || !found) return NOTHING
    const ofRun = <T extends RunName>(all: readonly T[]) => all.filter(isRun)
    const within = ({ first, last }: { first: number; last: number }) =>
      Math.max(0, Math.min(last, until - 1) - Math.max(first, from) + 1)
    const missing = ofRun(report.missing).reduce((sum, one) => sum + within(one), 0)
    const gaps = ofRun(report.gaps).reduce((sum, one) => sum + within(one), 0)
    const isTold = covers(found, from, until) && gaps === 0 && ofRun(report.forks).length === 0
    return { by: isTold && missing === 0 ? 'log' : 'nothing', missing }
  }

  /** Made once all is here: it looks at everything. */
  #reports(): Promise<readonly SignerReport[]> {
    this.#report ??= this.#completeness.reportInTurns()
    return this.#report
  }
}

function covers({ before, size }: RunReport, from: number, until: number): boolean {
  return before <= from && until <= size
}
