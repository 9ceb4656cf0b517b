import { type Logger, silentLogger } from '../../foundation/base/logger.js'
import type { RunContext, SigningRun, SigningRuns } from '../../signing/seal/log.js'
import { closeClaimed, connectClaimed } from '../../transport/streams/claim.js'
import { RunStore, type SignerState } from './kept-run.js'
import { FIELD, type RunSettings, SignedRun } from './run.js'

/** Runs of an SDK, one for each of its signing keys. Their checkpoints go to one stream. */
export class SignedRuns implements SigningRuns {
  readonly #settings: RunSettings
  readonly #store: RunStore
  #earlier: SignerState | undefined
  #logger: Logger = silentLogger

  /** @param earlier - the run before the first one */
  constructor(settings: RunSettings, earlier: SignerState | undefined) {
    this.#settings = settings
    this.#store = new RunStore(settings.stream)
    this.#earlier = earlier
  }

  async connect({ logger, signal, connectTimeoutMs }: RunContext): Promise<void> {
    const { stream } = this.#settings
    await connectClaimed({ stream, field: FIELD, logger, signal, connectTimeoutMs })
    this.#logger = logger
  }

  next(): SigningRun {
    const earlier = this.#earlier
    this.#earlier = undefined
    return new SignedRun(this.#settings, this.#store, earlier)
  }

  async close(): Promise<void> {
    const err = await closeClaimed(this.#settings.stream, FIELD)
    if (err) this.#logger.error({ err }, err.message)
  }
}
