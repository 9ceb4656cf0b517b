import { toHex } from '../base/bytes/hex.js'
import { expected } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { LogState } from '../keys/leased-key.js'
import { keeperOf } from '../streams/keeper.js'
import type { StreamProvider } from '../streams/stream.js'
import { sha256 } from './hash.js'

/** The size and root of a run, and the key id of its signer. */
export interface SignerState extends LogState {
  readonly signer: string
}

/** State of the newest run, kept in the store of an outbox for the run after it. */
export class KeptRun {
  readonly #stream: StreamProvider
  /** The newest run. An earlier one may still sign its last checkpoint. */
  #run: string | undefined

  /** @param stream - of the checkpoints; if it is no outbox, nothing is kept */
  constructor(stream: StreamProvider) {
    this.#stream = stream
  }

  /**
   * Begins to keep this run, in place of the one before.
   *
   * @returns the run before, also if it was killed. If the store was restored, it may be an older one. One that the disk has damaged counts as none.
   */
  async begin(run: string, logger: Logger): Promise<SignerState | undefined> {
    this.#run = run
    try {
      const kept = await keeperOf(this.#stream)?.get(NAME)
      return kept && readState(kept)
    } catch (err) {
      logger.warn({ err }, 'the run before could not be read: the checkpoints of this one do not name it')
      return undefined
    }
  }

  /** Keeps the state of the newest run. A full disk is no reason not to publish. */
  async keep(state: SignerState, logger: Logger): Promise<void> {
    if (state.run !== this.#run) return
    try {
      await keeperOf(this.#stream)?.put(NAME, writtenState(state))
    } catch (err) {
      logger.warn({ err }, 'how far this run has come could not be kept: the next one names an earlier size')
    }
  }
}

const NAME = 'run'

function writtenState(state: SignerState): Uint8Array {
  const text = spelt(state)
  return new TextEncoder().encode(`${text} ${checksumOf(text)}\n`)
}

/** One digit that a disk has altered makes another root of the same size: its honest signer would be told to have forked its log. */
function readState(bytes: Uint8Array): SignerState {
  const written = new TextDecoder().decode(bytes)
  const [, signer, run, size, root, checksum] =
    /^([\da-f]{32}) ([\da-f]{32}) (0|[1-9]\d{0,14}) ([\da-f]{64}) ([\da-f]{16})\n$/.exec(written) ?? []
  if (signer && run && size && root) {
    const state = { signer, run, size: Number(size), root }
    if (checksum === checksumOf(spelt(state))) return state
  }
  throw expected('STORE_DAMAGED', 'store.kept', 'a signer, a run, a size and a root', 'something else')
}

function spelt({ signer, run, size, root }: SignerState): string {
  return `${signer} ${run} ${size} ${root}`
}

/** The first 8 bytes of SHA-256, in hexadecimal: against disks, not against people. */
function checksumOf(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text)).subarray(0, 8))
}
