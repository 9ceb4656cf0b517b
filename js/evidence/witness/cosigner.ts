import { expected, readIfValid } from '../../foundation/base/errors.js'
import { EMPTY_ROOT } from '../../foundation/core/tree.js'
import { readCheckpoint } from '../logs/checkpoint.js'
import { readNote } from '../logs/note.js'
import { hasOnlyGrown } from '../logs/paths.js'
import type { LogSize } from '../logs/size.js'
import { readCosignature } from './cosignature.js'
import type { WitnessSigner } from './key.js'
import { type AddCheckpoint, readAddCheckpoint, SIZE_TYPE } from './request.js'
import type { WitnessedLogs } from './witnessed-logs.js'

/** Last checkpoint of a log that a witness has signed. */
export interface SignedState extends LogSize {
  /** Name of the log. */
  readonly origin: string
  /** Time of the signature in seconds since 1970. */
  readonly time: number
  /** The signed note, with the line of the witness. */
  readonly note: string
}

/** Storage for the last checkpoint of each log that a witness has signed. */
export interface WitnessState {
  /**
   * Returns the last signed checkpoint; undefined if there is none. If the promise rejects, the witness does
   * not sign.
   */
  read(origin: string): Promise<Pick<SignedState, 'note'> | undefined>
  /** Replaces the last checkpoint of a log. Resolves once the new checkpoint survives a loss of power. */
  write(state: SignedState): Promise<void>
}

/** HTTP response of a witness. */
export interface WitnessReply {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422
  readonly type: string
  readonly body: string
}

interface CosignRequest extends LogSize, AddCheckpoint {
  readonly origin: string
  readonly logLine: string
}

const TEXT = 'text/plain; charset=utf-8'

/** Signer of checkpoints. Handles requests about one log one at a time, because each replaces the last checkpoint. */
export class Cosigner {
  readonly #signer: WitnessSigner
  readonly #logs: WitnessedLogs
  readonly #state: WitnessState
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(signer: WitnessSigner, logs: WitnessedLogs, state: WitnessState) {
    this.#signer = signer
    this.#logs = logs
    this.#state = state
  }

  async answer(body: string): Promise<WitnessReply> {
    const request = readIfValid(() => readAddCheckpoint(body))
    const checkpoint = request && readIfValid(() => readCheckpoint(request.note, undefined))
    if (!request || !checkpoint) return refusal(400, 'expected an old size, hashes and a checkpoint')
    const { origin } = checkpoint
    if (!this.#logs.knows(origin)) return refusal(404, 'this witness does not know the log')
    const logLine = this.#logs.signatureIn(origin, request.note)
    if (logLine === undefined) return refusal(403, 'expected a signature by a public key of the log')
    if (request.old > checkpoint.size)
      return refusal(400, 'expected an old size up to that of the checkpoint')
    return this.#inTurn(origin, () => this.#cosign({ ...request, ...checkpoint, logLine }))
  }

  async #cosign(request: CosignRequest): Promise<WitnessReply> {
    const { origin, size, root, old, path, logLine } = request
    const last = await this.#last(origin)
    if (old !== last.size || (old === size && old > 0 && last.root !== root)) return conflict(last.size)
    if (!hasOnlyGrown(last, request, path))
      return refusal(422, 'expected a path from the old size to that of the checkpoint')
    // Never sign with a time before `last.time`, because a larger log would then seem older than a smaller one.
    const time = Math.max(Math.floor(Date.now() / 1000), last.time)
    const { text } = readNote(request.note)
    const line = await this.#signer.cosign(text, time)
    await this.#state.write({ origin, size, root, time, note: `${text}\n${logLine}\n${line}` })
    return { status: 200, type: TEXT, body: line }
  }

  /** Returns the state that the witness signed last. Verifies that signature, because the state may be damaged. */
  async #last(origin: string): Promise<LogSize & { readonly time: number }> {
    const storedState = await this.#state.read(origin)
    return storedState
      ? signedStateOf(storedState.note, origin, this.#signer)
      : { size: 0, root: EMPTY_ROOT, time: 0 }
  }

  #inTurn<T>(origin: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(origin) ?? Promise.resolve()).then(act, act)
    const settled = turn.catch(() => undefined)
    this.#turns.set(origin, settled)
    void settled.then(() => {
      if (this.#turns.get(origin) === settled) this.#turns.delete(origin)
    })
    return turn
  }
}

function refusal(status: 400 | 403 | 404 | 422, text: string): WitnessReply {
  return { status, type: TEXT, body: `${text}\n` }
}

function conflict(size: number): WitnessReply {
  return { status: 409, type: SIZE_TYPE, body: `${size}\n` }
}

/** @throws AlvariumError `STORE_DAMAGED` when this witness did not sign the note */
function signedStateOf(
  note: string,
  origin: string,
  signer: WitnessSigner,
): LogSize & { readonly time: number } {
  const read = readIfValid(() => readNote(note))
  const line = read?.signatures.find(({ name, keyId }) => name === signer.name && keyId === signer.keyId)
  const cosignature = line && readCosignature(line.signature)
  const checkpoint = readIfValid(() => readCheckpoint(note, undefined))
  if (read && cosignature && checkpoint?.origin === origin && signer.verifies(read.text, cosignature)) {
    return { size: checkpoint.size, root: checkpoint.root, time: cosignature.time }
  }
  throw expected(
    'STORE_DAMAGED',
    'witness.state',
    `the last checkpoint of ${origin} as it was signed`,
    'altered contents',
  )
}
