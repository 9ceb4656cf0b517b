import { toHex } from '../base/bytes/hex.js'
import { expected } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { LogState } from '../keys/leased-key.js'
import { keeperOf } from '../streams/keeper.js'
import type { StreamProvider } from '../streams/stream.js'
import { sha256 } from './hash.js'

/** How far a run has come, as the store of an outbox keeps it for the next one. */
export class KeptRun {
  readonly #stream: StreamProvider
  readonly #logger: Logger

  /** @param stream - of the checkpoints; if it is no outbox, nothing is kept */
  constructor(stream: StreamProvider, logger: Logger) {
    this.#stream = stream
    this.#logger = logger
  }

  /** The run before, also if it was killed. If the store was restored, it may be an older one. One that the disk has damaged counts as none. */
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

function writtenState(state: LogState): Uint8Array {
  const text = spelt(state)
  return new TextEncoder().encode(`${text} ${checksumOf(text)}\n`)
}

/** One digit that a disk has altered makes another root of the same size: its honest signer would be told to have forked its log. */
function readState(bytes: Uint8Array): LogState {
  const written = new TextDecoder().decode(bytes)
  const [, run, size, root, checksum] =
    /^([\da-f]{32}) (0|[1-9]\d{0,14}) ([\da-f]{64}) ([\da-f]{16})\n$/.exec(written) ?? []
  if (run && size && root) {
    const state = { run, size: Number(size), root }
    if (checksum === checksumOf(spelt(state))) return state
  }
  throw expected('STORE_DAMAGED', 'store.kept', 'a run, a size and a root', 'something else')
}

function spelt({ run, size, root }: LogState): string {
  return `${run} ${size} ${root}`
}

/** The first 8 bytes of SHA-256, in hexadecimal: against disks, not against people. */
function checksumOf(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text)).subarray(0, 8))
}
