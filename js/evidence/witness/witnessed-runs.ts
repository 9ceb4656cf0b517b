import type { LogSize } from '../logs/size.js'
import type { ReadQuorum } from './options.js'
import { WitnessedLog } from './verdict.js'

/** Logs of runs by their origins. All notes of a run are judged together, as one of them may show that a witness lies in another. */
export class WitnessedRuns {
  readonly #reader: ReadQuorum
  readonly #logs = new Map<string, WitnessedLog>()

  constructor(reader: ReadQuorum) {
    this.#reader = reader
  }

  /** Takes a note of a run that is verified, and the size and root that its text has. */
  add(origin: string, note: string, size: LogSize): void {
    const log = this.#logs.get(origin) ?? new WitnessedLog(this.#reader)
    this.#logs.set(origin, log)
    log.add(note, size)
  }

  /** Returns the log of a run; undefined if no note of it was taken. */
  get(origin: string): WitnessedLog | undefined {
    return this.#logs.get(origin)
  }
}
