import { type AlvariumError, verdictIn } from '../../foundation/base/errors.js'
import { LINES, type LineKind } from './file/parts.js'
import type { PackTally } from './verdict.js'

/** A line that does not verify, and the reason. */
export interface PackFault {
  /** Name of the part with the line, such as `messages/00000.ndjson`. */
  readonly part: string
  /** Number of the line in the part, from 1. */
  readonly line: number
  readonly error: AlvariumError
}

export type LinePlace = Omit<PackFault, 'error'>

/** Maximum number of faults to keep. Lines with further faults are only counted. */
const MAX_FAULTS = 1_000

export class LineTallies {
  readonly counts: Readonly<Record<LineKind, MutableTally>>
  readonly faults: PackFault[] = []

  constructor() {
    const empty = LINES.map((kind) => [kind, { verified: 0, refused: 0, unknownSigner: 0 }])
    this.counts = Object.fromEntries(empty)
  }

  /** @param error - reason why the line does not verify; undefined if it does */
  add(kind: LineKind, error: AlvariumError | undefined, place: LinePlace): void {
    const tally = this.counts[kind]
    if (!error) tally.verified++
    else if (error.code === 'SIGNER_UNKNOWN') tally.unknownSigner++
    else tally.refused++
    if (error && this.faults.length < MAX_FAULTS) this.faults.push({ ...place, error })
  }
}

type MutableTally = { -readonly [Name in keyof PackTally]: number }

export function faultOf(verifying: Promise<void>): Promise<AlvariumError | undefined> {
  return verifying.then(() => undefined, verdictIn)
}
