import type { Logger } from '../../foundation/base/logger.js'
import type { WitnessAnswer } from './asking.js'

/** Logs answers of witnesses: each change once, so that one that stays away fills no log. */
export class AnswerLog {
  readonly #logger: Logger
  readonly #outcomes = new Map<string, WitnessAnswer['outcome']>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add(answers: readonly WitnessAnswer[]): void {
    for (const { name, outcome, says } of answers) {
      if (this.#outcomes.get(name) === outcome) continue
      this.#outcomes.set(name, outcome)
      if (outcome === 'cosigned') this.#logger.info({ witness: name }, 'a witness signs the log')
      else if (outcome === 'away') this.#logger.warn({ witness: name }, says)
      else this.#logger.error({ witness: name, outcome }, says)
    }
  }
}
