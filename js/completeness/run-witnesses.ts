import type { Logger } from '../base/logger.js'
import { type GrowthFrom, GrowthLog } from '../logs/growth-log.js'
import type { LogTree } from '../logs/log-tree.js'
import type { LogSize } from '../logs/size.js'
import { AnswerLog } from '../witness/answer-log.js'
import type { AskedWitnesses } from '../witness/options.js'
import { WitnessPanel } from '../witness/panel.js'

/** A checkpoint that can be shown to witnesses. */
export interface ShownCheckpoint extends LogSize {
  readonly note: string
  readonly growthFrom: GrowthFrom
}

/**
 * Asks witnesses about the checkpoints of a run, while the calls of its SDK go on: no message and no checkpoint waits for a witness. While they answer, only the newest
 * checkpoint waits.
 */
export class RunWitnesses {
  readonly #panel: WitnessPanel
  readonly #publish: (note: string) => Promise<void>
  readonly #logger: Logger
  readonly #growth: GrowthLog
  #next: ShownCheckpoint | undefined
  /** Size of the newest checkpoint, which no witness was asked about. */
  #newest: number | undefined
  #asking: Promise<void> | undefined
  readonly #answers: AnswerLog

  /**
   * @param tree - the log of the run
   * @param publish - publishes a note once more, with the lines of witnesses
   */
  constructor(
    options: AskedWitnesses,
    tree: LogTree,
    publish: (note: string) => Promise<void>,
    logger: Logger,
  ) {
    this.#panel = new WitnessPanel(options, 'checkpoints')
    this.#growth = new GrowthLog(tree)
    this.#publish = publish
    this.#logger = logger
    this.#answers = new AnswerLog(logger)
  }

  /** Takes the leaves of the next checkpoint, which the log has now, and returns how the log has grown until then. */
  appended(leaves: Uint8Array): GrowthFrom {
    if (leaves.length > 0 && this.#newest !== undefined) this.#growth.forget(this.#newest)
    this.#growth.appended(leaves)
    this.#newest = this.#growth.keep()
    return this.#growth.now
  }

  /** Asks about a checkpoint that was published, at once or after the one that is asked about now. */
  show(checkpoint: ShownCheckpoint): void {
    this.#next = checkpoint
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined
    })
  }

  /** Resolves when no witness is asked any more. */
  async settled(): Promise<void> {
    while (this.#asking) await this.#asking
  }

  async #askAll(): Promise<void> {
    for (let one = this.#next; one; one = this.#next) {
      this.#next = undefined
      try {
        await this.#ask(one)
      } catch (err) {
        this.#logger.warn({ err }, 'a checkpoint could not be published with the lines of witnesses')
      }
    }
  }

  async #ask(checkpoint: ShownCheckpoint): Promise<void> {
    // A newer one comes: only the newest has its growth kept.
    if (!this.#growth.has(checkpoint.size)) return
    if (this.#newest === checkpoint.size) this.#newest = undefined
    const { note, answers } = await this.#panel.ask(checkpoint)
    this.#growth.forgetBelow(this.#panel.leastSize)
    this.#answers.add(answers)
    if (note !== checkpoint.note) await this.#publish(note)
  }
}
