import type { Logger } from '../../../foundation/base/logger.js'
import { type GrowthFrom, GrowthLog } from '../../logs/growth-log.js'
import type { LogTree } from '../../logs/log-tree.js'
import type { LogSize } from '../../logs/size.js'
import { AnswerLog, LogWitnesses } from '../../witness/log-witnesses.js'
import type { AskedWitnesses } from '../../witness/options.js'

export interface PublishedCheckpoint extends LogSize {
  readonly note: string
  readonly growthFrom: GrowthFrom
}

/**
 * Requests of a run to witnesses, while the calls of the SDK continue: no message and no checkpoint waits for a
 * witness. While witnesses answer, only the newest checkpoint is queued.
 */
export class RunWitnesses {
  readonly #members: LogWitnesses
  readonly #publish: (note: string) => Promise<void>
  readonly #logger: Logger
  readonly #growth: GrowthLog
  #next: PublishedCheckpoint | undefined
  /** Size of the newest checkpoint until witnesses are asked about that checkpoint, then undefined. */
  #newest: number | undefined
  #asking: Promise<void> | undefined
  readonly #answers: AnswerLog

  /**
   * @param tree - log of the run
   * @param publish - publishes a checkpoint's note again, with the signature lines of witnesses
   */
  constructor(
    options: AskedWitnesses,
    tree: LogTree,
    publish: (note: string) => Promise<void>,
    logger: Logger,
  ) {
    this.#members = new LogWitnesses(options, 'checkpoints')
    this.#growth = new GrowthLog(tree)
    this.#publish = publish
    this.#logger = logger
    this.#answers = new AnswerLog(logger)
  }

  /**
   * Records the leaves of the next checkpoint, which `tree` already contains. Returns a function that makes
   * consistency proofs up to the size of that checkpoint.
   */
  append(leaves: Uint8Array): GrowthFrom {
    if (leaves.length > 0 && this.#newest !== undefined) this.#growth.forget(this.#newest)
    this.#growth.append(leaves)
    this.#newest = this.#growth.recordSize()
    return this.#growth.snapshot
  }

  show(checkpoint: PublishedCheckpoint): void {
    this.#next = checkpoint
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined
    })
  }

  async finish(): Promise<void> {
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

  async #ask(checkpoint: PublishedCheckpoint): Promise<void> {
    // Skip a checkpoint whose size is no longer recorded, because no consistency proof could begin at that size.
    if (!this.#growth.has(checkpoint.size)) return
    if (this.#newest === checkpoint.size) this.#newest = undefined
    const { note, answers } = await this.#members.ask(checkpoint)
    this.#growth.forgetBelow(this.#members.minSize)
    this.#answers.add(answers)
    if (note !== checkpoint.note) await this.#publish(note)
  }
}
