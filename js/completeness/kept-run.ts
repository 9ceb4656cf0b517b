import { expected } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { LogState } from '../keys/leased-key.js'
import { keeperOf } from '../streams/keeper.js'
import type { StreamProvider } from '../streams/stream.js'

/** How far a run has come, as the store of an outbox keeps it for the next one. */
export class KeptRun {
  readonly #stream: StreamProvider
  readonly #logger: Logger

  /** @param stream - of the checkpoints; if it is no outbox, nothing is kept */
  constructor(stream: StreamProvider, logger: Logger) {
    this.#stream = stream
    this.#logger = logger
  }

  /** The run before: after a kill too, and an earlier one where somebody has restored the store. What a disk has altered is none. */
  async read(): Promise<LogState | undefined> {
    try {
      const kept = await keeperOf(this.#stream)?.get(NAME)
      return kept && readState(kept)
    } catch (err) {
      this.#logger.warn(
        { err },
        'the run before could not be read: the checkpoints of this one do not name it',
      )
      return undefined
    }
  }

  /** A full disk is no reason not to publish. */
  async keep(state: LogState): Promise<void> {
    try {
      await keeperOf(this.#stream)?.put(NAME, writtenState(state))
    } catch (err) {
      this.#logger.warn(
        { err },
        'how far this run has come could not be kept: the next one names an earlier size',
      )
    }
  }
}

const NAME = 'run'

function writtenState({ run, size, root }: LogState): Uint8Array {
  return new TextEncoder().encode(`${run} ${size} ${root}\n`)
}

function readState(bytes: Uint8Array): LogState {
  const text = new TextDecoder().decode(bytes)
  const [, run, size, root] = /^([\da-f]{32}) (0|[1-9]\d{0,14}) ([\da-f]{64})\n$/.exec(text) ?? []
  if (run && size && root) return { run, size: Number(size), root }
  throw expected('STORE_DAMAGED', 'store.kept', 'a run, a size and a root', 'something else')
}
