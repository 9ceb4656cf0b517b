import { AlvariumError } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { digestOf } from '../../../foundation/core/hashing.js'
import type { LogState } from '../../../signing/keys/leased-key.js'
import { ownerStoreOf } from '../../../transport/streams/keeper.js'
import type { StreamProvider } from '../../../transport/streams/stream.js'

export interface SignerState extends LogState {
  readonly signer: string
}

/** State of the newest run, stored in an outbox for the next run. */
export class RunStore {
  readonly #stream: StreamProvider
  /** Id of the newest run. An earlier run may still sign its last checkpoint. */
  #run: string | undefined

  constructor(stream: StreamProvider) {
    this.#stream = stream
  }

  /**
   * Starts to store the state of a new run, in place of the state of the previous run.
   *
   * @returns the state of the previous run, even if its process was killed; the state of an older run if the store
   *   was restored from a backup. Undefined if no state is stored, or if the disk has damaged it.
   */
  async begin(run: string, logger: Logger): Promise<SignerState | undefined> {
    this.#run = run
    try {
      const bytes = await ownerStoreOf(this.#stream)?.get(NAME)
      return bytes && readState(bytes)
    } catch (err) {
      logger.warn({ err }, 'the run before could not be read: the checkpoints of this one do not name it')
      return undefined
    }
  }

  async put(state: SignerState, logger: Logger): Promise<void> {
    if (state.run !== this.#run) return
    try {
      await ownerStoreOf(this.#stream)?.put(NAME, writeState(state))
    } catch (err) {
      logger.warn({ err }, 'the size of this run could not be stored: the next run names an earlier size')
    }
  }
}

const NAME = 'run'

function writeState(state: SignerState): Uint8Array {
  const text = stateText(state)
  return new TextEncoder().encode(`${text} ${checksumOf(text)}\n`)
}

/**
 * Reads a state and verifies its checksum. Without the checksum, one altered digit would give a different
 * root of the same size, and verifiers would report a fork by an honest signer.
 */
function readState(bytes: Uint8Array): SignerState {
  const text = new TextDecoder().decode(bytes)
  const [, signer, run, size, root, checksum] =
    /^([\da-f]{32}) ([\da-f]{32}) (0|[1-9]\d{0,14}) ([\da-f]{64}) ([\da-f]{16})\n$/.exec(text) ?? []
  if (signer && run && size && root) {
    const state = { signer, run, size: Number(size), root }
    if (checksum === checksumOf(stateText(state))) return state
  }
  throw new AlvariumError(
    'STORE_DAMAGED',
    'store.owner: the stored state of the signer\'s log, named "run", is damaged',
  )
}

function stateText({ signer, run, size, root }: SignerState): string {
  return `${signer} ${run} ${size} ${root}`
}

/** Returns a checksum that detects damage by disks. It does not protect against people. */
function checksumOf(text: string): string {
  return digestOf(new TextEncoder().encode(text)).slice(0, 16)
}
