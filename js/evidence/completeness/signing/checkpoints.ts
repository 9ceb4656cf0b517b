import * as v from 'valibot'
import { type Logger, silentLogger } from '../../../foundation/base/logger.js'
import {
  integer,
  MAX_TIMEOUT_MS,
  readOptions,
  strict,
  withMethods,
} from '../../../foundation/base/options/schema.js'
import {
  type Checkpoints,
  OPEN_RUNS,
  type RunContext,
  type SigningRun,
  type SigningRuns,
} from '../../../signing/seal/log.js'
import { closeClaimed, connectClaimed } from '../../../transport/streams/claim.js'
import type { StreamProvider } from '../../../transport/streams/stream.js'
import { readNote } from '../../logs/note.js'
import { type AskedWitnesses, askedMembers, readQuorumIfAny } from '../../witness/options.js'
import { noteOfMessage } from '../checkpoint/message.js'
import { readText } from '../checkpoint/read-text.js'
import { RunStore, type SignerState } from './run-store.js'
import { FIELD, type RunSettings, SignedRun } from './signed-run.js'

/** Settings of the checkpoints that an SDK signs: stream, intervals and witnesses. */
export interface CheckpointsOptions extends Omit<AskedWitnesses, 'witnesses'> {
  /**
   * Stream to which each checkpoint is published as a message. Use a separate topic, because readers of
   * bundles refuse checkpoints. The SDK opens and closes the stream.
   */
  readonly stream: StreamProvider
  /**
   * Number of messages after which a checkpoint is signed, 1 to 8,192. If a process is killed, up to this
   * many messages may be in no checkpoint. Default 1,024.
   */
  readonly every?: number | undefined
  /** Milliseconds after which a checkpoint is signed, if there is anything new to state. Default 10,000. */
  readonly everyMs?: number | undefined
  /**
   * Published message with the last checkpoint of the previous run, if you have stored it. Checkpoints then
   * name that run, so that nobody can hide its last messages. Ignored if its signer is not `signingKey`.
   * Default: the run, size and root in the store of `stream`, if `stream` is an outbox.
   */
  readonly after?: Uint8Array | undefined
  /**
   * Witnesses, 1 to 15, that cosign each checkpoint while calls continue (`alvarium witness --signer`). The
   * checkpoint is then published again with their cosignatures. It lists each message with 32 bytes instead
   * of 8. `close()` waits for the witnesses. Default: none.
   */
  readonly witnesses?: AskedWitnesses['witnesses'] | undefined
}

/** Valibot schema of {@link CheckpointsOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  stream: withMethods<StreamProvider>('a stream with publish()', 'publish'),
  every: integer(1, 8192, 1024),
  everyMs: integer(1, MAX_TIMEOUT_MS, 10_000),
  after: v.optional(v.instance(Uint8Array, 'the message of a checkpoint')),
  ...askedMembers,
})

/**
 * Signs checkpoints, each with the number of messages that an SDK has signed and a list of the new messages.
 * From the checkpoints, a verifier finds which messages are missing. Each run of an SDK has its own log (RFC
 * 9162), in memory that does not grow with the log.
 *
 * If a checkpoint cannot be signed or published, calls continue. The SDK's logger reports the error, and the
 * next checkpoint counts the messages of the failed checkpoint.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `MESSAGE_MALFORMED` when `after` is not a checkpoint
 *
 * @example
 * ```ts
 * import { checkpoints } from 'alvarium-sdk/completeness'
 *
 * await using sdk = await openSdk({
 *   signingKey,
 *   annotators: [source()],
 *   stream: mqtt({ url, topic: 'alvarium-topic' }),
 *   checkpoints: checkpoints({ stream: mqtt({ url, topic: 'alvarium-topic/signers' }) }),
 * })
 * ```
 */
export function checkpoints(options: CheckpointsOptions): Checkpoints {
  const { after, witnesses, quorum, witnessTimeoutMs, ...settings } = readOptions(
    schema,
    options,
    'checkpoints',
  )
  readQuorumIfAny({ witnesses, quorum }, 'checkpoints')
  const witnessSettings = witnesses && { witnesses, quorum, witnessTimeoutMs }
  const before = after && readText(readNote(noteOfMessage(after)).text)
  return {
    every: settings.every,
    [OPEN_RUNS]: () => new SignedRuns({ ...settings, witnesses: witnessSettings }, before),
  }
}

class SignedRuns implements SigningRuns {
  readonly #settings: RunSettings
  readonly #store: RunStore
  #earlier: SignerState | undefined
  #logger: Logger = silentLogger

  /** @param earlier - state of the previous run, which the first run names. It comes from the option `after` */
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
